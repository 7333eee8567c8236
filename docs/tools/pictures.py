"""The pictures of docs/pictures.md, each by the block that stands above it: `python docs/tools/pictures.py`."""

import re
from pathlib import Path

import chasles as ch

DOCS = Path(__file__).parents[1]
BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n!\[[^]]*\]\((images/\w+\.svg)\))?", re.DOTALL)


def main() -> None:
    (DOCS / "images").mkdir(exist_ok=True)
    names: dict = {}
    for code, file in BLOCK.findall((DOCS / "pictures.md").read_text()):
        exec(code, names)
        if file:
            ch.plot.save(names["figure"], DOCS / file)


if __name__ == "__main__":
    main()
