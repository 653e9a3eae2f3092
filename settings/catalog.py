"""The settings of the literature, and the parsing of setting names."""

from __future__ import annotations

import re
from dataclasses import replace

from cdec.errors import UnknownNameError, UsageError
from cdec.plugins import Registry
from cdec.settings.setting import SCOPES, SINGLETONS, Scope, Setting, Singletons

BH = Setting("bh", "B&H", "topic")
ST = Setting("st", "S.T.", "subtopic")
IS = Setting("is", "I.S.", "corpus", ignore_singletons="key")
YCF = Setting("ycf", "YCF", "subtopic", ignore_singletons="key")
SIMPLE_CDEC = Setting("simple", "SIMPLE-CDEC", "corpus")
PURE_CDEC = Setting("pure", "PURE-CDEC", "corpus", reduce_within_document=True)


def _check(name: str, value: object) -> None:
    if not isinstance(value, Setting):
        raise TypeError(f"expected a Setting, got {value!r:.60}")
    if value.name != name:
        raise ValueError(f"the name of the setting is '{value.name}'")


_SIX = (BH, ST, IS, YCF, SIMPLE_CDEC, PURE_CDEC)
# PURE-CDEC and SIMPLE-CDEC evaluate all links across documents, B&H and S.T. fewer; I.S. removes
# singletons, YCF does both.
STRICT_TO_LENIENT = (PURE_CDEC, SIMPLE_CDEC, BH, ST, IS, YCF)
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
_CHOICES = ("scope", "ignore_singletons", "reduce_within_document")


def find_setting(text: str) -> Setting:
    """Return the setting with a name, or with a list of choices.

    Case and punctuation of a name do not matter (``pure``, ``PURE-CDEC``, ``b&h``); choices are
    written as ``scope=topic,ignore_singletons=own`` (``yes`` means ``key``). Raises
    UnknownNameError, UsageError.

    >>> find_setting("PURE-CDEC").name, find_setting("scope=topic").name
    ('pure', 'bh')
    """
    if "=" in text:
        return _described(text)
    name = _plain(text)
    if name == _EVERY:
        message = "expected one setting, got 'all'"
        raise UsageError("argument-type", message, hint=f"name one of {', '.join(SETTINGS.own)}")
    # Settings of cdec come first: they win over plug-ins with a similar name.
    known = _ALIASES.get(name) or next((key for key in SETTINGS if _plain(key) == name), None)
    if known is None:
        raise UnknownNameError("setting", text, [*SETTINGS, _EVERY, "scope=…"])
    return SETTINGS[known]


def find_settings(texts: list[str]) -> list[Setting]:
    """Return the settings with these names, without duplicates; ``all`` is the six of cdec.

    >>> [setting.name for setting in find_settings(["all"])]
    ['bh', 'st', 'is', 'ycf', 'simple', 'pure']
    """
    settings: list[Setting] = []
    for text in texts:
        settings += _SIX if text.strip().lower() == _EVERY else [find_setting(text)]
    return list(dict.fromkeys(settings))


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.lower())


def signed(setting: Setting) -> str:
    """Return the setting for a signature: its name if it is one of cdec's, else its choices.

    >>> signed(PURE_CDEC), signed(Setting("mine", "Mine", "document"))
    ('pure', 'scope=document')
    """
    return setting.name if setting in _SIX else setting.choices


def label_of(name: str) -> str:
    """Return the label of a setting by its id; the id itself for a setting outside the registry.

    >>> label_of("bh")
    'B&H'
    """
    return SETTINGS[name].label if name in SETTINGS else name


def _described(text: str) -> Setting:
    pairs = [_choice(piece) for piece in text.split(",")]
    choices = dict(pairs)
    if len(choices) < len(pairs):
        raise UsageError("option-invalid", f"duplicate choice in the setting '{text}'")
    scope = _scope(choices.pop("scope", None), text)
    ignored = _ignored(choices.get("ignore_singletons", "no"))
    reduced = _truth("reduce_within_document", choices.get("reduce_within_document", "no"))
    setting = Setting("", "", scope, ignored, reduced)
    setting = replace(setting, name=setting.choices, label=setting.choices)
    return next((own for own in _SIX if own.choices == setting.choices), setting)


def _choice(piece: str) -> tuple[str, str]:
    name, _, value = (part.strip() for part in piece.partition("="))
    name = name.replace("-", "_")
    if name not in _CHOICES:
        raise UnknownNameError("setting choice", name, _CHOICES)
    return name, value.lower()


def _scope(value: str | None, text: str) -> Scope:
    if value is None:
        message = f"the setting '{text}' has no scope"
        raise UsageError("option-invalid", message, hint=f"add scope= one of {', '.join(SCOPES)}")
    for scope in SCOPES:
        if scope == value:
            return scope
    raise UnknownNameError("scope", value, SCOPES)


def _ignored(value: str) -> Singletons:
    for name in SINGLETONS:
        if value == name:
            return name
    if value not in _TRUTH:
        expected = f"{', '.join(SINGLETONS)} or yes (for key)"
        message = f"ignore_singletons must be {expected}, got '{value}'"
        raise UsageError("option-invalid", message)
    return "key" if _TRUTH[value] else "no"


def _truth(name: str, value: str) -> bool:
    if value not in _TRUTH:
        raise UsageError("option-invalid", f"{name} must be yes or no, got '{value}'")
    return _TRUTH[value]
