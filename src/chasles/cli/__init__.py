"""The command line: `chasles list`, and of a robot `chasles report`, `info`, `view`, `export`, `bench`, `geometry`."""

import signal


def main() -> None:
    """Run the command line of this process; a pipe that closes ends it as it ends other programs."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    from chasles.cli.app import app

    app(prog_name="chasles")
