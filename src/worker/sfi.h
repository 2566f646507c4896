/*
 * worker/sfi.h -- the walls of linear memory: slots, traps and the one way in.
 *
 * A slot is 4 GiB of address space plus a guard, so no 32-bit guest address
 * with any constant offset of the generated code leaves it: what is not mapped
 * faults, and the fault becomes a trap. sfi_enter() is the only way into guest
 * code and the place where every trap, hard deadline and stack overflow lands.
 *
 * This file replaces wabt's wasm-rt-impl.c, whose signal handler and jump
 * buffer know one instance and whose free leaks the reservation.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include <stdint.h>

enum trap {
    TRAP_NONE,
    TRAP_MEMORY,       /* an address outside of the linear memory */
    TRAP_STACK,        /* the native stack ran out */
    TRAP_ENGINE,       /* unreachable, bad indirect call, division, ... */
    TRAP_DEADLINE,     /* the hard timer fired in guest code */
    TRAP_STOP,         /* the host itself ended the run (sfi_stop()) */
};
const char *trap_text(enum trap t);

#define SFI_SLOT_BYTES  ((uint64_t)4 << 30)
#define SFI_GUARD_BYTES ((uint64_t)16 << 20)    /* largest static offset: 1.2 MB */
enum { SFI_PAGE = 4096, SFI_WASM_PAGE = 65536 };

/* Once per process: signal handlers on a stack of their own. */
int  sfi_init(struct err *e);

/* Address space for one linear memory, all of it unreachable, or NULL. */
uint8_t *sfi_slot_new(void);
void     sfi_slot_free(uint8_t *slot);

/* Run fn(arg) as guest code. Returns TRAP_NONE when fn returned; otherwise the
 * cell's memory is in an unknown state and must be reset. Not re-entrant. */
enum trap sfi_enter(void (*fn)(void *), void *arg);

/* From an import: leave guest code now, for good. */
_Noreturn void sfi_stop(void);
_Noreturn void sfi_trap(enum trap t);

/*
 * From a signal handler, with its third argument: jump out with TRAP_DEADLINE
 * if the engine's own code was interrupted. Returns if it was anything else:
 * an import at work on host state must not be left half-way. It leaves by
 * itself, at its end, with sfi_leave(): else a builtin that spends its time in
 * one long copy after the other would never be caught in engine code.
 */
void sfi_deadline(void *context);
void sfi_leave(void);

/* From now on guest addresses mean this memory. */
void sfi_use(uint8_t *memory);
/* "fast" or "plain", and why. */
const char *sfi_build(void);

/*
 * Called for a write fault inside the slot in use, before it counts as a trap:
 * returns 1 if the page was made writable. Set by image.c.
 */
extern int (*sfi_on_fault)(uint8_t *address);
/* Called when the guest asks for more memory than it may have; gives the
 * number of wasm pages that are allowed now. Set by meter.c. */
extern uint32_t (*sfi_on_grow)(uint32_t pages_now, uint32_t pages_wanted);
