"""Label Studio: spans of a text, and relations between them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from cdec.errors import FormatError
from cdec.files.input import TextFile
from cdec.files.strict_json import shown
from cdec.formats import documents
from cdec.formats.annotation import Annotation
from cdec.formats.fields import objects
from cdec.tools.links import (
    Chains,
    Fail,
    Mention,
    field_of,
    notices_of,
    record_of_text,
)

_HINT = "export it as JSON; docs/formats.md has the tools"
_NAMES = (
    "title",
    "name",
    "filename",
    "document",
    "doc_id",
    "doc_key",
)  # the last counts
_SIDES = {"annotations": "clusters", "predictions": "predicted_clusters"}


def _fail(source: TextFile, line: int, number: int, message: str) -> FormatError:
    where = "" if line else f"record {number}: "
    return source.error("field-invalid", line, f"{where}{message}", _HINT)


def read_label_studio(source: TextFile) -> Annotation:
    """Read the JSON export of Label Studio: tasks with annotations, and perhaps predictions.

    A task has one annotation. Its predictions, if it has both, are the chains of a response.
    """
    records = []
    all_chains: list[Chains] = []
    for number, (line, task) in enumerate(objects(source), start=1):
        fail = partial(_fail, source, line, number)
        data = field_of(task, "data", dict, fail)
        texts = [value for value in data.values() if isinstance(value, str)]
        text = data.get("text")
        if not isinstance(text, str) and len(texts) == 1:
            (text,) = texts
        if not isinstance(text, str):
            raise fail("the task has no 'text'")
        sides = {}
        for name, clusters in _SIDES.items():
            results = [
                item.get("result")
                for item in task.get(name) or []
                if not item.get("was_cancelled")
            ]
            if len(results) > 1:
                raise fail(f"the task has {len(results)} {name}: keep one of them")
            if results:
                sides[clusters] = _of_results(results[0], fail)
        if not sides:
            sides["clusters"] = Chains()
        all_chains += sides.values()
        record = record_of_text(text, sides, source.place(line), fail)
        for name in _NAMES:
            if isinstance(data.get(name), str):
                record["doc_key"] = data[name]
        records.append((line, record))
    annotation = documents.of_records(source, records)
    notices = (*annotation.notices, *notices_of(all_chains, source.name))
    return replace(annotation, notices=notices)


def _of_results(results: Any, fail: Fail) -> Chains:
    """Return the chains of an annotation of Label Studio."""
    chains = Chains()
    if not isinstance(results, list):
        raise fail(f"'result' is {shown(results)}, not a list")
    for result in results:
        if result.get("type") == "relation":
            labels = result.get("labels") or []
            chains.link(result.get("from_id"), result.get("to_id"), labels)
        elif result.get("type") == "labels":
            value = field_of(result, "value", dict, fail)
            begin = field_of(value, "start", int, fail)
            end = field_of(value, "end", int, fail)
            words = value.get("text")
            chains.mentions[result.get("id")] = Mention(begin, end, words)
        else:
            chains.other_relations[str(result.get("type"))] += 1
    return chains
