"""Programs as text: exact round trips, every rule refused by name, and nothing but ChaslesErrors from hostile text."""

import copy
import json
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_expressions import VARIABLES, evaluate, trees

from chasles.errors import ChaslesError, ProgramError
from chasles.graph.node import Expr, Graph
from chasles.graph.program import Operand, Program, Ref, flatten
from chasles.graph.serial import VERSION

X, Y = Operand("x", (2,)), Operand("y", ())
READ = (("input", (0, 0)), ("input", (0, 1)))


def bits(x):
    """A float as its bytes, but every nan the same."""
    return x if not isinstance(x, float) else "nan" if math.isnan(x) else struct.pack("d", x)


def same(p: Program, q: Program) -> bool:
    """Equal, and every float to the bit."""
    rows = [(*args,) for _, args in p.nodes] + list(p.results)
    others = [(*args,) for _, args in q.nodes] + list(q.results)
    ops = [op for op, _ in p.nodes] == [op for op, _ in q.nodes]
    return ops and [[*map(bits, r)] for r in rows] == [[*map(bits, r)] for r in others]


@given(st.lists(trees(), min_size=1, max_size=3))
def test_round_trips_are_exact(forest):
    graph = Graph()
    x = [graph.input(0, i) for i in range(VARIABLES)]
    try:
        row = [y if isinstance(y, Expr) else float(y) for y in (evaluate(tree, x) for tree in forest)]
    except (ChaslesError, ZeroDivisionError):  # of constants alone
        return
    p = flatten((Operand("x", (VARIABLES,)),), (Operand("y", (len(row),)),), [row])
    p.check()
    q = Program.from_json(p.to_json())
    assert same(p, q) and q.to_json() == p.to_json() and (q.inputs, q.outputs) == (p.inputs, p.outputs)


@given(st.floats())
def test_constants_are_exact(c):
    p = Program((), (Y,), (), ((c,),))
    (back,) = Program.from_json(p.to_json()).results[0]
    assert bits(back) == bits(c)


def of(*nodes, results=((0.0,),), inputs=(X,), outputs=(Y,), loops=()):
    return Program(inputs, outputs, (*READ, *nodes), results, loops)


class Twice:
    """Stands for a loop."""

    step = Program((), (), (), ())
    inputs = (Operand("a", (2,)),)
    outputs = (Operand("b", (3,)),)
    equation = None


class Broken(Twice):
    step = Program((), (), (("frobnicate", ()),), ())


class Long(Twice):
    outputs = (Operand("b", (2**40, 3)),)


RUN = ("loop", (0, Ref(0), 1.0))
LESS = ("less", (Ref(0), Ref(1)))
BROKEN = {
    "unknown operation": (of(("frobnicate", (Ref(0),))), r"node 2 \(frobnicate\): no such operation"),
    "operation never traced": (of(("tan", (Ref(0),))), r"\(tan\): no such operation"),
    "arity": (of(("add", (Ref(0),))), "takes 2 arguments, got 1"),
    "later node": (of(("neg", (Ref(3),)), ("neg", (Ref(0),))), "node 3 is not one of the 2 before it"),
    "itself": (of(("neg", (Ref(2),))), "node 2 is not one of the 2"),
    "negative node": (of(("neg", (Ref(-1),))), "node -1 is not"),
    "missing node": (of(results=((Ref(7),),)), "output 'y': node 7 is not one of the 2"),
    "condition as number": (of(LESS, ("neg", (Ref(2),))), "node 2 is a condition, not a number"),
    "condition as result": (of(LESS, results=((Ref(2),),)), "output 'y': node 2 is a condition, not a number"),
    "number as condition": (of(("not", (Ref(0),))), "node 0 is a number, not a condition"),
    "constant as condition": (of(("where", (1.0, Ref(0), 0.0))), "1.0 is a number, not a condition"),
    "integer as constant": (of(("neg", (1,))), "an argument is a Ref or a float, got 1"),
    "input": (of(("input", (1, 0))), "there is no input 1, of 1"),
    "element": (of(("input", (0, 2))), "there is no element of 'x' 2, of 2"),
    "indices": (of(("input", (0, 1.0))), "2 indices expected"),
    "too few numbers": (of(results=((),)), r"output 'y': 0 numbers for the shape \(\)"),
    "too few results": (of(results=()), "0 results for 1 outputs"),
    "inputs of one name": (of(inputs=(X, X)), "two inputs are called 'x'"),
    "outputs of one name": (of(outputs=(Y, Y), results=((0.0,), (0.0,))), "two outputs are called 'y'"),
    "no name": (of(inputs=(X, Operand("", ()))), "not empty"),
    "negative shape": (of(inputs=(X, Operand("z", (-1,)))), "input 'z': a shape is"),
    "huge shape": (of(inputs=(X, Operand("z", (2**40, 2**40)))), "input 'z': more than"),
    "deep shape": (of(inputs=(X, Operand("z", (1,) * 99))), "input 'z': a shape is"),
    "missing loop": (of(RUN), "there is no loop 0, of 0"),
    "arguments of a loop": (of(("loop", (0, Ref(0))), loops=(Twice(),)), "takes 2 arguments, got 1"),
    "loop as number": (of(RUN, ("neg", (Ref(2),)), loops=(Twice(),)), "node 2 is a loop, not a number"),
    "step": (of(loops=(Broken(),)), "no such operation"),
    "many iterations": (of(loops=(Long(),)), "operand of a loop 'b': more than"),
    "item of a number": (of(("item", (Ref(0), 0))), "node 0 is no loop"),
    "item": (of(RUN, ("item", (Ref(2), 3)), loops=(Twice(),)), "no result of the loop 3, of 3"),
    "item without index": (of(RUN, ("item", (Ref(2),)), loops=(Twice(),)), "the node of a loop and an index"),
}


@pytest.mark.parametrize(("program", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_rules_are_refused_by_name(program, message):
    with pytest.raises(ProgramError, match=message):
        program.check()


def test_what_keeps_the_rules_is_taken():
    choice = ("where", (Ref(2), 1.0, Ref(0)))
    of(LESS, choice, RUN, ("item", (Ref(4), 2)), results=((Ref(5),),), loops=(Twice(),)).check()


GOOD = of(("add", (Ref(0), 0.1)), LESS, ("where", (Ref(3), Ref(2), Ref(1))), results=((Ref(4),),))
TEXT = {
    "": "no chasles program",
    "[]": "no chasles program",
    "{}": "no chasles program",
    '{"chasles program": 1': "no chasles program",
    "[" * 100_000: "nested too deeply",
    '{"chasles program": 1, "inputs": ' + "[" * 100_000: "nested too deeply",
    '{"chasles program": ' + "9" * 5000 + "}": "no chasles program",
    '{"chasles program": "1"}': "a number from 1 on",
    '{"chasles program": 1}': "has a list 'inputs'",
}


@pytest.mark.parametrize(("text", "message"), TEXT.items(), ids=[text[:20] for text in TEXT])
def test_text_that_is_no_program(text, message):
    with pytest.raises(ProgramError, match=message):
        Program.from_json(text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"chasles program": VERSION + 1}, f"version {VERSION + 1}; this chasles reads versions up to {VERSION}"),
        ({"surprise": []}, "has no 'surprise'"),
        ({"nodes": {}}, "has a list 'nodes'"),
        ({"nodes": [["neg", 0.5]]}, r"node 0 \(neg\): an argument is the index of a node or a number in quotes"),
        ({"nodes": [["neg", "zero"]]}, "a number in quotes, got 'zero'"),
        ({"nodes": [["neg", True]]}, "a number in quotes, got True"),
        ({"nodes": [[]]}, "node 0: each is"),
        ({"inputs": ["x"]}, "each is .name, shape., got 'x'"),
        ({"inputs": [["x", [1e99]]]}, "input 'x': a shape"),
        ({"results": [0]}, "result 0: a list expected, got int"),
    ],
)
def test_changed_text_is_refused(change, message):
    with pytest.raises(ProgramError, match=message):
        Program.from_json(json.dumps({**json.loads(GOOD.to_json()), **change}))


JUNK = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=4),
        st.sampled_from(["add", "input", "loop"]),
    ),
    lambda part: st.one_of(st.lists(part, max_size=3), st.dictionaries(st.text(max_size=3), part, max_size=2)),
    max_leaves=5,
)


def places(data, path=()):
    """Every place in nested lists and dicts."""
    yield path
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, part in pairs:
        yield from places(part, (*path, key))


@given(st.data())
def test_mutated_text_is_a_program_or_refused(data):
    mutant = json.loads(GOOD.to_json())
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([p for p in places(mutant) if p]))
        parent = mutant
        for key in path[:-1]:
            parent = parent[key]
        junk = data.draw(st.one_of(JUNK, st.sampled_from([*places(mutant)]).map(lambda p: get(mutant, p))))
        if data.draw(st.booleans()):
            parent[path[-1]] = copy.deepcopy(junk)
        else:
            del parent[path[-1]]
    try:
        program = Program.from_json(json.dumps(mutant))
    except ChaslesError:
        return
    program.check()
    assert Program.from_json(program.to_json()).to_json() == program.to_json()


def get(data, path):
    for key in path:
        data = data[key]
    return data


@given(st.data())
def test_cut_text_is_refused(data):
    text = GOOD.to_json()
    with pytest.raises(ProgramError):
        Program.from_json(text[: data.draw(st.integers(0, len(text) - 1))])
