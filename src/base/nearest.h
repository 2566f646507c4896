/*
 * base/nearest.h -- "unknown flag --tiemout; did you mean --timeout?"
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include <stddef.h>

/*
 * The entry of list[count] that word is most likely a misspelling of, or NULL
 * if none is close: at most a third of its letters wrong, and one in a short
 * word. A letter missing, added, changed or swapped with its neighbour is one
 * mistake; case is none. Of two equally close the first wins. Pass words
 * without their dashes.
 */
const char *nearest_word(const char *word, const char *const *list,
                         size_t count);
