"""Messages and hints in the words of Python.

They are written once, in the words of the command line: ``--split NAME/PART``, ``NAME=FILE``. An
option becomes the parameter of Python with its value, ``split="NAME/PART"``. A command in
backquotes (`pip install …`) and a quoted value of the user stay.

>>> in_python("keep one, or use --repeated first|drop")
'keep one, or use policy=FilePolicy(repeated="first"|"drop")'
>>> in_python("choose another part with --split, or give a name, as in NAME=FILE")
'choose another part with split, or give a name, as in {"name": file}'
"""

from __future__ import annotations

import re

_POLICY = 'policy=FilePolicy({}="{}")'
_PLAN = 'Plan({}="{}")'
# Options whose parameter has another name, or is a field: (parameter, its form with a value).
_OTHERS = {
    "match": ("alignment", _POLICY),
    **{n: (n, _POLICY) for n in ("repeated", "words", "outside", "missing", "heads", "zeros")},
    "nlp": ("pipeline", '{}="{}"'),
    "test": ("test", _PLAN),
}
_PHRASES = {
    "--allow-empty": "policy=FilePolicy(allow_empty=True)",
    "--i-know": "i_know=True",
    " (--nlp)": "",
    "(topics, --topics)": "(topics)",
    "`--response NAME=FILE`": '{"name": file}',
    "NAME=run1.conll,run2.conll": "'mine=run1.conll,run2.conll'",
    "NAME=FILE": '{"name": file}',
    "`cdec eval FILE`": "cdec.evaluate",
    "`cdec eval --response`": "cdec.evaluate",
    "`cdec eval --format json`": "results.save",
    "`cdec corpus add TEXTS --mentions FILE`": "cdec.build_corpus",
}
_PHRASE = re.compile("|".join(map(re.escape, _PHRASES)))
_COMMAND = r"`\w[^`]*`"
# The next word is the value, unless it continues the sentence.
_NO_VALUE = "and|derives|has|is|must|or|out|that|with"
_VALUE = rf"(?!(?:{_NO_VALUE})\b)('[^']*'|\w[^\s,;()]*(?<![.:?]))"
_OPTION = re.compile(rf"{_COMMAND}|(?<![\w'\"-])--([a-z]+(?:-[a-z]+)*)(?: {_VALUE})?")


def in_python(text: str) -> str:
    """Return a text with the options of the command line as parameters of Python."""
    return _OPTION.sub(_parameter, _PHRASE.sub(lambda found: _PHRASES[found[0]], text))


def _parameter(found: re.Match[str]) -> str:
    option: str | None = found[1]
    value: str | None = found[2]
    if option is None:
        return str(found[0])  # a command
    name, form = _OTHERS.get(option, (option.replace("-", "_"), '{}="{}"'))
    if value is None:
        return name
    if value.isdigit() or value.startswith("'"):
        return f"{name}={value}"
    return form.format(name, value.replace("|", '"|"'))
