"""What a reader must know of a system to compare it with another, from its declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cdec.leaderboards.board import Leaderboard, SystemEntry
from cdec.leaderboards.declared import as_one

_GOLD = ("topics", "pairs", "singletons")  # every system of a task gets its mentions
_RAW = re.compile(r"https://raw\.githubusercontent\.com/([^/]+/[^/]+)/([0-9a-f]{40})/.*")
FILTERS = {
    "gold-topics": "no gold topics",
    "saw-test": "no language model that may know test",
    "closed": "open outputs",
}
"""What a row can be hidden for → the name of the filter that hides it."""


def is_open(board: Leaderboard, entry: SystemEntry) -> bool:
    """Return whether anybody may have its responses: copied, in an archive, or by a recipe."""
    return bool(entry.licence and (entry.copied or board.addresses(entry) or entry.recipe))


def hides_topics(entry: SystemEntry) -> bool:
    """Return whether it uses gold topics, or does not declare that it does not."""
    return entry.uses.topics in ("gold", None) and not entry.people


def may_know_test(entry: SystemEntry, task: str) -> bool:
    """Return whether a run is of a language model and does not declare that it never saw test."""
    runs = entry.runs(task)
    return any((run.saw_test or run.model or "no") not in ("no", "none") for run in runs)


def hidden_by(board: Leaderboard, entry: SystemEntry, task: str) -> list[str]:
    """Return the keys of FILTERS that hide a row; what is undeclared is not taken for harmless."""
    hides = hides_topics(entry), may_know_test(entry, task), not is_open(board, entry)
    return [name for name, hidden in zip(FILTERS, hides, strict=True) if hidden]


def tags(board: Leaderboard, entry: SystemEntry, task: str) -> Iterator[str]:
    """Yield what a reader must know to compare the row with another."""
    uses, declared = entry.uses.model_dump(), as_one(entry.runs(task), entry.name)
    yield from [] if entry.ranked else ["not ranked"]
    yield from ["people"] if entry.people else []
    yield from (f"gold {name}" for name in _GOLD if uses[name] == "gold")
    yield from ["detected mentions"] if uses["mentions"] == "predicted" else []
    yield from [f"trained on {entry.trained_on}"] if entry.trained_on else []
    yield from [f"tuned on {entry.tuned_on}"] if entry.tuned_on else []
    if hides_topics(entry) and not uses["topics"]:
        yield "gold topics not declared"
    for name, title in (("model", "model"), ("saw_test", "saw test")):
        yield from [f"{title}: {declared[name]}"] if name in declared else []
    if may_know_test(entry, task) and "saw_test" not in declared:
        yield "saw test: not declared"
    if not is_open(board, entry):
        yield "outputs not public" if entry.licence else "outputs without licence"


def links(board: Leaderboard, entry: SystemEntry) -> Iterator[tuple[str, str]]:
    """Yield text and address of its paper, of its code, and of its responses at a commit."""
    paper, papers = entry.paper or "", board.file.papers
    made = [*(entry.made_from or ()), *board.addresses(entry)]
    known = {
        "paper": [papers[words] for words in sorted(papers, key=len) if words in paper][-1:],
        "code": [entry.url or ""],
        "outputs": [_RAW.sub(r"https://github.com/\1/tree/\2", url) for url in made],
    }
    for text, urls in known.items():
        yield from ((text, url) for url in urls[:1] if url.startswith(("https://", "http://")))
