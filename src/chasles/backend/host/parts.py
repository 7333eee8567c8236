"""Modules of IR in parts, each compiled by itself: a compile of many seconds can be left between two of them.

A part has some of the module's functions, declarations of the others, and all that is common. Functions are compiled
one by one in any case, so that the code is the same.
"""

import itertools
import re
import struct

PART = 100_000  # characters of IR: a fraction of a second
_PACKED = b"chasles parts\n"

_BOUNDARY = re.compile(r"\n\n(?=define |declare |target |[@!])")
_HEADER = re.compile(r"define (?:internal )?(.*?@\w+\(.*\).*?) \{")


def split(ir: str) -> list[str]:
    """The parts of a module; one that is small is its own."""
    if len(ir) < 2 * PART:
        return [ir]
    blocks = _BOUNDARY.split(ir)
    functions = [block for block in blocks if block.startswith("define ")]
    common = [block for block in blocks if not block.startswith("define ")]
    groups: list[list[str]] = [[]]
    for function in functions:
        if groups[-1] and sum(map(len, groups[-1])) + len(function) > PART:
            groups.append([])
        groups[-1].append(function)
    return [_part(k, group, functions, common) for k, group in enumerate(groups)]


def _part(k: int, group: list[str], functions: list[str], common: list[str]) -> str:
    """Part k: data is defined in the first, and functions are known to all."""
    data = [re.sub(r" = global (.*) zeroinitializer", r" = external global \1", x) if k else x for x in common]
    others = [f"declare {_signature(function)}" for function in functions if function not in group]
    own = [function.replace("define internal ", "define ", 1) for function in group]
    return "\n\n".join([*data, *others, *own]) + "\n"


def _signature(function: str) -> str:
    match = _HEADER.match(function)
    assert match, function[:200]
    return match.group(1)


def pack(objects: list[bytes]) -> bytes:
    """Object files as one; one alone is itself."""
    if len(objects) == 1:
        return objects[0]
    return _PACKED + struct.pack(f"<{1 + len(objects)}q", len(objects), *map(len, objects)) + b"".join(objects)


def unpack(code: bytes) -> list[bytes]:
    """The object files of what was packed."""
    if not code.startswith(_PACKED):
        return [code]
    (count,) = struct.unpack_from("<q", code, len(_PACKED))
    lengths = struct.unpack_from(f"<{count}q", code, len(_PACKED) + 8)
    ends = list(itertools.accumulate(lengths, initial=len(_PACKED) + 8 * (1 + count)))
    return [code[start:end] for start, end in itertools.pairwise(ends)]
