"""The settings that a call names, of those that the levels of the corpus allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from cdec.corpus.model import Corpus
from cdec.errors import UsageError, counted
from cdec.notices import Notice
from cdec.settings import Setting, find_settings

Settings: TypeAlias = "str | Setting | Sequence[str | Setting]"


def as_settings(setting: Settings, corpus: Corpus | None = None) -> tuple[Setting, ...]:
    """Return the Settings for names, lists of choices and Settings, without duplicates.

    ``all`` leaves out the settings whose level ``corpus`` lacks; for another of them UsageError is
    raised.
    """
    items = [setting] if isinstance(setting, str | Setting) else setting
    are_settings = isinstance(items, Sequence) and all(isinstance(s, str | Setting) for s in items)
    if not are_settings or not items:
        message = f"expected a setting name, a Setting or a list of these, got {setting!r}"
        raise UsageError("argument-type", message, hint='such as "pure" or "all"')
    chosen: list[Setting] = []
    for item in items:
        several = [item] if isinstance(item, Setting) else find_settings([item])
        fitting = several if corpus is None else [s for s in several if _fits(s, corpus)]
        if corpus is not None and not fitting:
            raise _level_missing(several[0], corpus)
        chosen += fitting
    distinct = tuple(dict.fromkeys(chosen))
    names = [each.name for each in distinct]
    for name in names:
        if names.count(name) > 1:  # results are named by it
            message, hint = f"two settings have the name '{name}'", "give one another name"
            raise UsageError("argument-type", message, hint=hint)
    return distinct


def left_out(setting: Settings, corpus: Corpus) -> Iterator[Notice]:
    """Yield a notice on the settings that ``all`` leaves out for this corpus."""
    fitting = as_settings(setting, corpus)
    names = [each.name for each in as_settings(setting) if each not in fitting]
    if names:
        what = counted(len(names), "setting needs", "settings need")
        message = f"{what} a level that {corpus.name} lacks: {', '.join(names)} left out"
        yield Notice("settings-left-out", len(names), message, warning=False)


def _fits(setting: Setting, corpus: Corpus) -> bool:
    return setting.scope in ("document", "corpus", *corpus.levels)


def _level_missing(setting: Setting, corpus: Corpus) -> UsageError:
    levels = [*corpus.levels, "document"]
    message = f"the setting '{setting.name}' needs the level {setting.scope}"
    hint = f"it has {', '.join(levels)}; --setting all uses the settings that these allow"
    return UsageError("level-missing", message, place=corpus.name, hint=hint)
