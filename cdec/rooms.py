"""The rooms that hang on the core: what each adds is text that is imported only when it is used.

No module of the core imports such a room. Delete its folder (or file) and its lines below, and the
rest works as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

# Kind of what a room adds, its name, and ``module:attribute``, or the module alone.
ROOMS: Sequence[tuple[str, str, str]] = (
    ("command", "diagnose", "cdec.diagnosis.command:app"),
    ("verb", "diagnose", "cdec.diagnosis.page"),
    ("strata", "strata", "cdec.diagnosis.strata:Strata"),
    ("verb", "tune", "cdec.tuning"),
    ("command", "audit", "cdec.auditing.command:app"),
    ("registry", "detectors", "cdec.auditing.detectors:DETECTORS"),
    ("verb", "audit", "cdec.auditing.cases"),
    ("key patch", "claims", "cdec.auditing.claims"),
    ("command", "reproduce", "cdec.reproduction.command:app"),
    ("options of eval", "papers", "cdec.reproduction.command:Papers"),
    ("verb", "literature", "cdec.reproduction.literature"),
    ("command", "pairs", "cdec.pair_scores.command:app"),
    ("verb", "score_pairs", "cdec.pair_scores.page"),
    ("response scheme", "pairs", "cdec.pair_scores.link:ScoredPairs"),
    ("command", "leaderboard", "cdec.leaderboards.command:app"),
    ("verb", "leaderboard", "cdec.leaderboards.score"),
    ("verb", "leaderboard_site", "cdec.leaderboards.site"),
    ("verb", "published", "cdec.leaderboards.published"),
    ("response scheme", "leaderboard", "cdec.leaderboards.published:PublishedResponse"),
    ("declaration", "response", "cdec.leaderboards.declaration:Declaration"),
    ("declared", "response", "cdec.leaderboards.declaration:check_declared"),
    ("format", "conllu", "cdec.corefud.formats:CONLLU"),
    ("format", "crac", "cdec.corefud.formats:TEXT"),
    ("format", "crac-json", "cdec.corefud.formats:JSON"),
    ("options of score", "task", "cdec.corefud.command:SharedTask"),
    ("options of export", "conversion", "cdec.corefud.command:Conversion"),
    ("trees", "placed", "cdec.corefud.placing:on_key"),
    ("trees", "matched", "cdec.corefud.match:match_trees"),
    ("trees", "aligned", "cdec.corefud.spans:aligned"),
    (
        "counts",
        "key mentions in several chains",
        "cdec.corefud.occurrences:table_of_every_chain",
    ),
    ("trees", "words", "cdec.corefud.spans:word_counts"),
    ("metric", "mor", "cdec.corefud.metrics:MOR"),
    ("metric", "zeros", "cdec.corefud.metrics:ZEROS"),
    ("system", "sac", "cdec.baselines.sac.system:Sac"),
)


def added(kind: str) -> dict[str, str]:
    """Return what the rooms add of a kind: name → the text for ``imported``.

    >>> added("system")
    {'sac': 'cdec.baselines.sac.system:Sac'}
    """
    return {name: text for its_kind, name, text in ROOMS if its_kind == kind}


def imported(text: str) -> Any:
    """Return the attribute that ``module:attribute`` names, or the module if it names only that.

    >>> imported("math:tau") / 2 == imported("math").pi
    True
    """
    module, _, name = text.partition(":")
    if not name:
        return import_module(module)
    return getattr(import_module(module), name)
