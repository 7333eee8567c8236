"""The command line: `chasles list`, `chasles info ROBOT`, `chasles bench ROBOT`, `chasles geometry ROBOT`."""


def main() -> None:
    """Run the command line of this process."""
    from chasles.cli.app import app

    app(prog_name="chasles")
