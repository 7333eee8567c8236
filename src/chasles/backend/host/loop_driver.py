"""Loops (graph/program.py) run by a driver that is compiled once, as functions of words.

    drive(args, steps, start, stop, part)     rows start..stop, one thread: the range function of every loop

The step of the loop is an ordinary kernel of W rows; it is called on W lanes, each the state of one row. A lane whose
row has stopped takes the next row, so that lanes wait for nothing. In a search (restart) a lane whose attempt is over
begins the row's next one, or the next row; when there are no more, it takes a further attempt of a row that is still
open: W attempts of one row, or W rows. The first attempt by its number counts, so what a row gives does not depend on
its neighbours, its place or the number of threads.
"""

import struct

from chasles.backend.host.batches import clear_flags, flag_functions
from chasles.backend.host.interruption import FUNCTIONS as INTERRUPTION
from chasles.backend.host.interruption import OWN_CONTEXT, called_off, is_off
from chasles.backend.host.loop_words import (
    ATTEMPT,
    ATTEMPTS,
    BYTES,
    CARRIED,
    COUNT,
    EACH,
    GIVEN,
    LANES,
    LOOK_EVERY,
    OPERANDS,
    RECORDED,
    SCORE,
    SCORE_RESULT,
    SIZES,
    STEP,
    UNTIL,
    UNTIL_RESULT,
)
from chasles.backend.host.words import (
    Word,
    address,
    call,
    integer_of,
    module,
    number,
    number_below,
    number_equal,
    number_of,
    put_number,
    stack,
)
from chasles.backend.llvm.target import Target
from chasles.graph.program import Status

# the state of a drive
ARGS, STEPS, CONTEXT, LANE_ARGS, LANE_STEPS, BOOK, NEXT_ROW, STOP, STATE = range(9)

# the book: of a lane its slot, attempt and iterations; of a slot its row and how far its attempts are
SLOT, NUMBER, TAKEN, ROW, NEXT, RUNNING, ACCEPTED, LIMIT, BEST, BEST_NUMBER, FIELDS = range(11)

NONE = 1 << 62  # no attempt has been accepted
INFINITY = 0x7FF0000000000000
FOUND = struct.unpack("<q", struct.pack("<d", Status.FOUND))[0]
REFUSED = struct.unpack("<q", struct.pack("<d", Status.REFUSED))[0]


def copy(to: Word, source: Word, size: Word) -> Word:
    return call(address("memcpy"), to, source, size)


def row_of(s: Word, operand: Word, row: Word) -> Word:
    """Where a row of an operand of the loop is."""
    return s[ARGS][operand] + row * s[STEPS][operand]


def lane_of(s: Word, operand: Word, lane: Word) -> Word:
    """Where a lane of an operand of the step is."""
    return s[LANE_ARGS][operand] + lane * s[LANE_STEPS][operand]


def at(s: Word, field: Word, lane: Word) -> Word:
    """Where a number of the book is."""
    return s[BOOK] + 8 * (field * s[CONTEXT][LANES] + lane)


def listed(s: Word, which: Word) -> Word:
    """Where the words of a list of the context begin."""
    return s[CONTEXT] + 8 * s[CONTEXT][which + 1]


def load(s: Word, lane: Word, row: Word, attempt: Word) -> Word:
    """A lane is at the start of an attempt of a row."""
    c = s[CONTEXT]
    p = listed(s, CARRIED)
    for _ in range(c[CARRIED]):
        copy(lane_of(s, p[0], lane), row_of(s, p[2], row), p[4])
        p += 40
    p = listed(s, GIVEN)
    for _ in range(c[GIVEN]):
        copy(lane_of(s, p[0], lane), row_of(s, p[1], row), p[2])
        p += 24
    if c[ATTEMPT] >= 0:
        put_number(lane_of(s, c[ATTEMPT], lane), c[BYTES], number_of(attempt))
    at(s, TAKEN, lane)[0] = 0
    slices(s, lane, row)
    return 0


def slices(s: Word, lane: Word, row: Word) -> Word:
    """What comes with the lane's iteration."""
    p = listed(s, EACH)
    for _ in range(s[CONTEXT][EACH]):
        copy(lane_of(s, p[0], lane), row_of(s, p[1], row) + at(s, TAKEN, lane)[0] * p[2], p[2])
        p += 24
    return 0


def open_row(s: Word, slot: Word, row: Word) -> Word:
    """Give a slot a row; until something better is known its result is where it starts."""
    c = s[CONTEXT]
    at(s, ROW, slot)[0] = row
    at(s, NEXT, slot)[0] = 0
    at(s, RUNNING, slot)[0] = 0
    at(s, ACCEPTED, slot)[0] = NONE
    at(s, BEST, slot)[0] = INFINITY
    at(s, BEST_NUMBER, slot)[0] = NONE
    at(s, LIMIT, slot)[0] = integer_of(number(row_of(s, c[ATTEMPTS], row), c[BYTES])) if c[ATTEMPTS] >= 0 else 1
    p = listed(s, CARRIED)
    for _ in range(c[CARRIED]):
        copy(row_of(s, p[3], row), row_of(s, p[2], row), p[4])
        p += 40
    if c[UNTIL] >= 0:
        put_number(row_of(s, c[UNTIL_RESULT], row), c[BYTES], 0)
    if c[SCORE] >= 0:
        put_number(row_of(s, c[SCORE_RESULT], row), c[BYTES], INFINITY)
    p = listed(s, RECORDED)
    for _ in range(c[RECORDED]):
        call(address("memset"), row_of(s, p[1], row), 0, p[2] * c[COUNT])
        p += 24
    return 0


def take(s: Word, lane: Word, slot: Word) -> Word:
    """A lane begins the next attempt of a slot."""
    attempt = at(s, NEXT, slot)[0]
    at(s, NEXT, slot)[0] = attempt + 1
    at(s, RUNNING, slot)[0] += 1
    at(s, SLOT, lane)[0] = slot
    at(s, NUMBER, lane)[0] = attempt
    load(s, lane, at(s, ROW, slot)[0], attempt)
    return 0


def open_still(s: Word, slot: Word) -> Word:
    return at(s, ACCEPTED, slot)[0] == NONE and at(s, NEXT, slot)[0] < at(s, LIMIT, slot)[0]


def assign(s: Word, lane: Word) -> Word:
    """An idle lane goes on with its own slot, opens the next row in it, or helps the slot with the fewest lanes."""
    if open_still(s, lane):
        return take(s, lane, lane)
    if s[NEXT_ROW] < s[STOP]:
        open_row(s, lane, s[NEXT_ROW])
        s[NEXT_ROW] += 1
        return take(s, lane, lane)
    chosen = -1
    fewest = NONE
    for k in range(s[CONTEXT][LANES]):
        if open_still(s, k) and at(s, RUNNING, k)[0] < fewest:
            chosen = k
            fewest = at(s, RUNNING, k)[0]
    if chosen >= 0:
        take(s, lane, chosen)
    return 0


def keep(s: Word, lane: Word, row: Word) -> Word:
    """What a lane has becomes the result of its row."""
    c = s[CONTEXT]
    p = listed(s, CARRIED)
    for _ in range(c[CARRIED]):
        copy(row_of(s, p[3], row), lane_of(s, p[1], lane), p[4])
        p += 40
    if c[UNTIL] >= 0:
        copy(row_of(s, c[UNTIL_RESULT], row), lane_of(s, c[UNTIL], lane), c[BYTES])
    if c[SCORE] >= 0:
        copy(row_of(s, c[SCORE_RESULT], row), lane_of(s, c[SCORE], lane), c[BYTES])
    return 0


def finish(s: Word, lane: Word, status: Word) -> Word:
    """A lane's attempt has ended; attempts after one that is accepted are called off."""
    c = s[CONTEXT]
    slot = at(s, SLOT, lane)[0]
    row = at(s, ROW, slot)[0]
    attempt = at(s, NUMBER, lane)[0]
    at(s, SLOT, lane)[0] = -1
    at(s, RUNNING, slot)[0] -= 1
    if c[ATTEMPT] >= 0 and number_equal(status, FOUND) == 0 and number_equal(status, REFUSED) == 0:
        score = number(lane_of(s, c[SCORE], lane), c[BYTES])
        best = at(s, BEST, slot)[0]
        first = number_equal(score, best) and attempt < at(s, BEST_NUMBER, slot)[0] and score != INFINITY
        if at(s, ACCEPTED, slot)[0] == NONE and (number_below(score, best) or first):
            at(s, BEST, slot)[0] = score
            at(s, BEST_NUMBER, slot)[0] = attempt
            keep(s, lane, row)
        return 0
    if attempt < at(s, ACCEPTED, slot)[0]:
        at(s, ACCEPTED, slot)[0] = attempt
        keep(s, lane, row)
        for k in range(c[LANES]):
            if at(s, SLOT, k)[0] == slot and at(s, NUMBER, k)[0] > attempt:
                at(s, SLOT, k)[0] = -1
                at(s, RUNNING, slot)[0] -= 1
    return 0


def stepped(s: Word, lane: Word) -> Word:
    """After an iteration of a lane: its records, and whether it has ended."""
    c = s[CONTEXT]
    row = at(s, ROW, at(s, SLOT, lane)[0])[0]
    taken = at(s, TAKEN, lane)[0]
    p = listed(s, RECORDED)
    for _ in range(c[RECORDED]):
        copy(row_of(s, p[1], row) + taken * p[2], lane_of(s, p[0], lane), p[2])
        p += 24
    at(s, TAKEN, lane)[0] = taken + 1
    status = number(lane_of(s, c[UNTIL], lane), c[BYTES]) if c[UNTIL] >= 0 else 0
    if number_equal(status, 0) == 0 or taken + 1 == c[COUNT]:
        finish(s, lane, status)
        return 1
    p = listed(s, CARRIED)
    for _ in range(c[CARRIED]):
        copy(lane_of(s, p[0], lane), lane_of(s, p[1], lane), p[4])
        p += 40
    slices(s, lane, row)
    return 0


def drive(args: Word, steps: Word, start: Word, stop: Word, part: Word) -> Word:
    if start >= stop:
        return 0
    context = part[OWN_CONTEXT]
    lanes = context[LANES]
    operands = context[OPERANDS]
    total = 0
    for k in range(operands):
        total += (context[SIZES + k] * lanes + 63) & -64
    fixed = (8 * (3 * operands + FIELDS * lanes) + 127) & -64
    raw = call(address("malloc"), fixed + total + 64)
    call(address("memset"), raw, 0, fixed + total + 64)
    s = stack(STATE)
    s[ARGS] = args
    s[STEPS] = steps
    s[CONTEXT] = context
    s[LANE_ARGS] = raw
    s[LANE_STEPS] = raw + 8 * operands
    s[BOOK] = raw + 24 * operands
    s[NEXT_ROW] = start
    s[STOP] = stop
    place = (raw + fixed) & -64
    for k in range(operands):
        s[LANE_ARGS][k] = place
        s[LANE_STEPS][k] = context[SIZES + k]
        s[LANE_STEPS][operands + k] = context[BYTES]
        place += (context[SIZES + k] * lanes + 63) & -64
    for lane in range(lanes):
        at(s, SLOT, lane)[0] = -1
        load(s, lane, start, 0)  # what no row takes does what the first one does
    every = context[LOOK_EVERY]
    taken = 0
    stopped = is_off(part)
    while stopped == 0 and fill_idle_lanes(s):
        ended = 0
        while ended == 0 and stopped == 0:
            call(context[STEP], s[LANE_ARGS], s[LANE_STEPS], 0, lanes, part)
            for lane in range(lanes):
                if at(s, SLOT, lane)[0] >= 0:
                    ended += stepped(s, lane)
            taken += 1
            if taken & (every - 1) == 0:
                stopped = called_off(part, every, every)
    call(address("free"), raw)
    if stopped or context[ATTEMPT] >= 0:
        clear_flags()  # what attempts in vain have raised
    return 0


def fill_idle_lanes(s: Word) -> Word:
    """Give the idle lanes something to do; whether any lane has it."""
    busy = 0
    for lane in range(s[CONTEXT][LANES]):
        if at(s, SLOT, lane)[0] < 0:
            assign(s, lane)
        if at(s, SLOT, lane)[0] >= 0:
            busy = 1
    return busy


FUNCTIONS = (
    *INTERRUPTION,
    *(copy, row_of, lane_of, at, listed, load, slices, open_row, take, open_still, assign),
    *(keep, finish, stepped, fill_idle_lanes, drive),
)

SMALL = (copy, row_of, lane_of, at, listed, open_still)


def driver(target: Target) -> str:
    """The IR of the driver for a machine."""
    return f'target triple = "{target.triple}"\n' + module(
        FUNCTIONS, ("drive",), flag_functions(target), FUNCTIONS, SMALL
    )
