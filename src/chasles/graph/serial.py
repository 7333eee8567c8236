"""Programs as JSON, exactly: see docs/program.md for the form.

A reference is the index of its node; a constant is a string, the shortest that reads back as the same float64 ("0.1",
"-0.0", "inf", "nan").
"""

from collections.abc import Callable
from typing import Any

from chasles.errors import ChaslesError, ProgramError
from chasles.graph.operand import Equation, LoopLike, Operand, ProgramLike, Ref, Restart

VERSION = 1
_FIELDS = ("inputs", "outputs", "nodes", "results", "loops")
_LOOP = ("step", "carry", "count", "given", "each", "record", "until", "rule", "restart")
_INDICES = {"input": 2, "loop": 1, "item": 0}  # how many arguments, from the first, are plain indices


def to_dict(program: ProgramLike) -> dict[str, Any]:
    """The program in lists, strings and integers."""
    return {
        "inputs": [[o.name, list(o.shape)] for o in program.inputs],
        "outputs": [[o.name, list(o.shape)] for o in program.outputs],
        "nodes": [[op, *_written(op, args)] for op, args in program.nodes],
        "results": [[_value(x) for x in row] for row in program.results],
        "loops": [loop.to_dict() for loop in program.loops],
    }


def _written(op: str, args: tuple[Any, ...]) -> list[Any]:
    if op == "item":
        return [args[0].index, args[1]]
    plain = _INDICES.get(op, 0)
    return [*args[:plain], *map(_value, args[plain:])]


def _value(x: Any) -> Any:
    return x.index if type(x) is Ref else repr(float(x))


def to_json(program: ProgramLike | LoopLike) -> str:
    """The program, or loop, as text."""
    import json

    return json.dumps({_header(type(program)): VERSION, **program.to_dict()}, separators=(",", ":"))


def _header(kind: Any) -> str:
    return f"chasles {kind.__name__.lower()}"


def program_fields(data: Any, loop: Callable[[Any], Any]) -> dict[str, Any]:
    """The fields of the program that `to_dict` was of, not yet checked; `loop` reads one of its loops."""
    if not isinstance(data, dict):
        raise ProgramError(f"a program is an object of {', '.join(_FIELDS)}, got {type(data).__name__}")
    for name in _FIELDS:
        if not isinstance(data.get(name), list):
            raise ProgramError(f"a program has a list {name!r}")
    for name in data:
        if name not in _FIELDS:
            raise ProgramError(f"a program has no {name!r:.80}")
    nodes = tuple(_node(k, row) for k, row in enumerate(data["nodes"]))
    results = tuple(_result(f"result {o}", row) for o, row in enumerate(data["results"]))
    inputs, outputs = _operands(data, "inputs"), _operands(data, "outputs")
    loops = tuple(map(loop, data["loops"]))
    return {"inputs": inputs, "outputs": outputs, "nodes": nodes, "results": results, "loops": loops}


def _result(where: str, row: Any) -> tuple[Any, ...]:
    if not isinstance(row, list):
        raise ProgramError(f"{where}: a list expected, got {type(row).__name__}")
    return tuple(_read(where, x) for x in row)


def _operands(data: dict[str, Any], name: str) -> tuple[Operand, ...]:
    operands = []
    for row in data[name]:
        match row:
            case [str(key), list(shape)]:
                operands.append(Operand(key, tuple(shape)))
            case _:
                raise ProgramError(f"{name}: each is [name, shape], got {row!r:.80}")
    return tuple(operands)


def _node(k: int, row: Any) -> tuple[str, tuple[Any, ...]]:
    match row:
        case [str(op), *args]:
            plain = _INDICES.get(op, 0)
            read = [*args[:plain], *(_read(f"node {k} ({op:.20})", x) for x in args[plain:])]
            if op == "item" and len(args) == 2:
                read[1] = args[1]
            return op, tuple(read)
    raise ProgramError(f"node {k}: each is [operation, arguments...], got {row!r:.80}")


def _read(where: str, x: Any) -> Any:
    """A reference or a constant."""
    if type(x) is int:
        return Ref(x)
    if isinstance(x, str):
        try:
            return float(x)
        except ValueError:
            pass
    raise ProgramError(f"{where}: an argument is the index of a node or a number in quotes, got {x!r:.80}")


def loop_fields(data: Any, program: Callable[[Any], Any]) -> dict[str, Any]:
    """The fields of the loop that its `to_dict` was of; `program` reads its step."""
    if not isinstance(data, dict):
        raise ProgramError(f"a loop is an object of {', '.join(_LOOP)}, got {type(data).__name__}")
    for name in ({*data} - {"equation"}) ^ {*_LOOP}:
        raise ProgramError(f"a loop has {'no' if name in data else 'a field'} {name!r:.80}")
    names = {key: _strings(key, data[key]) for key in ("carry", "given", "each", "record")}
    restart = data["restart"]
    if restart is not None:
        if not isinstance(restart, dict) or {*restart} != {"attempt", "score"}:
            raise ProgramError(f"restart is null or an object of attempt and score, got {restart!r:.80}")
        restart = Restart(**dict(zip(restart, _strings("restart", list(restart.values())), strict=True)))
    until = data["until"] if data["until"] is None else _strings("until", [data["until"]])[0]
    made = {"step": program(data["step"]), "equation": _equation(data.get("equation"), program)}
    return made | {"count": data["count"], "until": until, "rule": data["rule"], "restart": restart, **names}


def _equation(data: Any, program: Callable[[Any], Any]) -> Equation | None:
    if data is None:
        return None
    if not isinstance(data, dict) or {*data} != {"residual", "inverse"}:
        raise ProgramError(f"equation is null or an object of residual and inverse, got {data!r:.80}")
    return Equation(program(data["residual"]), program(data["inverse"]))


def _strings(what: str, given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(x, str) for x in given):
        raise ProgramError(f"{what}: names of operands are strings, got {given!r:.80}")
    return tuple(given)


def from_json(kind: Any, text: str) -> Any:
    """The program or loop, of class `kind`, that `to_json` wrote, checked."""
    import json

    header = _header(kind)
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or header not in data:
            raise ProgramError(f"this is no {header}: it has no {header!r}")
        version = data.pop(header)
        if type(version) is not int or version < 1:
            raise ProgramError(f"{header!r} is the version, a number from 1 on; got {version!r:.80}")
        if version > VERSION:
            raise ProgramError(
                f"this {header[8:]} is of version {version}; this chasles reads versions up to {VERSION}"
            )
        found = kind.from_dict(data)
        found.check()
    except ChaslesError:
        raise
    except RecursionError:
        raise ProgramError(f"this is no {header}: it is nested too deeply") from None
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ProgramError(f"this is no {header}: {error}") from error
    return found
