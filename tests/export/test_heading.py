"""Heads of exported files, and the names that languages allow."""

import re
from typing import Any

import numpy as np
import pytest

import chasles as ch
from chasles.backend.python import render
from chasles.backend.statements.words import Words, word, words
from chasles.export.exported import Described, Exported
from chasles.export.heading import costs, heading, plain
from chasles.graph.program import Operand, Program, Ref
from chasles.ik.search_program import search_program


def stepped():
    def step(q, x):
        return {"q": ch.loop(lambda y: (np.sin(y) + x, {"until": y[0] > 3.0}), q, count=4)[0], "M": np.outer(q, q)}

    return ch.compile(step, q=2, x=()).program


def test_what_a_head_says():
    about = Described("joint angles */ of \u03b8", (("shoulder", "rad"), ("elbow", "rad")))
    function = Exported(
        stepped(), "class", about="A step.", operands={"q": about, "x": Described("time", (("x", "s"),))}
    )
    lines = heading(function, words(function.body, "class", {"class"}))
    assert lines == [
        'class_ ("class"): A step.',
        "",
        "Inputs:",
        r"  q: 2 numbers, joint angles * / of \u03b8",
        "    [0] shoulder, rad",
        "    [1] elbow, rad",
        "  x: a number, time, s",
        "",
        "Outputs:",
        r'  q_out ("q"): 2 numbers, joint angles * / of \u03b8',
        "    [0] shoulder, rad",
        "    [1] elbow, rad",
        "  M: 2 x 2",
        "",
        "4 operations: mul 3, loop 1.",
        "Repeated at most 4 times: 10 operations: add 2, less_equal 2, sin 2, where 2, and 1, less 1.",
        f"Numbers are float64. Written by chasles {ch.__version__}.",
    ]


def test_how_often_a_search_repeats_its_step():
    """As often as it is said, where no configuration has the pose."""
    robot = ch.load("planar_2r")
    ends: dict[str, Any] = {"attempts": 3, "iterations": 7, "tolerance": 1e-6}
    body = search_program(robot._problem(frame=None, rows="tx ty", limits=True, **ends))
    said = " ".join(costs(body))
    assert "Repeated until the residual is at most 1e-06, at most 7 times in each of at most 3 attempts" in said
    assert ", 21 times at worst: " in said
    ran, found = steps_of(body, [0.1, 0.2], np.eye(4) + 9.0 * np.eye(4, k=3))
    assert 18 < ran <= 21 and not found  # an attempt that gets no nearer ends before
    ran, found = steps_of(body, [0.1, 0.2], robot.forward_kinematics([0.1, 0.2]))
    assert ran == 1 and found
    assert " in as many attempts as it is given: " in " ".join(costs(body.loops[0]))


def steps_of(body: Program, q0: Any, T: Any) -> tuple[int, bool]:
    """How often the step of a search is made, in Python, and whether it finds something."""
    text = render(body, "search", "float64")
    (step,) = {x for x in re.findall(r"^def (\w+)\(", text, re.MULTILINE) if x.endswith("_step")}
    made: dict[str, Any] = {}
    exec(text, made)
    inner, calls = made[step], []
    made[step] = lambda *x: (calls.append(None), inner(*x))[1]
    found = made["search"](list(q0), np.asarray(T).tolist())
    return len(calls), bool(np.ravel(found[1])[0])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("q", "q"),
        ("class", "class_"),
        ("\u03b8_1", "theta_1"),
        ("\u0394x", "Deltax"),
        ("\u00e9tat", "etat"),
        ("two words", "two_words"),
        ("1st", "f_1st"),
        ("_x", "f_x"),
        ("", "f_"),
        ("\u6a21", "f_"),
    ],
)
def test_words(name, expected):
    assert word(name, {"class"}) == expected


def test_no_two_words_are_alike():
    operands = tuple(Operand(name, (1,)) for name in ("a b", "a_b", "f"))
    program = Program(
        operands, operands, tuple(("input", (k, 0)) for k in range(3)), tuple((Ref(k),) for k in range(3))
    )
    assert words(program, "f", {"a_b_2"}) == Words("f", ("a_b", "a_b_3", "f"), ("a_b_out", "a_b_out_2", "f_out"))
    long = Program((Operand("z" * 70, (1,)),), (), (), ())
    assert all(len(x) <= 63 for x in (words(long, "n" * 80, ()).function, *words(long, "n" * 80, ()).inputs))


@pytest.mark.parametrize("text", ["a */ b", "/* a", "line\nbreak", "\u2028", "tab\t\x1b"])
def test_plain_text_ends_no_comment(text):
    assert plain(text).isascii() and plain(text).isprintable()
    assert "*/" not in plain(text) and "/*" not in plain(text)
