"""Programs and loops as statements: what back ends for languages that compute step by step have in common.

A program becomes a function of arrays, one for each input and then one for each output, that hold the elements of the
operands in C order; so does a loop, and the step that it repeats. A language says in a subclass of `Language` how its
statements are spelled (language.py); what is said in them is here (programs.py, loops.py):

    write(language, body, name)    the function of a program or a loop, behind those that it calls, in `language.lines`

Inputs are read and never written, outputs are other arrays, and arrays inside have fixed sizes.
"""

from chasles.backend.statements.language import Kind, Language, Parameter
from chasles.backend.statements.programs import write

__all__ = ["Kind", "Language", "Parameter", "write"]
