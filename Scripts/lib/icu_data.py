"""Writes an object file with the part of ICU's data that the programs need, for the link of Scripts/package.

    icu_data.py STATIC_LIBRARY OBJECT

The toolchain's static library has 34 MB of data, for all languages. The programs print English, and need the rules of the time
zones. The result has English, the root of every tree of languages, and the tables that belong to no language; for another
language ICU takes the root. Docs/Decisions/0037 explains it. Prints the linker's option that puts the object in the place of
the library's data; the unused data is not linked then. Standard error gets the number of tables, and the bytes.
"""

import os
import re
import struct
import subprocess
import sys
import tempfile

# Tables that belong to no language and that nothing here asks for: character sets other than Unicode's, dictionaries that break
# lines of Asian languages, transliteration, names of characters, profiles of stringprep.
DROPPED = re.compile(r".*\.cnv|brkitr/.*\.dict|brkitr/.*_cj\.brk|translit/.*|unames\.icu|.*\.spp")

# Tables of a language are `en_GB.res`, alone or in a folder.
LANGUAGE = re.compile(r"(?:\w+/)?(?!res_index)([a-z]{2,3})(?:_\w+)?\.res")

KEPT_LANGUAGES = {"en"}

# The name of the data in the object.
SYMBOL = "strata_icu_data"

# Between tables, as ICU writes it.
PADDING = b"\xaa"


def tables(data):
    """`{name: bytes}` of a package of ICU's format `CmnD`, and its header."""
    size, magic, order, kind = struct.unpack_from("<H", data)[0], data[2:4], data[8], data[12:16]
    if magic != b"\xda\x27" or order != 0 or kind != b"CmnD":
        sys.exit("The data of ICU does not begin with the header of a little-endian package.")
    (count,) = struct.unpack_from("<I", data, size)
    entries = [struct.unpack_from("<II", data, size + 4 + 8 * index) for index in range(count)]
    ends = [offset for _, offset in entries[1:]] + [len(data) - size]
    found = {}
    for (name, start), end in zip(entries, ends):
        name = data[size + name:data.index(b"\0", size + name)].decode("ascii")
        found[name] = data[size + start:size + end]
    return data[:size], found


def package(header, found):
    """The bytes of a package with these tables, which ICU searches by name."""
    names = sorted(found, key=str.encode)
    start, texts, offsets = 4 + 8 * len(names), b"", []
    for name in names:
        offsets.append(start + len(texts))
        texts += name.encode("ascii") + b"\0"
    body, entries = b"", []
    base = -(-(start + len(texts)) // 16) * 16
    for name, offset in zip(names, offsets):
        entries.append(struct.pack("<II", offset, base + len(body)))
        body += found[name] + PADDING * (-len(found[name]) % 16)
    head = struct.pack("<I", len(names)) + b"".join(entries) + texts
    return header + head + PADDING * (base - len(head)) + body


def is_kept(name):
    path = name.split("/", 1)[1]
    language = LANGUAGE.fullmatch(path)
    if DROPPED.fullmatch(path):
        return False
    return language is None or language.group(1) in KEPT_LANGUAGES


def main(library, result):
    with tempfile.TemporaryDirectory() as folder:
        member = "icu_packaged_data.cpp.o"
        subprocess.run(["ar", "x", os.path.abspath(library), member], cwd=folder, check=True)
        names = subprocess.run(
            ["nm", "--defined-only", member], cwd=folder, check=True, capture_output=True, text=True).stdout.split()
        if len(names) != 3:
            sys.exit(f"'{member}' defines other things than the data: {' '.join(names)}.")
        subprocess.run(["objcopy", "-O", "binary", "-j", ".rodata", member, "all"], cwd=folder, check=True)
        with open(os.path.join(folder, "all"), "rb") as file:
            data = file.read()
        header, found = tables(data)
        kept = {name: table for name, table in found.items() if is_kept(name)}
        if package(header, found) != data:
            sys.exit("A package of all tables is not equal to the original: the format is another one.")
        small = package(header, kept)
        with open(os.path.join(folder, "small"), "wb") as file:
            file.write(small)
        source = os.path.join(folder, "data.s")
        with open(source, "w", encoding="ascii") as file:
            file.write(
                f'.section .rodata,"a",@progbits\n.balign 16\n.globl {SYMBOL}\n.type {SYMBOL}, @object\n{SYMBOL}:\n'
                f'.incbin "{os.path.join(folder, "small")}"\n.size {SYMBOL}, .-{SYMBOL}\n'
                '.section .note.GNU-stack,"",@progbits\n')
        subprocess.run(["cc", "-c", "-o", result, source], check=True)
    print(f"    ICU: {len(kept)} of {len(found)} tables, {len(small):,} of {len(data):,} bytes", file=sys.stderr)
    print(f"--defsym={names[2]}={SYMBOL}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
