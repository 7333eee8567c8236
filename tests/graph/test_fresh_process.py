"""The room of graphs in a process that has imported nothing else: methods find what they need, in any order."""

import pkgutil
import subprocess
import sys

import pytest

from chasles import graph

LOOP = """
import chasles as ch
step = ch.compile(lambda x, a: {"x": 0.5 * (x + a / x)}, x=(), a=()).program
loop = ch.Loop(step, carry=("x",), count=30, given=("a",), rule="fixed_point")
"""

SCRIPTS = {
    "a loop runs": LOOP + "assert abs(loop.run([1.0, 2.0])[0] - 2.0**0.5) < 1e-12",
    "a loop runs on dual numbers": LOOP
    + "from chasles.scalar.dual import Dual\n"
    + "(x,) = loop.run([Dual(1.0), Dual(2.0, 1.0)])\n"
    + "assert abs(x.derivative - 0.5 / 2.0**0.5) < 1e-12",
    "a loop is checked, and is text": LOOP + "loop.check()\nassert ch.Loop.from_json(loop.to_json()) == loop",
    "a program is checked, and is text": "import chasles as ch\n"
    + "p = ch.load('pendulum').kernel('mass_matrix').program\n"
    + "p.check()\nassert ch.Program.from_json(p.to_json()) == p",
    "a program of loops is text": LOOP + "assert ch.Program.from_json(loop.program.to_json()) == loop.program",
    "a symbol takes NumPy's functions": "import pickle, subprocess, sys\nimport chasles as ch\n"
    + "text = pickle.dumps(ch.symbols('m') + 1.0)\n"
    + "code = f'import pickle, numpy as np; print(np.sin(pickle.loads({text!r})))'\n"
    + "out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout\n"
    + "assert out == 'sin(m + 1)\\n', out",
    "a pickled loop runs": LOOP
    + "import pickle, subprocess, sys\n"
    + "code = f'import pickle; print(pickle.loads({pickle.dumps(loop)!r}).run([1.0, 4.0])[0])'\n"
    + "out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout\n"
    + "assert out == '2.0\\n', out",
}


@pytest.mark.parametrize("what", SCRIPTS)
def test_what_a_person_does_first(what):
    subprocess.run([sys.executable, "-c", SCRIPTS[what]], check=True, timeout=120)


def test_modules_are_imported_in_any_order():
    names = [f"chasles.graph.{module.name}" for module in pkgutil.iter_modules(graph.__path__)]
    assert "chasles.graph.node" in names
    script = (
        "import sys\nfrom importlib import import_module\n"
        f"for name in {names!r}:\n"
        "    for other in [m for m in sys.modules if m.split('.')[0] == 'chasles']:\n"
        "        del sys.modules[other]\n"
        "    import_module(name)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)
