/* cli/incomplete.h -- does this input go on in the next line?
 * SPDX-License-Identifier: MIT */
#pragma once
#include "base/base.h"

/* A guess from the words: an open bracket, template or comment, or an operator
 * at the end. The engine's parser has the last word. */
int input_incomplete(struct str text);
