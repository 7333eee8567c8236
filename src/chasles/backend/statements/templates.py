"""Templates of operations that most languages write with the same signs; each adds its own and replaces some."""

SIGNS = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "neg": "-{}",
    "less": "{} < {}",
    "less_equal": "{} <= {}",
    "and": "{} && {}",
    "or": "{} || {}",
    "not": "!{}",
}
DRAWN = {"random": "random_number({}, {})", "normal": "normal_number({}, {})"}
