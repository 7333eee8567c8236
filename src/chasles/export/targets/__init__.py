"""Targets of export: one module each, with

    files(function: Exported) -> dict[str, str | bytes]     names of files, folders in them with /, and what they hold
    ABOUT                                                   a line: what is written, and what compiles or runs it

The text of the function itself is that of the printer of the same name (backend/). Files are the same bytes each time.
"""
