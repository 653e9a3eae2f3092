"""What a reader must know of a system to compare it with another, from its declaration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

import pandas as pd

from cdec.errors import FormatError
from cdec.leaderboards.board import Leaderboard, SystemEntry
from cdec.leaderboards.declaration import RunDeclaration, Uses

OF_RUN = [*RunDeclaration.model_fields]
_TRAINING = ("trained_on", "tuned_on")
FILTERS = {
    "gold-topics": "no gold topics",
    "saw-test": "no language model that may know test",
    "closed": "open outputs",
}
"""What a row can be hidden for → the name of the filter that hides it."""
_RAW = re.compile(r"https://raw\.githubusercontent\.com/([^/]+/[^/]+)/([0-9a-f]{40})/.*")


def declared(board: Leaderboard, task: str, systems: Iterable[str]) -> pd.DataFrame:
    """Return what systems declare for a task: a row a system, None where it declares nothing.

    Of several runs: the mean of numbers that all declare, or all distinct texts. Raises FormatError
    for costs in two currencies.
    """
    rows: dict[str, dict[str, Any]] = {}
    for name in systems:
        entry = board.systems[name]
        runs = [entry.run(answer) for answer in entry.answers(task)]
        rows[name] = dict(entry.uses) | {field: getattr(entry, field) for field in _TRAINING}
        for field in OF_RUN:
            given = [value for run in runs if (value := getattr(run, field)) is not None]
            distinct = [*dict.fromkeys(given)]
            if field == "currency" and len(distinct) > 1:
                message, hint = f"costs in {' and '.join(distinct)}", "declare them in one currency"
                raise FormatError("declaration-invalid", message, place=name, hint=hint)
            if given and isinstance(given[0], str):
                rows[name][field] = " + ".join(distinct)
            elif given and len(given) == len(runs):
                rows[name][field] = given[0] if len(distinct) == 1 else fmean(given)
    columns = [*Uses.model_fields, *_TRAINING, *OF_RUN]
    table = pd.DataFrame.from_dict(rows, orient="index").reindex(columns=columns)
    return table.astype(object).where(table.notna(), None)


def hidden_by(board: Leaderboard, entry: SystemEntry, task: str) -> list[str]:
    """Return the keys of FILTERS that hide a row; what is undeclared is not taken for harmless.

    Outputs are open if anybody may have them: copied, in an archive, or made by a recipe.
    """
    runs = [entry.run(answer) for answer in entry.answers(task)]
    there = entry.copied or board.addresses(entry) or entry.recipe
    hides = (
        entry.uses.topics in ("gold", None) and not entry.people,
        any((run.saw_test or run.model or "no") not in ("no", "none") for run in runs),
        not (entry.licence and there),
    )
    return [name for name, hidden in zip(FILTERS, hides, strict=True) if hidden]


def tags(entry: SystemEntry, known: Mapping[Any, Any], hidden: Sequence[str]) -> list[str]:
    """Return what to know of a row of ``declared`` to compare it with another."""
    saw = known["saw_test"]
    holds = {
        "not ranked": not entry.ranked,
        "people": entry.people,
        **{f"gold {n}": known[n] == "gold" for n in ("topics", "pairs", "singletons")},
        "detected mentions": known["mentions"] == "predicted",
        f"trained on {entry.trained_on}": entry.trained_on,
        f"tuned on {entry.tuned_on}": entry.tuned_on,
        "gold topics not declared": "gold-topics" in hidden and not known["topics"],
        f"model: {known['model']}": known["model"],
        f"saw test: {saw or 'not declared'}": saw or "saw-test" in hidden,
        f"outputs {'not public' if entry.licence else 'without licence'}": "closed" in hidden,
    }
    return [text for text, true in holds.items() if true]


def links(board: Leaderboard, entry: SystemEntry) -> dict[str, str]:
    """Return the addresses of its paper, of its code, and of its responses at a commit."""
    papers = board.file.papers
    cited = [papers[words] for words in sorted(papers, key=len) if words in (entry.paper or "")]
    made = [*(entry.made_from or ()), *board.addresses(entry)]
    outputs = [_RAW.sub(r"https://github.com/\1/tree/\2", url) for url in made]
    known = {"paper": cited[-1:], "code": [entry.url or ""], "outputs": outputs[:1]}
    web = ("https://", "http://")
    return {text: url for text, urls in known.items() for url in urls if url.startswith(web)}
