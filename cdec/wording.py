"""Numbers with their nouns, for all that people read."""


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number and its noun, as in ``1 topic`` and ``1,200 topics``.

    ``many`` is the plural where it is more than an added s: with a verb, or an odd noun.

    >>> counted(1, "mention"), counted(1200, "mention")
    ('1 mention', '1,200 mentions')
    >>> counted(2, "mention is missing", "mentions are missing")
    '2 mentions are missing'
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
