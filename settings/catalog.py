"""The settings of the literature, as data, and the reading of setting names."""

from __future__ import annotations

import re
from dataclasses import replace

from cdec.errors import UnknownNameError, UsageError
from cdec.plugins import Registry
from cdec.settings.setting import SCOPES, Scope, Setting

BH = Setting("bh", "B&H", "topic")
ST = Setting("st", "S.T.", "subtopic")
IS = Setting("is", "I.S.", "corpus", ignore_singletons=True)
YCF = Setting("ycf", "YCF", "subtopic", ignore_singletons=True)
SIMPLE_CDEC = Setting("simple", "SIMPLE-CDEC", "corpus")
PURE_CDEC = Setting("pure", "PURE-CDEC", "corpus", reduce_within_document=True)


def _check(name: str, value: object) -> None:
    if not isinstance(value, Setting):
        raise TypeError(f"expected a Setting, got {value!r:.60}")
    if value.name != name:
        raise ValueError(f"the setting calls itself '{value.name}'")


_SIX = (BH, ST, IS, YCF, SIMPLE_CDEC, PURE_CDEC)
SETTINGS: Registry[Setting] = Registry(
    "setting", "cdec.settings", {s.name: s for s in _SIX}, _check
)
_ALIASES = {
    "b&h": "bh",
    "bejanharabagiu": "bh",
    "s.t.": "st",
    "i.s.": "is",
    "simplecdec": "simple",
    "purecdec": "pure",
}
_EVERY = "all"
_TRUTH = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
_SWITCHES = ("ignore_singletons", "reduce_within_document")


def find_setting(text: str) -> Setting:
    """Return the setting that ``text`` names or describes.

    Names are forgiving (``pure``, ``PURE-CDEC``, ``b&h``); a description is a list of choices,
    as in ``scope=topic,ignore_singletons=yes``. Raises UnknownNameError, UsageError.

    >>> find_setting("PURE-CDEC").name, find_setting("scope=topic").name
    ('pure', 'bh')
    """
    if "=" in text:
        return _described(text)
    name = _plain(text)
    if name == _EVERY:
        raise UsageError("'all' is six settings where one is wanted", hint=", ".join(SETTINGS.own))
    # The names of cdec come first: they win over plug-ins' that look alike.
    known = _ALIASES.get(name) or next((one for one in SETTINGS if _plain(one) == name), None)
    if known is None:
        raise UnknownNameError("setting", text, [*SETTINGS, _EVERY, "scope=…"])
    return SETTINGS[known]


def find_settings(texts: list[str]) -> list[Setting]:
    """Return the settings that ``texts`` name, each once; ``all`` is the six of the catalogue.

    >>> [setting.name for setting in find_settings(["all"])]
    ['bh', 'st', 'is', 'ycf', 'simple', 'pure']
    """
    found: list[Setting] = []
    for text in texts:
        found += _SIX if text.strip().lower() == _EVERY else [find_setting(text)]
    return list(dict.fromkeys(found))


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.lower())


def signed(setting: Setting) -> str:
    """Return what a signature calls ``setting``: its name if cdec has it, else its choices.

    >>> signed(PURE_CDEC), signed(Setting("mine", "Mine", "document"))
    ('pure', 'scope=document')
    """
    return setting.name if setting in _SIX else setting.choices


def label_of(name: str) -> str:
    """Return the label of the setting with the id ``name``; a setting of one's own has its id.

    >>> label_of("bh")
    'B&H'
    """
    return SETTINGS[name].label if name in SETTINGS else name


def _described(text: str) -> Setting:
    pairs = [_choice(piece, text) for piece in text.split(",")]
    choices = dict(pairs)
    if len(choices) < len(pairs):
        raise UsageError(f"a choice stands twice in the setting '{text}'")
    scope = _scope(choices.pop("scope", None), text)
    switches = {name: _truth(name, value) for name, value in choices.items()}
    made = Setting("", "", scope, **switches)
    made = replace(made, name=made.choices, label=made.choices)
    same = (s for s in _SIX if s.choices == made.choices)
    return next(same, made)


def _choice(piece: str, text: str) -> tuple[str, str]:
    name, _, value = (part.strip() for part in piece.partition("="))
    name = name.replace("-", "_")
    if name not in ("scope", *_SWITCHES):
        raise UnknownNameError(f"choice in the setting '{text}':", name, ["scope", *_SWITCHES])
    return name, value.lower()


def _scope(value: str | None, text: str) -> Scope:
    if value is None:
        raise UsageError(
            f"no scope in the setting '{text}'", hint=f"add scope= one of {', '.join(SCOPES)}"
        )
    for scope in SCOPES:
        if scope == value:
            return scope
    raise UnknownNameError("scope", value, SCOPES)


def _truth(name: str, value: str) -> bool:
    if value not in _TRUTH:
        raise UsageError(f"{name} is yes or no, not '{value}'")
    return _TRUTH[value]
