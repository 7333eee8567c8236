"""Exported CasADi: the files load and test themselves, see what is wrong, and are the same bytes each time."""

import dataclasses
import runpy
import sys

import pytest
from support.exported_functions import exported

import chasles as ch
from chasles.export.exported import Described, Exported
from chasles.export.targets import casadi


def shaped(q, A):
    return {"A q": A @ q, "A": A * q[0], "tensor": A.reshape(1, 2, 3) + q[1], "sum": q[0] + q[2]}


def function():
    about = Described('a """ matrix \\N', tuple((f"a{k}", "m") for k in range(6)))
    return exported(ch.compile(shaped, q=3, A=(2, 3)), about="Shapes.", A=about)


def checked(files, folder, monkeypatch):
    """Run the test that the files hold."""
    for name, text in files.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode("ascii"))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "load_shaped", raising=False)
    runpy.run_path(str(folder / "test_shaped.py"))["test_reference_values"]()


def test_the_files_test_themselves(tmp_path, monkeypatch):
    files = casadi.files(function())
    assert list(files) == ["shaped.casadi", "load_shaped.py", "test_shaped.py"]
    assert files == casadi.files(function())
    checked(files, tmp_path, monkeypatch)
    head = str(files["load_shaped.py"])
    assert "    [0, 0] a0, m\n    [0, 1] a1, m\n" in head and '  A_out ("A"): 2 x 3' in head


def test_the_test_sees_what_is_wrong(tmp_path, monkeypatch):
    right = function()
    outputs = [list(row) for row in right.references[1].outputs]
    outputs[2][4] += 1e-9
    wrong = dataclasses.replace(right.references[1], outputs=tuple(map(tuple, outputs)))
    files = casadi.files(dataclasses.replace(right, references=(right.references[0], wrong)))
    with pytest.raises(AssertionError, match=r"tensor.*4"):
        checked(files, tmp_path, monkeypatch)


def test_without_calls_there_is_no_test():
    assert list(casadi.files(Exported(function().body, "shaped"))) == ["shaped.casadi", "load_shaped.py"]


def test_what_casadi_cannot_do_is_refused_before_a_file_is_written():
    kernel = ch.load("planar_2r").kernel("mass_matrix", "float32")
    with pytest.raises(ch.CompileError, match="CasADi computes in float64"):
        casadi.files(Exported(kernel.program, kernel.name, kernel.dtype))
