"""Exported CUDA: its self-test runs on the host, sees what is wrong, and its kernels are compiled by NVRTC."""

import ctypes
import dataclasses
import re
import subprocess

import pytest
from support.cuda import library, ptx
from support.exported_functions import exported
from support.kernels import everything_kernel
from support.programs import needs

import chasles as ch
from chasles.export.exported import Described, Exported
from chasles.export.targets import cuda


def arm(dtype="float64"):
    about = Described("joint angles", (("shoulder", "rad"), ("elbow", "rad")))
    kernel = ch.load("planar_2r").kernel("inverse_dynamics", dtype)
    return exported(kernel, about="joint forces", q=about)


def run(function, *arguments):
    """What the self-test of a function returns."""
    return run_files(cuda.files(function), *arguments)


def run_files(files, *arguments):
    """What the self-test of files returns."""
    (test,) = (str(text) for name, text in files.items() if name.endswith("_test.cu"))
    operands = int(re.findall(r"OPERANDS = (\d+)", test)[0])
    main = library({k: x for k, x in files.items() if k.endswith((".cu", ".cuh"))}, operands + 1).main
    given = (ctypes.c_char_p * (len(arguments) + 1))(b"test", *(x.encode() for x in arguments))
    return main(len(given), given)


def test_the_self_test_runs(capfd):
    assert run(arm(), "100") == 0
    ctypes.CDLL(None).fflush(None)
    said = capfd.readouterr().out
    assert "inverse_dynamics by rows: inverse_dynamics_out differs by" in said
    assert "by columns" in said and "rows a second" in said and said.endswith("right\n")


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_self_test_of_all_operations_runs(dtype):
    assert run(exported(everything_kernel(dtype))) == 0


def test_the_self_test_sees_what_is_wrong():
    function = arm()
    ((a, b),) = function.references[0].outputs
    first = dataclasses.replace(function.references[0], outputs=((a, b + 1e-6),))
    assert run(dataclasses.replace(function, references=(first, *function.references[1:]))) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, function, options",
    [
        ("planar_2r", "inverse_kinematics", {"rows": "tx ty"}),
        ("planar_2r", "rollout", {"steps": 5}),
        ("planar_2r", "discrete_step", {}),
        ("ur5", "step", {}),
        ("ur5", "inverse_kinematics", {"dtype": "float32"}),
        ("ur5", "christoffel_symbols", {}),
        ("panda", "forward_dynamics_derivatives", {"dtype": "float32"}),
    ],
)
def test_functions_of_robots(name, function, options, tmp_path):
    """Loops and searches too, compiled for a device and run here."""
    paths = ch.load(name).export(function, to="cuda", folder=tmp_path, **options)
    files = {path.name: path.read_text("ascii") for path in paths}
    assert ptx(files[f"{function}.cu"], "compute_90")
    assert run_files(files) == 0


@pytest.mark.system
@needs("nvcc")
def test_nvcc_compiles_and_links_it_without_a_warning(tmp_path):
    for name, text in cuda.files(arm()).items():
        (tmp_path / name).write_text(str(text), "ascii")
    command = ["nvcc", "-arch=sm_90", "--Werror", "all-warnings", "-o", "test"]
    sources = ["inverse_dynamics.cu", "inverse_dynamics_test.cu"]
    done = subprocess.run([*command, *sources], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_nvrtc_takes_the_file_as_it_is():
    text = cuda.files(arm("float32"))["inverse_dynamics.cu"]
    assert "inverse_dynamics_rows" in ptx(str(text), "compute_90")


def test_several_files_are_one_unit():
    """Functions that files carry have the name of theirs: a kernel of somebody else's includes as many as it needs."""
    noise = ch.compile(lambda q: ch.random.normal(q[0], q[1]), dtype="float32", q=2)
    kernels = {"inverse_dynamics": arm().body, "other": arm().body, "noise": noise.program, "sound": noise.program}
    texts = [str(cuda.files(Exported(body, name, "float32"))[f"{name}.cu"]) for name, body in kernels.items()]
    assert all(f"{name}_rows" in ptx("".join(texts), "compute_90") for name in kernels)


def test_what_the_files_say():
    files = cuda.files(arm())
    names = ("inverse_dynamics.cu", "inverse_dynamics.cuh", "inverse_dynamics_test.cu", "CMakeLists.txt")
    assert tuple(files) == names
    assert files == cuda.files(arm())
    header = str(files["inverse_dynamics.cuh"])
    assert " *   q: 2 numbers, joint angles\n *     [0] shoulder, rad\n" in header
    assert r'string(REGEX REPLACE "\\.cuh$" "" name ${header})' in str(files["CMakeLists.txt"])


def test_without_calls_there_is_no_test():
    files = cuda.files(Exported(arm().body, "class"))
    assert list(files) == ["class_.cu", "class_.cuh", "CMakeLists.txt"]
    assert 'class_ ("class")' in str(files["class_.cuh"])
