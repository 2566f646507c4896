/*
 * worker/imports.h -- what guest code can ask of the worker.
 *
 * These are all the functions the engine imports, and the host functions that
 * guest/js builds on. Nothing else is reachable from inside a cell.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

/* Put globalThis.__host there for guest/js to take. Only while booting. */
void imports_define_host(void);
