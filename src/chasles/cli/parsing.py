"""Numbers in the options of commands."""

from chasles.errors import ModelError


def numbers(text: str, option: str) -> list[float]:
    """The numbers of an option, with spaces or commas between."""
    found = []
    for word in text.replace(",", " ").split():
        try:
            found.append(float(word))
        except ValueError:
            raise ModelError(f"{option}: {word!r} is no number, in {text!r}") from None
    return found
