"""The settings of the literature, and the parsing of setting names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, cast

from cdec.corpus.model import Corpus
from cdec.errors import UnknownNameError, UsageError, one_of
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
_ALIASES = {"simplecdec": SIMPLE_CDEC, "purecdec": PURE_CDEC, "bejanharabagiu": BH}
_NAMES = {**{setting.name: setting for setting in _SIX}, **_ALIASES}
_EVERY = "all"
_TRUTH = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
_IGNORED: Mapping[str, Singletons | bool] = {**_TRUTH, **{name: name for name in SINGLETONS}}
_CHOICES = ("scope", "ignore_singletons", "reduce_within_document")
Settings: TypeAlias = "str | Setting | Sequence[str | Setting]"


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
    plain = re.compile(r"[\s_.&-]")
    name = plain.sub("", text.lower())
    if name == _EVERY:
        message = "expected one setting, got 'all'"
        raise UsageError("argument-invalid", message, hint=f"name one of {', '.join(SETTINGS.own)}")
    if name in _NAMES:  # before a plug-in with a similar name
        return _NAMES[name]
    for key in SETTINGS:
        if plain.sub("", key.lower()) == name:
            return SETTINGS[key]
    raise UnknownNameError("setting", text, [*SETTINGS, _EVERY, "scope=…"])


def as_settings(setting: Settings, corpus: Corpus | None = None) -> tuple[Setting, ...]:
    """Return the Settings for names, lists of choices and Settings, without duplicates.

    ``all`` leaves out the settings whose level ``corpus`` lacks; for another of them UsageError is
    raised.
    """
    items = [setting] if isinstance(setting, str | Setting) else setting
    are_settings = isinstance(items, Sequence) and all(isinstance(s, str | Setting) for s in items)
    if not are_settings or not items:
        message = f"expected a setting name, a Setting or a list of these, got {setting!r}"
        raise UsageError("argument-invalid", message, hint='such as "pure" or "all"')
    chosen: dict[Setting, None] = {}
    for item in items:
        several: Sequence[Setting] = _SIX
        if isinstance(item, Setting) or item.strip().lower() != _EVERY:
            several = [item if isinstance(item, Setting) else find_setting(item)]
        levels = [*(corpus.levels if corpus else ()), "document", "corpus"]
        fitting = [one for one in several if corpus is None or one.scope in levels]
        if not fitting and corpus is not None:
            message = f"the setting '{several[0].name}' needs the level {several[0].scope}"
            hint = f"it has {', '.join(levels[:-1])}; 'all' uses the settings that these allow"
            raise UsageError("annotation-missing", message, place=corpus.name, hint=hint)
        chosen |= dict.fromkeys(fitting)
    names = [each.name for each in chosen]
    for name in names:
        if names.count(name) > 1:  # results are named by it
            message, hint = f"two settings have the name '{name}'", "give one another name"
            raise UsageError("argument-invalid", message, hint=hint)
    return tuple(chosen)


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
    """Return the setting of a list of choices: one of the six, or one that is named by them."""
    choices: dict[str, str] = {}
    for piece in text.split(","):
        name, _, value = (part.strip() for part in piece.partition("="))
        name = one_of("setting choice", name.replace("-", "_"), _CHOICES)
        if name in choices:
            raise UsageError("argument-invalid", f"duplicate choice in the setting '{text}'")
        choices[name] = value.lower()
    if "scope" not in choices:
        message = f"the setting '{text}' has no scope"
        raise UsageError(
            "argument-invalid", message, hint=f"name a scope, one of {', '.join(SCOPES)}"
        )
    scope = cast("Scope", choices["scope"])
    for name, known in (("ignore_singletons", _IGNORED), ("reduce_within_document", _TRUTH)):
        if (value := choices.setdefault(name, "no")) not in known:
            message = f"{name} must be one of {', '.join(known)}, got '{value}'"
            raise UsageError("argument-invalid", message)
    ignored = _IGNORED[choices["ignore_singletons"]]
    setting = Setting("", "", scope, ignored, _TRUTH[choices["reduce_within_document"]])
    setting = replace(setting, name=setting.choices, label=setting.choices)
    return next((own for own in _SIX if own.choices == setting.choices), setting)
