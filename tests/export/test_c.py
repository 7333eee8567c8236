"""Exported C: its header, its self-test, by CMake, on a Cortex-M4 in qemu, and what it takes there."""

import ctypes
import re
import shutil
import subprocess
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.c_library import PROTOTYPES, WARNINGS, compiled, zig
from support.cortex import painted_stack, run
from support.programs import needs

import chasles as ch
from chasles.catalogue import catalogue
from chasles.export import footprint
from chasles.export.exported import Described, Exported, Reference
from chasles.export.footprint import Footprint, measured
from chasles.export.targets.c import CORTEX, files

STRICT = ["-std=c99", *WARNINGS, *PROTOTYPES, "-Werror"]


@cache
def swing() -> Exported:
    """A function with a matrix, a number, odd names, and results that are nan and infinite."""

    def function(q, dt, gamma):
        return {"M": np.outer(q, q) * dt, "q": np.log(q) + gamma[0]}

    body = ch.compile(function, q=2, dt=(), gamma=1).program
    calls = []
    for q in ([0.5, 2.0], [-1.0, 0.0]):
        with np.errstate(all="ignore"):
            result = np.log(q) + 1.0
        calls.append(Reference((tuple(q), (0.1,), (1.0,)), (tuple(np.outer(q, q).ravel() * 0.1), tuple(result))))
    about = {"q": Described("angles */ of \u03b8", (("shoulder", "rad"), ("??/", "rad")))}
    return Exported(body, "swing", "float64", "A swing.", about, tuple(calls))


def written(function, folder):
    made = files(function)
    for name, text in made.items():
        (folder / name).write_text(text, "ascii")  # nothing else is in them
    return made


def changed(function, k, value):
    """The same with another expected number."""
    first = function.references[0]
    outputs = (first.outputs[0], tuple(value if i == k else y for i, y in enumerate(first.outputs[1])))
    return Exported(
        function.body, function.name, references=(Reference(first.inputs, outputs), *function.references[1:])
    )


def test_the_header():
    text = str(files(swing())["swing.h"])
    for line in (
        " * swing: A swing.",
        " *   q: 2 numbers, angles * / of \\u03b8",
        " *     [0] shoulder, rad",
        " *     [1] ? ?/, rad",
        ' *   gamma_ ("gamma"): 1 number',
        ' *   q_out ("q"): 2 numbers, angles * / of \\u03b8',
        f" * Numbers are float64. Written by chasles {ch.__version__}.",
        " * cc -std=c99 -O2 -c swing.c",
        "    double dt,\n    const double gamma_[1],\n    double M[4],\n    double q_out[2]);",
    ):
        assert line in text, line
    assert re.search(r"\d+ operations: mul [567], add 2, log 2\.", text)
    assert text.count("*/") == 1 and 'extern "C" {' in text
    assert "arm-none-eabi-gcc -mcpu=cortex-m4" in text
    assert max(len(line) for line in text.splitlines() if "cc " not in line) <= 99


def said(function) -> str:
    """The head of its header, in one line."""
    (text,) = [str(x) for name, x in files(function).items() if name.endswith(".h")]
    return " ".join(text.partition("*/")[0].replace("\n * ", " ").split())


def read_late():
    """An input passes through, and one is read in a loop."""
    passed = ch.compile(lambda q, v: {"w": 2.0 * v, "same": q}, q=3, v=3)
    loop = ch.compile(lambda q, v: {"w": ch.loop(lambda y: y + v, q, count=3)}, q=3, v=3)
    return {"passed": passed, "loop": loop}


def in_place(function, *arrays, outputs):
    """What is in the arrays of inputs after a call that writes outputs there."""
    given = [np.array(x) for x in arrays]
    pointers = [x.ctypes.data for x in (*given, *(given[k] for k in outputs))]
    function.function(*pointers)
    return [given[k] for k in outputs]


def test_outputs_may_be_inputs_where_the_header_says_so(rng):
    robot = ch.load("planar_2r")
    step = ch.compile(
        lambda q, qd, tau: dict(zip("ab", robot.step(q, qd, tau, dt=1e-2), strict=True)), q=2, qd=2, tau=2
    )
    whole = ch.compile(lambda q, v, dt: {"x": q + dt * v, "y": v - dt * q}, q=9, v=9, dt=())
    kernels = {"step": step, "integrate": robot.kernel("integrate"), **read_late()}
    heads = {name: said(Exported(kernel.program, name)) for name, kernel in (*kernels.items(), ("whole", whole))}
    free = {name for name, head in heads.items() if "An output may be the array of an input" in head}
    assert free == {"step", "integrate", "whole"}
    assert all("an output may overlap neither an input nor another output" in heads[name] for name in read_late())
    for function, (name, kernel) in zip(compiled(kernels), kernels.items(), strict=True):
        given = [rng.normal(size=o.shape) for o in kernel.inputs]
        apart = [y[0] for y in function(*(x[None] for x in given))]
        together = in_place(function, *given, outputs=range(len(apart)))
        same = all(np.array_equal(x, y) for x, y in zip(apart, together, strict=True))
        assert same if name in free else not same or name == "loop", name


def test_the_same_bytes_each_time():
    assert files(swing()) == files(swing())
    assert "CMakeLists.txt" in files(swing()) and not re.search(r"20\d\d", "".join(map(str, files(swing()).values())))


def test_it_says_how_much_stack_its_arrays_take():
    body = ch.compile(lambda x: ch.loop(lambda y: np.sin(y), x, count=3), x=5).program
    assert "On the stack are 80 bytes of arrays, numbers that the compiler keeps" in said(Exported(body, "f"))
    assert "On the stack are no arrays, numbers that the compiler keeps" in said(swing())
    assert "and what math.h takes." in said(swing())
    assert all(len(line) <= 99 for line in str(files(swing())["swing.h"]).splitlines() if "gcc" not in line)


def test_no_self_test_without_calls():
    function = swing()
    assert set(files(Exported(function.body, "swing"))) == {"swing.c", "swing.h", "CMakeLists.txt"}


def program_result(folder, name):
    """What the `main` of a self-test returns, called here."""
    zig("-shared", "-nostdlib", "-fPIC", "-O1", "-fno-sanitize=undefined", *STRICT, "-o", f"{name}.so", f"{name}.c",
        f"{name}_test.c", folder=str(folder))  # fmt: skip
    return ctypes.CDLL(str(folder / f"{name}.so")).main()


def test_the_self_test_passes_and_can_fail(tmp_path):
    function = swing()
    for k, (case, code) in enumerate(
        [
            (function, 0),
            (changed(function, 0, np.log(0.5) + 1.0 + 1e-9), 1),
            (changed(function, 0, np.nan), 1),
            (changed(function, 1, np.inf), 1),
        ]
    ):
        folder = tmp_path / str(k)
        folder.mkdir()
        written(case, folder)
        assert program_result(folder, "swing") == code, k


@pytest.mark.parametrize("name", ["test_call", "differ", "main", "\u03b8"])
def test_names_of_the_self_test_are_others(name, tmp_path):
    """A function, inputs and outputs that are called as what is in the self-test."""
    words = ["call", "passed", "found", "expected", "test_error", "y"]
    shapes: dict[str, Any] = dict.fromkeys(words, 1)
    body = ch.compile(lambda **x: {"size": x["call"], "i": x["y"], "largest": x["found"]}, **shapes)
    one = tuple((float(k),) for k in range(len(words)))
    function = Exported(body.program, name, references=(Reference(one, (one[0], one[5], one[2])),))
    (file,) = [n for n in written(function, tmp_path) if n.endswith(".h")]
    assert program_result(tmp_path, file[:-2]) == 0


def test_a_footprint_in_words(monkeypatch):
    besides = "Cortex-M4: 1.8 kB flash, 152 B stack, both besides the C library's"
    assert str(Footprint(1756, 152, 4280)) == f"{besides} (4.3 kB flash)" and str(Footprint(1756, 152)) == besides
    assert str(Footprint(1756, 152, 0)) == "Cortex-M4: 1.8 kB flash, 152 B stack"  # it calls nothing
    monkeypatch.setattr(footprint.shutil, "which", lambda name: None)
    assert measured(files(swing())) is None


def test_flash_is_code_and_initial_values(monkeypatch, tmp_path):
    table = "   text\t   data\t    bss\t    dec\t    hex\tfilename\n   1000\t     24\t    300\t   1324\t    52c\tx.o\n"
    monkeypatch.setattr(footprint, "_run", lambda *_: table)
    assert footprint._size(tmp_path, "x.o") == 1024


def test_the_deepest_chain_of_calls():
    nodes = [("f", 8), ("x.c:g", 16), ("x.c:h", 100), ("x.c:k", 24)]
    graph = "\n".join(f'node: {{ title: "{t}" label: "{t}\\nx.c:1:1\\n{n} bytes (static)\\n" }}' for t, n in nodes)
    graph += '\nnode: { title: "sin" label: "sin\\n<built-in>" shape : ellipse }'
    for a, b in (("f", "x.c:g"), ("f", "x.c:h"), ("x.c:g", "x.c:k"), ("f", "sin")):
        graph += f'\nedge: {{ sourcename: "{a}" targetname: "{b}" }}'
    assert footprint._deepest(graph, "f") == 108


# compilers that are no wheels


@cache
def inverse_dynamics(robot, dtype):
    kernel = ch.load(robot).kernel("inverse_dynamics")
    rng = np.random.default_rng(0)
    calls = []
    for _ in range(10):
        x = [rng.normal(size=o.shape).astype(dtype).astype(float) for o in kernel.inputs]
        calls.append(Reference(tuple(tuple(a.tolist()) for a in x), (tuple(kernel(*x).tolist()),)))
    tolerance = 1e-13 if dtype == "float64" else 1e-5
    return Exported(kernel.program, f"{robot}_{dtype}", dtype, "joint forces", {}, tuple(calls), tolerance)


@pytest.mark.system
@needs("gcc", "clang")
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_self_tests_of_robots(compiler, tmp_path):
    for robot in ("planar_2r", "ur5"):
        for dtype in ("float64", "float32"):
            function = inverse_dynamics(robot, dtype)
            written(function, tmp_path)
            name = function.name
            command = [compiler, "-O2", *STRICT, f"{name}.c", f"{name}_test.c", "-o", "program", "-lm"]
            subprocess.run(command, cwd=tmp_path, check=True)
            done = subprocess.run(["./program"], cwd=tmp_path, capture_output=True, text=True, check=True)
            assert done.stdout.startswith(f"{name}: 10 calls, largest error ") and "passed" in done.stdout


@pytest.mark.sweep
@pytest.mark.system
@needs("gcc")
def test_self_tests_of_the_whole_catalogue(tmp_path):
    """And of a step and inverse kinematics, through the door that people take."""
    robot = ch.load("scara")
    for function in (*catalogue(), "step", "inverse_kinematics"):
        folder = tmp_path / function
        name = next(path.stem for path in robot.export(function, to="c", folder=folder) if path.suffix == ".h")
        command = ["gcc", "-O1", *STRICT, f"{name}.c", f"{name}_test.c", "-o", "program", "-lm"]
        subprocess.run(command, cwd=folder, check=True)
        assert not subprocess.run(["./program"], cwd=folder).returncode, function


@pytest.mark.system
@needs("cmake", "ctest")
def test_cmake_builds_and_tests_all_functions_of_a_folder(tmp_path):
    written(swing(), tmp_path)
    written(inverse_dynamics("planar_2r", "float32"), tmp_path)
    for command in ("cmake -S . -B build", "cmake --build build", "ctest --test-dir build"):
        done = subprocess.run(command.split(), cwd=tmp_path, capture_output=True, text=True)
        assert not done.returncode, done.stdout + done.stderr
    assert "100% tests passed" in done.stdout and "out of 2" in done.stdout
    written(changed(swing(), 0, 3.0), tmp_path)
    subprocess.run(["cmake", "--build", "build"], cwd=tmp_path, capture_output=True, check=True)
    assert subprocess.run(["ctest", "--test-dir", "build"], cwd=tmp_path, capture_output=True).returncode


def built(folder, *options):
    """What CMake says, and the files that it made."""
    for command in (["cmake", "-S", ".", "-B", "build", *options], ["cmake", "--build", "build"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert not done.returncode, done.stdout + done.stderr
    return {path.name for path in (folder / "build").rglob("*")}


OF_OTHERS = {
    "config.h": "#ifndef CONFIG_H\n#endif\n",
    "c++ (old).h": "#ifndef CHASLES_C_H\n#endif\n",
    "swing.old.h": "#ifndef CHASLES_SWING_H\n#endif\n",
    "board.h": "int board(void);\n",
    "board.c": 'int board(void) { typeof(1) x = 1; asm("nop"); return x; }\n',
    "swing.old.c": "no C at all\n",
}


@pytest.mark.system
@needs("cmake", "ctest")
def test_cmake_leaves_headers_and_sources_of_others_alone(tmp_path):
    written(swing(), tmp_path)
    for name, text in OF_OTHERS.items():
        (tmp_path / name).write_text(text)
    found = built(tmp_path)
    assert "libswing.a" in found and not {name for name in found if "board" in name or "old" in name}
    done = subprocess.run(["ctest", "--test-dir", "build"], cwd=tmp_path, capture_output=True, text=True)
    assert "out of 1" in done.stdout


PARENT = """cmake_minimum_required(VERSION 3.12)
project(firmware C)
add_subdirectory(left)
add_subdirectory("right hand")
add_executable(firmware main.c)
target_link_libraries(firmware PRIVATE swing_c ur5_float32_c)
"""


@pytest.mark.system
@needs("cmake")
def test_cmake_folders_within_a_project(tmp_path):
    """Their libraries are there, without tests in what the project builds, and without targets of ctest's own."""
    for name, function in (("left", swing()), ("right hand", inverse_dynamics("ur5", "float32"))):
        (tmp_path / name).mkdir()
        written(function, tmp_path / name)
    main = '#include "swing.h"\n#include "ur5_float32.h"\n'
    main += "int main(void) { double q[2] = {1, 2}, M[4], y[2]; swing(q, 0.1, q, M, y); return 0; }\n"
    (tmp_path / "main.c").write_text(main)
    (tmp_path / "CMakeLists.txt").write_text(PARENT)
    found = built(tmp_path)
    assert {"firmware", "libswing.a", "libur5_float32.a"} <= found and not {x for x in found if x.endswith("_test")}
    targets = subprocess.run(["cmake", "--build", "build", "--target", "help"], cwd=tmp_path, capture_output=True)
    assert b"swing_c" in targets.stdout and b"Nightly" not in targets.stdout
    assert {"swing_test", "ur5_float32_test"} <= built(tmp_path, "-DCHASLES_TESTS=ON")


CROSS = f"""set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_C_FLAGS_INIT "{CORTEX}")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
"""


@pytest.mark.system
@needs("cmake", "arm-none-eabi-gcc")
def test_cmake_for_a_microcontroller(tmp_path):
    """The library without the test, which has no way to print there; what links the library has sinf."""
    written(inverse_dynamics("ur5", "float32"), tmp_path)
    (tmp_path / "arm.cmake").write_text(CROSS)
    found = built(tmp_path, "-DCMAKE_TOOLCHAIN_FILE=arm.cmake")
    assert "libur5_float32.a" in found and "ur5_float32_test" not in found
    parent = PARENT.replace("add_subdirectory(left)\n", "").replace("right hand", "fw").replace("swing_c ", "")
    (tmp_path / "fw").mkdir()
    written(inverse_dynamics("ur5", "float32"), tmp_path / "fw")
    parent += 'set_target_properties(firmware PROPERTIES LINK_FLAGS "--specs=nosys.specs -Wl,--no-warnings")\n'
    (tmp_path / "CMakeLists.txt").write_text(parent)
    call = "float x[6]; int main(void) { ur5_float32(x, x, x, x); return 0; }\n"
    (tmp_path / "main.c").write_text(f'#include "ur5_float32.h"\n{call}')
    shutil.rmtree(tmp_path / "build")
    assert "firmware" in built(tmp_path, "-DCMAKE_TOOLCHAIN_FILE=arm.cmake")


@pytest.mark.system
@needs("gcc", "g++")
def test_a_header_in_c_plus_plus(tmp_path):
    written(swing(), tmp_path)
    main = '#include "swing.h"\nint main() { double q[2] = {1, 2}, g[1] = {0}, M[4], y[2]; swing(q, 0.1, g, M, y); }\n'
    (tmp_path / "main.cc").write_text(main)
    for command in ("gcc -c swing.c -o swing.o", "g++ -Wall -Wextra -Werror main.cc swing.o -o program", "./program"):
        subprocess.run(command.split(), cwd=tmp_path, check=True)


@pytest.mark.system
@needs("arm-none-eabi-gcc", "qemu-system-arm")
@pytest.mark.parametrize("robot", ["planar_2r", "ur5"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_on_a_cortex_m4(robot, dtype, tmp_path):
    """The self-test on the processor, and what the function takes there: said, and seen on a painted stack."""
    function = inverse_dynamics(robot, dtype)
    made = written(function, tmp_path)
    assert "passed" in run(tmp_path, f"{function.name}.c", f"{function.name}_test.c")
    found = measured(made)
    assert found is not None and found.library is not None
    flash, stack = {
        ("planar_2r", "float64"): (700, 150),
        ("planar_2r", "float32"): (350, 80),
        ("ur5", "float64"): (5500, 600),
        ("ur5", "float32"): (2200, 250),
    }[robot, dtype]
    assert flash / 2 < found.flash < flash and found.stack < stack and 2000 < found.library < 12000
    painted = painted_stack(tmp_path, function.name, "double" if dtype == "float64" else "float", 4)
    assert found.stack - 16 <= painted <= found.stack + 700  # functions of the C library have theirs
