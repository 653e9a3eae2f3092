"""Label Studio: the labelling interface for the tasks, and its JSON export as rows of answers."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from cdec.auditing.questions import ERROR, FINE, REASONS, VERDICTS
from cdec.files.input import FileKind
from cdec.files.models import FileModel, validated


class _Exported(FileModel):
    """An object of an export, whose other fields are not read."""

    model_config = ConfigDict(extra="ignore")


class _Result(_Exported):
    from_name: str
    value: dict[str, Any]


class _Annotation(_Exported):
    completed_by: int | str | dict[str, Any] | None = None
    was_cancelled: bool = False
    updated_at: str = ""
    result: list[_Result]


class _Data(_Exported):
    case: str


class _Task(_Exported):
    data: _Data
    annotations: list[_Annotation] = Field(default_factory=list)


def interface() -> str:
    """Return the labelling interface of the tasks of `cdec audit review -o tasks.json`, as XML.

    >>> interface().splitlines()[0]
    '<View>'
    """
    verdicts = "".join(f'    <Choice value="{verdict}"/>\n' for verdict in VERDICTS)
    reasons = "".join(
        f'    <Choice value="{escape(words)}" alias="{code}"/>\n' for code, words in REASONS.items()
    )
    when = 'visibleWhen="choice-selected" whenTagName="verdict" whenChoiceValue='
    single = 'toName="text" choice="single-radio"'
    return (
        '<View>\n  <Header value="$question"/>\n  <Text name="text" value="$text"/>\n'
        f'  <Choices name="verdict" {single} required="true">\n{verdicts}  </Choices>\n'
        f'  <Choices name="correction" value="$corrections" {single} {when}"{ERROR}"/>\n'
        f'  <Choices name="reason" {single} {when}"{FINE}">\n{reasons}  </Choices>\n'
        '  <TextArea name="comment" toName="text" placeholder="comment"/>\n</View>\n'
    )


def answers(
    content: list[Any], path: Path, file: FileKind
) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the annotator, the place and the fields of each answer; skipped tasks are left out.

    An annotator is named by address, else by number. Raises the error of ``file`` for an object
    that is no task of an export.
    """
    codes = {words: code for code, words in REASONS.items()}
    for number, item in enumerate(content, start=1):
        place = f"{path}: task {number}"
        task = validated(_Task, item, place, file)
        for one in (one for one in task.annotations if not one.was_cancelled):
            who: Any = one.completed_by
            who = who.get("email") or who.get("id") if isinstance(who, dict) else who
            row = {"case": task.data.case, "time": one.updated_at}
            row |= dict.fromkeys(("verdict", "correction", "reason"), "")
            for result in one.result:
                given = result.value.get("choices") or result.value.get("text") or ""
                row[result.from_name] = "\n".join(
                    map(str, given if isinstance(given, list) else [given])
                )
            # A control that is hidden after a change of the verdict keeps its value.
            row["reason" if row["verdict"] == ERROR else "correction"] = ""
            # A correction is exported as its text, which begins with its number.
            row["correction"] = row["correction"].partition(".")[0]
            row["reason"] = codes.get(row["reason"], row["reason"])
            yield who if isinstance(who, str) else f"annotator {who or 'unknown'}", place, row
