"""Text from elsewhere, made safe for a terminal."""


def clean(text: str, keep: str = "") -> str:
    """Text from elsewhere, safe for a terminal: no control characters, nothing that turns the line around.

    keep: control characters that stay.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep else "?" for char in text)
