"""What a reader must know of a system to compare it with another, from its declaration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

import pandas as pd

from cdec.errors import FormatError
from cdec.leaderboards.declaration import RunDeclaration, Uses
from cdec.leaderboards.submission import Submission
from cdec.leaderboards.table import coverage_text

OF_RUN = [*RunDeclaration.model_fields]
_TRAINING = ("trained_on", "tuned_on")
FILTERS = {
    "gold-topics": "no gold topics",
    "saw-test": "no language model that may know test",
    "closed": "open outputs",
}
"""What a row can be hidden for → the name of the filter that hides it."""
_RAW = re.compile(
    r"https://raw\.githubusercontent\.com/([^/]+/[^/]+)/([0-9a-f]{40})/.*"
)
_TREE = r"https://github.com/\1/tree/\2"
_WEB = ("https://", "http://")
_GOLD = ("topics", "pairs", "singletons")


def declared(submissions: Iterable[Submission], task: str) -> pd.DataFrame:
    """Return what systems declare for a task: a row a system, None where it declares nothing.

    Of several runs: the mean of numbers that all declare, or all distinct texts. Raises FormatError
    for costs in two currencies.
    """
    rows = {}
    for submission in submissions:
        entry = submission.entry
        row = dict(entry.uses) | {field: getattr(entry, field) for field in _TRAINING}
        runs = submission.runs(task)
        for field in OF_RUN:
            values = [getattr(run, field) for run in runs]
            row[field] = _of_runs(field, values, submission.name)
        rows[submission.name] = row
    columns = [*Uses.model_fields, *_TRAINING, *OF_RUN]
    table = pd.DataFrame.from_dict(rows, orient="index").reindex(columns=columns)
    return table.astype(object).where(table.notna(), None)


def _of_runs(field: str, values: Sequence[Any], system: str) -> Any:
    """Return one value for the runs of a system, None for numbers that a run does not declare."""
    declared_values = [value for value in values if value is not None]
    distinct = [*dict.fromkeys(declared_values)]
    if field == "currency" and len(distinct) > 1:
        raise FormatError(
            "declaration-invalid",
            f"costs in {' and '.join(distinct)}",
            place=system,
            hint="declare them in one currency",
        )
    if distinct and isinstance(distinct[0], str):
        return " + ".join(distinct)
    if not distinct or len(declared_values) < len(values):
        return None
    return distinct[0] if len(distinct) == 1 else fmean(declared_values)


def hidden_by(submission: Submission, task: str) -> list[str]:
    """Return the keys of FILTERS that hide a row; what is undeclared is not taken for harmless.

    Outputs are open if anybody may have them: copied, in an archive, or made by a recipe.
    """
    entry = submission.entry
    models = [run.saw_test or run.model or "no" for run in submission.runs(task)]
    is_public = entry.copied or submission.archives or entry.recipe
    hides = {
        "gold-topics": entry.uses.topics in ("gold", None) and not entry.people,
        "saw-test": any(model not in ("no", "none") for model in models),
        "closed": not (entry.licence and is_public),
    }
    return [name for name, is_hidden in hides.items() if is_hidden]


def tags(
    submission: Submission,
    declaration: Mapping[Any, Any],
    hidden: Sequence[str],
    coverage: float,
) -> list[str]:
    """Return what to know of a row of ``declared`` to compare it with another."""
    entry = submission.entry
    saw = declaration["saw_test"]
    holds = {
        "not ranked": not submission.ranked,
        "people": entry.people,
        f"covers {coverage_text(coverage)} of the mentions": coverage < 1,
        **{f"gold {name}": declaration[name] == "gold" for name in _GOLD},
        "detected mentions": declaration["mentions"] == "predicted",
        f"trained on {entry.trained_on}": entry.trained_on,
        f"tuned on {entry.tuned_on}": entry.tuned_on,
        "gold topics not declared": "gold-topics" in hidden
        and not declaration["topics"],
        f"model: {declaration['model']}": declaration["model"],
        f"saw test: {saw or 'not declared'}": saw or "saw-test" in hidden,
        f"outputs {'not public' if entry.licence else 'without licence'}": "closed"
        in hidden,
    }
    return [text for text, is_true in holds.items() if is_true]


def links(submission: Submission) -> dict[str, str]:
    """Return the addresses of its paper, of its code, and of its responses at a commit."""
    entry = submission.entry
    papers = submission.rules.papers
    cited = [
        papers[words]
        for words in sorted(papers, key=len)
        if words in (entry.paper or "")
    ]
    archives = [archive.url for archive in submission.archives]
    outputs = [_RAW.sub(_TREE, url) for url in (*(entry.made_from or ()), *archives)]
    addresses = {"paper": cited[-1:], "code": [entry.url or ""], "outputs": outputs[:1]}
    return {
        text: url
        for text, urls in addresses.items()
        for url in urls
        if url.startswith(_WEB)
    }
