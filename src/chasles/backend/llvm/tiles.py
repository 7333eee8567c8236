"""Tiles of W rows, read as columns and written from them: at most W numbers of each row, side by side in memory.

Inside pieces of 16 bytes all machines shuffle by one cheap instruction, so that matrices of w x w numbers there, one in
each piece of w vectors, are transposed first:

    v' = interleave(v_0, v_{w/2}), interleave(v_1, v_{1+w/2}), ...,   log2(w) times              (1)

Then rounds exchange pieces between vectors, or, where a row is shorter than a vector, pieces of several rows are put
together in loading and taken apart in storing, no more of them than there are columns. Memory beside a row is not
touched: a last piece overlaps its neighbour.
"""

from chasles.backend.llvm.vector import Vector

PIECE = 16  # bytes inside which machines exchange numbers, and in units of which they move them across


def load_columns(b: Vector, rows: list[str], count: int) -> list[str]:
    """The first `count` columns of the W rows at these addresses."""
    if count == b.lanes:
        return _transposed(b, [b.load_row(row, count) for row in rows])
    w, starts = _pieces(b, count)
    found: dict[int, str] = {}
    for start in starts:
        pieces = [b.load_row(b.address(row, start * b.bytes), w) for row in rows]
        found |= dict(enumerate(_turned(b, [_joined(b, pieces[j::w], w) for j in range(w)]), start))
    return [found[c] for c in range(count)]


def store_columns(b: Vector, values: list[str], rows: list[str]) -> None:
    """Values as the first columns of the W rows at these addresses."""
    count = len(values)
    w, starts = _pieces(b, count)
    if count == b.lanes or (b.target.masks and count > w):
        padded = [*values, *["poison"] * (b.lanes - count)]
        for value, row in zip(_transposed(b, padded), rows, strict=True):
            b.store_row(value, row, count)
        return
    for start in starts:
        for j, value in enumerate(_turned(b, values[start : start + w])):
            for r in range(j, b.lanes, w):
                piece = b.shuffle(value, "poison", list(range(r - j, r - j + w)))
                b.line(f"store {b.of(w)} {piece}, ptr {b.address(rows[r], start * b.bytes)}, align {b.bytes}")


def _pieces(b: Vector, count: int) -> tuple[int, list[int]]:
    """Pieces of so many columns: their width, a power of 2, and their first columns."""
    w = 1 << min(count, PIECE // b.bytes).bit_length() - 1
    return w, [min(start, count - w) for start in range(0, count, w)]


def _joined(b: Vector, pieces: list[str], width: int) -> str:
    """Vectors of so many lanes, one after another, as one of W."""
    while len(pieces) > 1:
        pairs = zip(pieces[::2], pieces[1::2], strict=True)
        pieces, width = [b.shuffle(x, y, list(range(2 * width)), width) for x, y in pairs], 2 * width
    return pieces[0]


def _turned(b: Vector, v: list[str]) -> list[str]:
    """w vectors, the w x w matrices in them transposed."""
    w, W = len(v), b.lanes
    low = [of + start + k for start in range(0, W, w) for k in range(w // 2) for of in (0, W)]
    high = [k + w // 2 for k in low]
    for _ in range(w.bit_length() - 1):
        v = [b.shuffle(x, y, mask) for x, y in zip(v, v[w // 2 :], strict=False) for mask in (low, high)]  # (1)
    return v


def _transposed(b: Vector, v: list[str]) -> list[str]:
    """W vectors: lane j of vector i is lane i of vector j."""
    W, d = b.lanes, PIECE // b.bytes
    v = [x for start in range(0, W, d) for x in _turned(b, v[start : start + d])]
    while d < W:
        low = [lane if not lane & d else W + lane - d for lane in range(W)]
        high = [lane + d if not lane & d else W + lane for lane in range(W)]
        for i in range(W):
            if not i & d:
                v[i], v[i + d] = b.shuffle(v[i], v[i + d], low), b.shuffle(v[i], v[i + d], high)
        d *= 2
    return v
