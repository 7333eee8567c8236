"""A small language for what surrounds kernels: Python functions of 64-bit words, as LLVM IR.

The shell around kernels (numpy_shell.py, batches.py, loop_driver.py) walks C structures, counts rows and copies bytes.
It is written as Python functions in which every value is a word, an integer or an address, and compiled by this module:

    x = y + 1, x += 1     words; + - * // % & | ^ << >> and comparisons are those of signed integers
    p[k], p[k] = x        the k-th word behind the address p
    if, while, for i in range(n), break, continue, return, and, or, not
    f(x, y)               another function of the same module, or one of INTRINSICS
    NAME                  a whole number of the function's Python module

A function is exported as `i64 @name(i64, ...)`, which C calls with addresses and integers.
"""

import ast
import functools
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

from chasles.backend.host.addresses import SHELL
from chasles.backend.llvm.imports import table
from chasles.errors import CompileError

_ARITHMETIC: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "sdiv",
    ast.Mod: "srem",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "ashr",
}
_COMPARISONS: dict[type, str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}


Word = Any  # in signatures of functions of words: a signed integer of 64 bits, or an address


def _intrinsic(*arguments: Word) -> Word:
    raise CompileError("a function of words runs only compiled")


# What the machine does that Python's syntax does not say; the names exist so that the functions read as Python.
stack = _intrinsic  # stack(n): the address of n words that live as long as the call; n is a constant
address = _intrinsic  # address("malloc"): the entry of the table of addresses
call = _intrinsic  # call(f, x, ...): the C function at address f, of words, to a word
call32 = _intrinsic  # as call, of a function that returns a C int
where = _intrinsic  # where(name): the address of another function of the module
int32 = _intrinsic  # int32(p): the C int at p
put_int32 = _intrinsic  # put_int32(p, x)
number = _intrinsic  # number(p, bytes): the float64 or float32 at p, as the bits of a float64
put_number = _intrinsic  # put_number(p, bytes, x): the reverse
number_below = _intrinsic  # whether the float64 x is below y, both bits
number_equal = _intrinsic  # whether they are equal
number_of = _intrinsic  # number_of(i): the bits of float(i)
integer_of = _intrinsic  # integer_of(x): the integer of a float64

SUPPORT = """
define internal i64 @number(i64 %p, i64 %bytes) alwaysinline {
  %a = inttoptr i64 %p to ptr
  %wide = icmp eq i64 %bytes, 8
  br i1 %wide, label %double, label %single
double:
  %w = load i64, ptr %a
  ret i64 %w
single:
  %f = load float, ptr %a
  %d = fpext float %f to double
  %b = bitcast double %d to i64
  ret i64 %b
}
define internal i64 @put_number(i64 %p, i64 %bytes, i64 %x) alwaysinline {
  %a = inttoptr i64 %p to ptr
  %wide = icmp eq i64 %bytes, 8
  br i1 %wide, label %double, label %single
double:
  store i64 %x, ptr %a
  ret i64 0
single:
  %d = bitcast i64 %x to double
  %f = fptrunc double %d to float
  store float %f, ptr %a
  ret i64 0
}
"""


def module(
    functions: Sequence[Callable[..., Any]],
    exported: Sequence[str],
    rest: str = "",
    quick: Sequence[Callable[..., Any]] = (),
    inlined: Sequence[Callable[..., Any]] = (),
) -> str:
    """The IR of functions of words, with the table of addresses; `rest`: IR of functions of words that they call.

    quick: those whose speed matters; the others are compiled with little effort, which takes half of the time.
    inlined: those that become part of what calls them.
    """
    known = {f.__name__ for f in functions} | {"number", "put_number"} | set(_defined(rest))
    effort = {f: " alwaysinline" if f in inlined else "" if f in quick else " noinline optnone" for f in functions}
    parts = [_Function(f, known, f.__name__ in exported, effort[f]).emit() for f in functions]
    return "\n\n".join([table(len(SHELL)), SUPPORT, rest, *parts]) + "\n"


def _defined(ir: str) -> list[str]:
    return [line.split("@")[1].split("(")[0] for line in ir.splitlines() if line.startswith("define")]


@functools.cache
def _definitions(path: str) -> dict[str, ast.FunctionDef]:
    """The functions of a Python file, by name."""
    tree = ast.parse(Path(path).read_text("utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def _lasting(tree: ast.FunctionDef) -> set[str]:
    """The variables that are assigned once, and used only behind that, in the same block or blocks in it."""
    assigned, found = Counter(a.arg for a in tree.args.args), set[str]()
    where: dict[str, tuple[int, ...]] = {}  # the block, and the place in it, of an assignment
    uses: list[tuple[str, tuple[int, ...]]] = []

    def look(node: ast.AST, place: tuple[int, ...]) -> None:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                uses.append((node.id, place))
            else:
                assigned[node.id] += 1
                where[node.id] = place
            return
        if isinstance(node, (ast.AugAssign, ast.For)) and isinstance(node.target, ast.Name):
            assigned[node.target.id] += 1  # it changes
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and field in ("body", "orelse"):
                block = (*place, field == "body")
                for k, statement in enumerate(value):
                    look(statement, (*block, k))
            else:
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        look(child, place)

    look(tree, ())
    found = {name for name, count in assigned.items() if count == 1}
    for name, place in uses:
        at = where.get(name, ())
        if at and not (place[: len(at) - 1] == at[:-1] and place[len(at) - 1] > at[-1]):
            found.discard(name)
    return found


class _Function:
    """Writes one function: what is assigned once is a value, other variables live on the stack."""

    def __init__(self, function: Any, known: set[str], exported: bool, effort: str) -> None:
        assert isinstance(function, FunctionType)
        tree = _definitions(function.__code__.co_filename)[function.__name__]
        self.tree, self.known, self.exported, self.effort = tree, known, exported, effort
        self.constants = {k: v for k, v in function.__globals__.items() if type(v) is int}
        self.values: dict[str, str] = {}
        self.lasting = _lasting(tree)
        self.current = "entry"
        self.entry: list[str] = []
        self.lines: list[str] = []
        self.variables: set[str] = set()
        self.count = 0
        self.loops: list[tuple[str, str]] = []

    def emit(self) -> str:
        names = [a.arg for a in self.tree.args.args]
        for name in names:
            if name in self.lasting:
                self.values[name] = f"%{name}"
            else:
                self.lines.append(f"  store i64 %{name}, ptr {self._variable(name)}")
        self._block(self.tree.body)
        self.lines.append("  ret i64 0")
        linkage = "" if self.exported else "internal "
        head = f"define {linkage}i64 @{self.tree.name}({', '.join(f'i64 %{name}' for name in names)}){self.effort} {{"
        return "\n".join([head, "entry:", *self.entry, *self.lines, "}"])

    def _operator(self, known: dict[type, str], node: ast.AST, op: ast.AST) -> str:
        if type(op) not in known:
            raise self._refuse(node)
        return known[type(op)]

    def _refuse(self, node: ast.AST) -> CompileError:
        return CompileError(f"{self.tree.name}: {ast.unparse(node)} is not in the language of words")

    def _fresh(self, stem: str = "t") -> str:
        self.count += 1
        return f"{stem}.{self.count}"

    def _set(self, text: str) -> str:
        name = f"%{self._fresh()}"
        self.lines.append(f"  {name} = {text}")
        return name

    def _variable(self, name: str) -> str:
        if name not in self.variables:
            self.variables.add(name)
            self.entry.append(f"  %{name}.at = alloca i64")
        return f"%{name}.at"

    def _label(self, name: str) -> None:
        self.current = name
        self.lines.append(f"{name}:")

    def _go(self, label: str) -> None:
        self.lines.append(f"  br label %{label}")

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, s: ast.stmt) -> None:
        match s:
            case ast.Expr(ast.Constant(str())):
                pass  # a docstring
            case ast.Expr(value):
                self._word(value)
            case ast.Assign([ast.Name(name)], value) if name in self.lasting:
                self.values[name] = self._word(value)
            case ast.Assign([ast.Name(name)], value):
                x = self._word(value)
                self.lines.append(f"  store i64 {x}, ptr {self._variable(name)}")
            case ast.Assign([ast.Subscript(p, k)], value):
                x = self._word(value)
                self.lines.append(f"  store i64 {x}, ptr {self._place(p, k)}")
            case ast.AugAssign(ast.Name(name) as target, op, value):
                x = self._word(ast.BinOp(ast.Name(target.id, ast.Load()), op, value))
                self.lines.append(f"  store i64 {x}, ptr {self._variable(name)}")
            case ast.AugAssign(ast.Subscript(p, k), op, value):
                at = self._place(p, k)
                old = self._set(f"load i64, ptr {at}")
                new = self._set(f"{self._operator(_ARITHMETIC, s, op)} i64 {old}, {self._word(value)}")
                self.lines.append(f"  store i64 {new}, ptr {at}")
            case ast.If(test, body, rest):
                yes, no, end = self._fresh("yes"), self._fresh("no"), self._fresh("end")
                self._branch(test, yes, no)
                self._label(yes)
                self._block(body)
                self._go(end)
                self._label(no)
                self._block(rest)
                self._go(end)
                self._label(end)
            case ast.While(test, body):
                self._repeat(test, body, [])
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), [*bounds]), body):
                first, last = bounds if len(bounds) == 2 else (ast.Constant(0), bounds[0])
                limit = self._fresh("limit").replace(".", "")
                self._statement(ast.Assign([ast.Name(limit)], last))
                self._statement(ast.Assign([ast.Name(name)], first))
                test = ast.Compare(ast.Name(name), [ast.Lt()], [ast.Name(limit)])
                self._repeat(test, body, [ast.AugAssign(ast.Name(name), ast.Add(), ast.Constant(1))])
            case ast.Break() | ast.Continue():
                self._go(self.loops[-1][isinstance(s, ast.Break)])
                self._label(self._fresh("after"))
            case ast.Return(value):
                x = "0" if value is None else self._word(value)
                self.lines.append(f"  ret i64 {x}")
                self._label(self._fresh("after"))
            case ast.Pass():
                pass
            case _:
                raise self._refuse(s)

    def _repeat(self, test: ast.expr, body: Sequence[ast.stmt], step: Sequence[ast.stmt]) -> None:
        again, inside, on, end = (self._fresh(stem) for stem in ("again", "inside", "on", "end"))
        self._go(again)
        self._label(again)
        self._branch(test, inside, end)
        self._label(inside)
        self.loops.append((on, end))
        self._block(body)
        self.loops.pop()
        self._go(on)
        self._label(on)
        self._block(step)
        self._go(again)
        self._label(end)

    def _branch(self, test: ast.expr, yes: str, no: str) -> None:
        match test:
            case ast.BoolOp(op, [first, *others]):
                for value in [first, *others][:-1]:
                    on = self._fresh("also")
                    self._branch(value, *((on, no) if isinstance(op, ast.And) else (yes, on)))
                    self._label(on)
                self._branch(others[-1], yes, no)
            case ast.UnaryOp(ast.Not(), operand):
                self._branch(operand, no, yes)
            case ast.Compare(left, [op], [right]):
                x, y = self._word(left), self._word(right)
                truth = self._set(f"icmp {self._operator(_COMPARISONS, test, op)} i64 {x}, {y}")
                self.lines.append(f"  br i1 {truth}, label %{yes}, label %{no}")
            case _:
                truth = self._set(f"icmp ne i64 {self._word(test)}, 0")
                self.lines.append(f"  br i1 {truth}, label %{yes}, label %{no}")

    def _address(self, word: str) -> str:
        return self._set(f"inttoptr i64 {word} to ptr")

    def _place(self, p: ast.expr, k: ast.expr) -> str:
        return self._set(f"getelementptr i64, ptr {self._address(self._word(p))}, i64 {self._word(k)}")

    def _word(self, e: ast.expr) -> str:
        match e:
            case ast.Constant(int(value)):
                return str(value)
            case ast.UnaryOp(ast.USub(), operand):
                return self._set(f"sub i64 0, {self._word(operand)}")
            case ast.Name(name) if name in self.values:
                return self.values[name]
            case ast.Name(name) if name in self.variables:
                return self._set(f"load i64, ptr %{name}.at")
            case ast.Name(name) if name in self.constants:
                return str(self.constants[name])
            case ast.BinOp(left, op, right) if type(op) in _ARITHMETIC:
                x, y = self._word(left), self._word(right)
                return self._set(f"{_ARITHMETIC[type(op)]} i64 {x}, {y}")
            case ast.Compare(left, [op], [right]):
                x, y = self._word(left), self._word(right)
                truth = self._set(f"icmp {self._operator(_COMPARISONS, e, op)} i64 {x}, {y}")
                return self._set(f"zext i1 {truth} to i64")
            case ast.BoolOp() | ast.UnaryOp(ast.Not(), _):
                return self._word(ast.IfExp(e, ast.Constant(1), ast.Constant(0)))
            case ast.IfExp(test, yes, no):
                labels = self._fresh("yes"), self._fresh("no"), self._fresh("end")
                self._branch(test, *labels[:2])
                ways = []
                for label, value in zip(labels, (yes, no), strict=False):
                    self._label(label)
                    ways.append(f"[ {self._word(value)}, %{self.current} ]")
                    self._go(labels[2])
                self._label(labels[2])
                return self._set(f"phi i64 {', '.join(ways)}")
            case ast.Subscript(p, k):
                return self._set(f"load i64, ptr {self._place(p, k)}")
            case ast.Call(ast.Name(name), arguments):
                return self._call(e, name, arguments)
        raise self._refuse(e)

    def _call(self, e: ast.expr, name: str, arguments: list[ast.expr]) -> str:
        match name, arguments:
            case "stack", [size]:
                array = f"%{self._fresh('stack')}"
                self.entry.append(f"  {array} = alloca i64, i64 {self._word(size)}, align 16")
                return self._set(f"ptrtoint ptr {array} to i64")
            case "address", [ast.Constant(str(entry))]:
                at = f"getelementptr (ptr, ptr @chasles_table, i64 {SHELL.index(entry)})"
                return self._set(f"load i64, ptr {at}")
            case "where", [ast.Name(function)] if function in self.known:
                return self._set(f"ptrtoint ptr @{function} to i64")
        x = [self._word(a) for a in arguments]
        behind = ", ".join(f"i64 {a}" for a in x[1:])
        match name:
            case "call":
                return self._set(f"call i64 {self._address(x[0])}({behind})")
            case "call32":
                result = self._set(f"call i32 {self._address(x[0])}({behind})")
                return self._set(f"sext i32 {result} to i64")
            case "int32":
                value = self._set(f"load i32, ptr {self._address(x[0])}")
                return self._set(f"sext i32 {value} to i64")
            case "put_int32":
                value = self._set(f"trunc i64 {x[1]} to i32")
                self.lines.append(f"  store i32 {value}, ptr {self._address(x[0])}")
                return "0"
            case "number_below" | "number_equal":
                a, b = (self._set(f"bitcast i64 {v} to double") for v in x)
                predicate = "olt" if name == "number_below" else "oeq"
                return self._set(f"zext i1 {self._set(f'fcmp {predicate} double {a}, {b}')} to i64")
            case "number_of":
                return self._set(f"bitcast double {self._set(f'sitofp i64 {x[0]} to double')} to i64")
            case "integer_of":
                return self._set(f"fptosi double {self._set(f'bitcast i64 {x[0]} to double')} to i64")
        if name not in self.known:
            raise self._refuse(e)
        return self._set(f"call i64 @{name}({', '.join(f'i64 {a}' for a in x)})")
