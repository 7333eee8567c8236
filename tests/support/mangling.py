"""Files with something wrong: mutations of right ones, for Hypothesis.

A mutation puts an odd number for one, or another quoted word for one, deletes, repeats, swaps or replaces tokens, moves
a stretch of lines, changes bytes, or cuts the end off.
"""

import re

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

ODD = [
    *("0", "-0", "-1", "1e-320", "1e-30", "1e-9", "1e9", "1e30", "1e31", "-1e308", "1e309", "1e999999", "nan", "-nan"),
    *("inf", "-inf", "+5", "00", "1.", ".5", "1e", "0x10", "0x1p9", "1_0", "1,5", "--1", "9" * 30, "9" * 400, "", "''"),
    *("3.14159265358979", "90", "1e4", "1e5", "4294967296", "9223372036854775808", "-2147483649", "true", "\u0661"),
]
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?(?![\w.])")
_WORD = re.compile(r'"[^"\n]*"')
_TOKEN = re.compile(r"\s+|[\w.+-]+|.", re.DOTALL)
_NUMBERS = st.sampled_from(ODD) | st.floats().map(repr) | st.integers().map(str)
_TEXT = st.text(max_size=3)


@st.composite
def mangled(draw, samples, pieces):
    """Text or bytes, one of the samples with one to five mutations; pieces: what may be put in."""
    text = draw(st.sampled_from(samples))
    for _ in range(draw(st.integers(1, 5))):
        text = draw(st.sampled_from(_DEEDS))(draw, text, pieces)
    if draw(st.integers(0, 9)):
        return text
    data = text.encode("utf-8", "surrogatepass")
    at = draw(st.integers(0, len(data)))
    return data[:at] + draw(st.binary(max_size=4)) + data[at + draw(st.integers(0, 3)) :]


def _number(draw, text, _):
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    match = draw(st.sampled_from(found))
    other = draw(_NUMBERS)
    return text[: match.start()] + other + text[match.end() :]


def _word(draw, text, _):
    found = list(_WORD.finditer(text))
    if not found:
        return text
    one, other = (draw(st.sampled_from(found)) for _ in range(2))
    return text[: one.start()] + (other[0] if draw(st.integers(0, 3)) else '""') + text[one.end() :]


def _token(draw, text, pieces):
    tokens = _TOKEN.findall(text)
    if not tokens:
        return text
    i, j = (draw(st.integers(0, len(tokens) - 1)) for _ in range(2))
    deed = draw(st.integers(0, 4))
    if deed == 0:
        del tokens[i : i + draw(st.integers(1, 6))]
    elif deed == 1:
        tokens[i:i] = tokens[j : j + draw(st.integers(1, 12))]
    elif deed == 2:
        tokens[i], tokens[j] = tokens[j], tokens[i]
    elif deed == 3:
        tokens[i] = draw(st.sampled_from(pieces) | _TEXT)
    else:
        tokens.insert(i, draw(st.sampled_from(pieces)))
    return "".join(tokens)


def _lines(draw, text, _):
    lines = text.split("\n")
    i, j, k = (draw(st.integers(0, len(lines))) for _ in range(3))
    stretch = lines[min(i, j) : max(i, j)]
    if draw(st.booleans()):
        del lines[min(i, j) : max(i, j)]
    if draw(st.booleans()):
        lines[k:k] = stretch
    return "\n".join(lines)


def _cut(draw, text, _):
    return text[: draw(st.integers(0, len(text)))] if draw(st.integers(0, 3)) == 0 else text


_DEEDS = [_number, _number, _number, _number, _word, _word, _token, _lines, _cut]


def fuzz(examples):
    return settings(max_examples=examples, suppress_health_check=list(HealthCheck))
