"""The options of commands that write a page."""

from typing import Annotated

import typer

Output = Annotated[
    str | None,
    typer.Option(
        "-o", "--output", metavar="FILE", help="The .html file to write. Default: a temporary one that stays."
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Write to a file that exists too.")]
Open = Annotated[
    bool | None,
    typer.Option(
        "--open/--no-open",
        help="Open it in a browser. Default: where there is one, and neither over SSH nor in CI.",
        show_default=False,
    ),
]
Meshes = Annotated[bool, typer.Option(help="Show the meshes that the file names (needs the extra chasles\\[meshes]).")]
Folder = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FOLDER",
        help="A folder besides the file's own that meshes may come from; again for more.",
        show_default=False,
    ),
]
Base = Annotated[
    str | None,
    typer.Option(
        metavar="KIND", help="A base that moves: free, planar or spherical. Default: fixed.", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; opened with --open alone.")]
