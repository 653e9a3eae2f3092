"""The integers that texts give: only ASCII digits, and a limited number of them.

Python also reads ``1_0`` and the digits of any script, and refuses to convert thousands of digits.
"""


def integer(text: str, digits: int = 9) -> int:
    """Return the integer of a text; −1 for any other text and for more than ``digits`` digits.

    >>> [integer(text) for text in ("12", "1_0", "1e0", "-1", "", "1" * 10)]
    [12, -1, -1, -1, -1, -1]
    """
    return int(text) if len(text) <= digits and text.isascii() and text.isdigit() else -1
