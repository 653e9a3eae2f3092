"""Label Studio: the labelling interface for the tasks, and its JSON export as rows of answers."""

from __future__ import annotations

from collections import defaultdict
from html import escape
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from cdec.auditing.decisions import ERROR, FINE, REASONS, VERDICTS
from cdec.files.input import FileKind
from cdec.files.models import FileModel, validated


class _Exported(FileModel):
    """An object of an export, whose other fields are not read."""

    model_config = ConfigDict(extra="ignore")


class _Data(_Exported):
    case: str


class _Value(_Exported):
    choices: list[str] = Field(default_factory=list)
    text: list[str] | str = ""


class _Result(_Exported):
    from_name: str
    value: _Value


class _Annotation(_Exported):
    completed_by: int | str | dict[str, Any] | None = None
    was_cancelled: bool = False
    updated_at: str = ""
    result: list[_Result]


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


def answers(content: list[Any], path: Path, file: FileKind) -> dict[str, list[tuple[str, Any]]]:
    """Return each annotator → the rows of their answers, with the place of each.

    An annotator is named by address, else by number; skipped tasks are left out. Raises the error
    of ``file`` for an object that is no task of an export, or an export without an annotation.
    """
    found: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for number, item in enumerate(content, start=1):
        place = f"{path}: task {number}"
        task = validated(_Task, item, place, file)
        for one in task.annotations:
            if not one.was_cancelled:
                found[_reader(one.completed_by)].append((place, _row(task.data.case, one)))
    if not found:
        raise file.refuse(path, "no task has an annotation")
    return found


def _reader(who: Any) -> str:
    named = who.get("email") or who.get("id") if isinstance(who, dict) else who
    return named if isinstance(named, str) else f"annotator {named or 'unknown'}"


def _row(case: str, given: _Annotation) -> dict[str, str]:
    row = dict.fromkeys(("verdict", "correction", "reason"), "")
    row |= {"case": case, "time": given.updated_at}
    for one in given.result:
        text = one.value.choices or one.value.text
        row[one.from_name] = text if isinstance(text, str) else "\n".join(text)
    # A control that is hidden after a change of the verdict keeps its value.
    row["reason" if row["verdict"] == ERROR else "correction"] = ""
    codes = {words: code for code, words in REASONS.items()}
    # A correction is exported as its text, which begins with its number.
    number = row["correction"].partition(".")[0]
    return row | {"correction": number, "reason": codes.get(row["reason"], row["reason"])}
