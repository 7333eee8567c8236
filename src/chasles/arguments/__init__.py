"""Arguments of public functions, checked: one function for each kind of thing that is given.

    number positive not_negative between    a float                 numbers.py
    count steps index flag                  an int, a bool
    real array vector values                arrays of numbers       arrays.py
    broadcast together                      leading axes
    pose poses direction point pairs        rigid motions, axes     motions.py
    text name names file one_of chosen      words                   words.py
    function generator instance             other objects           objects.py
    sequence mapping

Each takes what was given and `what` it is, such as "geodesic: duration", and returns it as the library computes with
it. What is none is refused by that name, with what was expected and what was given. Numbers, words and objects are
refused by ModelError, arrays by ShapeError but where they are not finite, or `error` says otherwise. An array that is
one already is not copied.

Refused wherever numbers are meant: None, text, complex numbers, dates, masked arrays, np.matrix, objects, rows of
different lengths, more than 32 dimensions and integers beyond the range of floats. Symbols pass where `symbols` says
so; the graph registers their type (`leaves.py`).
"""

from chasles.arguments.arrays import array, broadcast, real, together, values, vector
from chasles.arguments.leaves import refuse_foreign, register, shown
from chasles.arguments.motions import direction, pairs, point, pose, poses
from chasles.arguments.numbers import (
    between,
    count,
    flag,
    index,
    is_number,
    is_whole,
    not_negative,
    number,
    positive,
    refuse_beyond_memory,
    steps,
)
from chasles.arguments.objects import function, generator, instance, mapping, sequence
from chasles.arguments.words import chosen, file, folders, name, names, one_of, text

__all__ = [
    "array",
    "between",
    "broadcast",
    "chosen",
    "count",
    "direction",
    "file",
    "flag",
    "folders",
    "function",
    "generator",
    "index",
    "instance",
    "is_number",
    "is_whole",
    "mapping",
    "name",
    "names",
    "not_negative",
    "number",
    "one_of",
    "pairs",
    "point",
    "pose",
    "poses",
    "positive",
    "real",
    "refuse_beyond_memory",
    "refuse_foreign",
    "register",
    "sequence",
    "shown",
    "steps",
    "text",
    "together",
    "values",
    "vector",
]
