#!/usr/bin/env python3
"""tools/engine/rewrite.py -- make wasm2c's C of the engine fast.

usage: rewrite.py IN.c OUT.c [--interpreter WASM]

Four rewrites, each anchored to text that must be found exactly as often as it
says here; anything else is an error, because a pattern that moved after a
version bump must not be guessed at (flavour.sh then says so, and the engine is
built as wasm2c wrote it):

  gs        linear memory is addressed through %gs instead of a base register
  dispatch  the interpreter's one switch becomes a computed goto at every site
            (only with --interpreter: the module that holds the interpreter)
  bulk      the few real uses of memcpy and its like get names of ours
            (src/worker/sfi.c), so that one in the object can only have been
            invented by the compiler. gcc turns a loop over %gs memory into a
            memcpy that forgets the segment: check_object.sh looks for them,
            and for vectors; the one function that fills host memory uses none
  ice       one cold function is not optimised: gcc 12 to 14 crash on it otherwise

None of them changes what the program computes or which addresses it may touch:
%gs holds the base of a slot of 4 GiB and a guard, exactly as memory.data did,
and all 256 entries of the goto table are labels of the same function.

SPDX-License-Identifier: MIT
"""
import re
import struct
import sys

from leb import uleb

GS_MACROS = """\
#undef DEFINE_LOAD
#undef DEFINE_STORE
#define DEFINE_LOAD(name, t1, t2, t3, ...)                                   \\
  typedef t1 name##_cell __attribute__((aligned(1), may_alias));             \\
  static inline __attribute__((always_inline)) t3 name(wasm_rt_memory_t* mem, \\
                                                       u64 addr) {           \\
    (void)mem;                                                               \\
    return (t3)(t2) * (const name##_cell __seg_gs*)(uintptr_t)addr;          \\
  }
#define DEFINE_STORE(name, t1, t2)                                           \\
  typedef t1 name##_cell __attribute__((aligned(1), may_alias));             \\
  static inline __attribute__((always_inline)) void name(                    \\
      wasm_rt_memory_t* mem, u64 addr, t2 value) {                           \\
    (void)mem;                                                               \\
    *(name##_cell __seg_gs*)(uintptr_t)addr = (t1)value;                     \\
  }

"""


class NotFound(Exception):
    """A pattern is not where this script was taught to look for it."""


def address_through_gs(text):
    """Redefine the macros that define the accessors, just before their use."""
    known = ("#define DEFINE_LOAD(name, t1, t2, t3",
             "#define DEFINE_STORE(name, t1, t2)")
    use = "\nDEFINE_LOAD(i32_load, u32, u32, u32"
    if not all(k in text for k in known) or text.count(use) != 1:
        raise NotFound("gs: the load and store macros")
    return text.replace(use, "\n" + GS_MACROS + use[1:])


def initial_memory(wasm):
    """The linear memory as the data segments leave it."""
    data = open(wasm, "rb").read()
    memory = bytearray(64 << 16)
    at = 8
    while at < len(data):
        section = data[at]
        size, at = uleb(data, at + 1)
        end = at + size
        if section == 11:
            count, at = uleb(data, at)
            for _ in range(count):
                kind, at = uleb(data, at)
                if kind != 0 or data[at] != 0x41:
                    raise NotFound("dispatch: an active segment at a constant")
                offset, at = uleb(data, at + 1)
                if data[at] != 0x0B:
                    raise NotFound("dispatch: the end of a segment's offset")
                length, at = uleb(data, at + 1)
                memory[offset:offset + length] = data[at:at + length]
                at += length
        at = end
    return memory


SWITCH = re.compile(
    r"(\w+_L\d+): \n((?:(?!_L\d+:).){0,700}?)switch \((\w+)\) \{\n"
    r"((?:\s*case \d+: goto \w+;\n)+)\s*default: goto (\w+);\n\s*\}\n", re.S)

# opcode byte -> u32 in a table in memory -> minus a bias -> switch
FETCH = re.compile(
    r"^(.*?(\w+) = i32_load8_u\([^\n]*\n\s*(\w+) = \2;\n)\s*(\w+) = 2u;\n"
    r"\s*\2 <<= \(\4 & 31\);\n"
    r"\s*\2 = i32_load\(&instance->w2c_memory, \(u64\)\(\2\) \+ (\d+)u\);\n"
    r"\s*(\w+) = (\d+)u;\n\s*\2 -= \6;\n\s*$", re.S)


def dispatch_by_goto(text, memory):
    found = [m for m in SWITCH.finditer(text) if m.group(4).count("case ") > 200]
    if len(found) != 1:
        raise NotFound("dispatch: one switch of more than 200 cases")
    switch = found[0]
    label, before, _, cases, default = switch.groups()
    fetch = FETCH.match(before)
    if not fetch:
        raise NotFound("dispatch: how an opcode is fetched and mapped")
    head, _, opcode, _, table, _, bias = fetch.groups()
    targets = [name for _, name in re.findall(r"case (\d+): goto (\w+);", cases)]
    mapped = struct.unpack("<256I", memory[int(table):int(table) + 1024])
    index = [(m - int(bias)) & 0xFFFFFFFF for m in mapped]
    entries = [targets[i] if i < len(targets) else default for i in index]

    start = text.rindex("\n}\n", 0, switch.start()) + 2
    end = text.index("\n}\n", switch.end())
    body = text[start:end]
    body = (body[:switch.start() - start] + label + ": DISPATCH\n" +
            body[switch.end() - start:])
    sites = body.count("goto %s;" % label)
    if sites < 200:
        raise NotFound("dispatch: a goto at the end of each opcode")
    body = body.replace("goto %s;" % label, "{DISPATCH}")
    macro = "\n#define DISPATCH " + " ".join(
        line.strip() for line in
        (head + "goto *dispatch_table[(u8)%s];" % opcode).split("\n"))
    at = body.index("{\n") + 2
    table_text = "static const void* const dispatch_table[256] = {%s};\n" % (
        ",".join("&&" + e for e in entries))
    return text[:start] + macro + body[:at] + table_text + body[at:] + text[end:]


# what stands there, what shall, and how often it may: versions of wasm2c differ
BULK = [
    (r"\n  (?:wasm_rt_)?memcpy\((dest, src, n)\);", r"\n  sfi_copy(\1);", (1, 2)),
    (r"\n  memset\((mem->data \+ d|MEM_ADDR\(mem, d, n\)), val, n\);",
     r"\n  sfi_fill(\1, val, n);", (1,)),
    (r"\n  memmove\((dest->data \+ dest_addr, src->data \+ src_addr|"
     r"MEM_ADDR\(dest, dest_addr, n\), MEM_ADDR\(src, src_addr, n\)), n\);",
     r"\n  sfi_move(\1, n);", (1,)),
    (r"\bmemcmp\((a, b, 32)\)", r"sfi_differ(\1)", (0, 1)),
    (r"\nstatic inline (void funcref_table_init)\(", r"\nHOST_ONLY static \1(", (1,)),
]
BULK_NAMES = """
void sfi_copy(void* to, const void* from, size_t n);
void sfi_move(void* to, const void* from, size_t n);
void sfi_fill(void* to, int byte, size_t n);
int sfi_differ(const void* a, const void* b, size_t n);
#define HOST_ONLY __attribute__((noinline, target("general-regs-only")))

#define TRAP(x)"""


def name_bulk(text):
    for old, new, times in BULK:
        text, count = re.subn(old, new, text)
        if count not in times:
            raise NotFound("bulk: what becomes " + new.strip())
    if text.count("\n#define TRAP(x)") != 1:
        raise NotFound("bulk: the head of the file")
    return text.replace("\n#define TRAP(x)", BULK_NAMES)


def spare_gcc(text):
    text, count = re.subn(
        r"\n((?:static u32 w2c_JS_NewRuntime2|u32 w2c_qjs_JS_NewRuntime2_0)\([^;]*\{)",
        r'\n__attribute__((optimize("O0"))) \1', text)
    if count != 1:
        raise NotFound("ice: JS_NewRuntime2")
    return text


def main(argv):
    source, target = argv[1:3]
    text = name_bulk(address_through_gs(open(source).read()))
    if len(argv) == 5 and argv[3] == "--interpreter":
        text = dispatch_by_goto(text, initial_memory(argv[4]))
        text = spare_gcc(text)
    open(target, "w").write(text)


try:
    main(sys.argv)
except NotFound as problem:
    sys.exit("rewrite.py does not find %s" % problem)
