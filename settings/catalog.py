"""The settings of the literature, and the parsing of setting names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar, cast

from cdec.catalogue import entries
from cdec.corpus.model import Corpus
from cdec.errors import UnknownNameError, UsageError, one_of
from cdec.plugins import Registry
from cdec.settings.setting import SCOPES, Scope, Setting, Singletons

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


# In this order everywhere. PURE-CDEC and SIMPLE-CDEC evaluate all links across documents, B&H and
# S.T. fewer; I.S. removes singletons, YCF does both.
STRICT_TO_LENIENT = (PURE_CDEC, SIMPLE_CDEC, BH, ST, IS, YCF)
SETTINGS: Registry[Setting] = Registry(
    "setting", "cdec.settings", entries("setting"), _check
)
_NAMES = {
    **{setting.name: setting for setting in STRICT_TO_LENIENT},
    "simplecdec": SIMPLE_CDEC,
    "purecdec": PURE_CDEC,
    "bejanharabagiu": BH,
}
_ALL = "all"
_TRUTH = {
    "yes": True,
    "true": True,
    "1": True,
    "no": False,
    "false": False,
    "0": False,
}
_SINGLETONS_OF_TEXT: Mapping[str, Singletons | bool] = {
    **_TRUTH,
    "key": "key",
    "own": "own",
}
_CHOICES = ("scope", "ignore_singletons", "reduce_within_document")
_PUNCTUATION = re.compile(r"[\s_.&-]")
V = TypeVar("V")
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
        return _setting_of_choices(text)
    name = _PUNCTUATION.sub("", text.lower())
    if name == _ALL:
        raise UsageError(
            "argument-invalid",
            "expected one setting, got 'all'",
            hint=f"name one of {', '.join(SETTINGS.own)}",
        )
    if name in _NAMES:  # before a plug-in with a similar name
        return _NAMES[name]
    for setting_name in SETTINGS:
        if _PUNCTUATION.sub("", setting_name.lower()) == name:
            return SETTINGS[setting_name]
    raise UnknownNameError("setting", text, [*SETTINGS, _ALL, "scope=…"])


def as_settings(setting: Settings, corpus: Corpus | None = None) -> tuple[Setting, ...]:
    """Return the Settings for names, lists of choices and Settings, without duplicates.

    ``all`` leaves out the settings whose level ``corpus`` lacks; for another of them UsageError is
    raised.
    """
    items = [setting] if isinstance(setting, str | Setting) else setting
    is_list = isinstance(items, Sequence) and len(items) > 0
    if not is_list or not all(isinstance(item, str | Setting) for item in items):
        raise UsageError(
            "argument-invalid",
            f"expected a setting name, a Setting or a list of these, got {setting!r}",
            hint='such as "pure" or "all"',
        )
    settings = {}
    for item in items:
        item_settings: Sequence[Setting]
        if isinstance(item, Setting):
            item_settings = [item]
        elif item.strip().lower() == _ALL:
            item_settings = STRICT_TO_LENIENT
        else:
            item_settings = [find_setting(item)]
        if corpus is not None:
            levels = [*corpus.levels, "document"]
            usable = [
                option
                for option in item_settings
                if option.scope in (*levels, "corpus")
            ]
            if not usable:
                needed = item_settings[0]
                raise UsageError(
                    "annotation-missing",
                    f"the setting '{needed.name}' needs the level {needed.scope}",
                    place=corpus.name,
                    hint=f"it has {', '.join(levels)}; 'all' uses the settings that these allow",
                )
            item_settings = usable
        settings.update(dict.fromkeys(item_settings))
    names = [setting.name for setting in settings]
    for name in names:
        if names.count(name) > 1:
            # The rows of the results have the name of their setting.
            raise UsageError(
                "argument-invalid",
                f"two settings have the name '{name}'",
                hint="give one another name",
            )
    return tuple(settings)


def signed(setting: Setting) -> str:
    """Return the setting for a signature: its name if it is one of cdec's, else its choices.

    >>> signed(PURE_CDEC), signed(Setting("mine", "Mine", "document"))
    ('pure', 'scope=document')
    """
    if setting in STRICT_TO_LENIENT:
        return setting.name
    return setting.choices


def label_of(name: str) -> str:
    """Return the label of a setting by its id; the id itself for a setting outside the registry.

    >>> label_of("bh")
    'B&H'
    """
    if "=" in name or name not in SETTINGS:  # no id has an equals sign
        return name
    return SETTINGS[name].label


def _setting_of_choices(text: str) -> Setting:
    """Return the setting of a list of choices: one of the six, or one that is named by them."""
    choices: dict[str, str] = {}
    for piece in text.split(","):
        name, _, value = piece.partition("=")
        name = one_of("setting choice", name.strip().replace("-", "_"), _CHOICES)
        if name in choices:
            raise UsageError(
                "argument-invalid", f"duplicate choice in the setting '{text}'"
            )
        choices[name] = value.strip().lower()
    if "scope" not in choices:
        raise UsageError(
            "argument-invalid",
            f"the setting '{text}' has no scope",
            hint=f"name a scope, one of {', '.join(SCOPES)}",
        )
    setting = Setting(
        name="",
        label="",
        scope=cast("Scope", choices["scope"]),
        ignore_singletons=_value_of(choices, "ignore_singletons", _SINGLETONS_OF_TEXT),
        reduce_within_document=_value_of(choices, "reduce_within_document", _TRUTH),
    )
    for usual in STRICT_TO_LENIENT:
        if usual.choices == setting.choices:
            return usual
    return replace(setting, name=setting.choices, label=setting.choices)


def _value_of(choices: Mapping[str, str], name: str, values: Mapping[str, V]) -> V:
    text = choices.get(name, "no")
    if text not in values:
        raise UsageError(
            "argument-invalid",
            f"{name} must be one of {', '.join(values)}, got '{text}'",
        )
    return values[text]
