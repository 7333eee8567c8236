"""`python -m chasles` is the command line."""

from chasles.cli import main

main()
