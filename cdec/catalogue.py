"""What exists: commands, systems, settings, formats and metrics, of the core and of its rooms.

Each is text, which is imported when it is used: the command line and completion know all names,
and import nothing for them. No module of the core imports a room that hangs on it: delete the
folder (or file) of such a room and its lines in ROOMS, and the rest works as before.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

# Kind → name → ``module:attribute``. Lists have this order; tables show LEA and CEAF_m last.
CORE: Mapping[str, Mapping[str, str]] = {
    "command": {
        "eval": "cdec.cli.score:app",
        "score": "cdec.cli.score:app",
        "compare": "cdec.cli.score:app",
        "check": "cdec.cli.score:app",
        "predict": "cdec.cli.systems:app",
        "tune": "cdec.cli.systems:app",
        "train": "cdec.cli.systems:app",
        "plugins": "cdec.cli.systems:app",
        "corpus": "cdec.cli.corpus:app",
    },
    "system": {
        "lemma": "cdec.baselines.lemma:Lemma",
        "lemma-wd": "cdec.baselines.lemma:LemmaWD",
        "lemma-delta": "cdec.baselines.lemma_delta:LemmaDelta",
    },
    "setting": {
        "pure": "cdec.settings.catalog:PURE_CDEC",
        "simple": "cdec.settings.catalog:SIMPLE_CDEC",
        "bh": "cdec.settings.catalog:BH",
        "st": "cdec.settings.catalog:ST",
        "is": "cdec.settings.catalog:IS",
        "ycf": "cdec.settings.catalog:YCF",
    },
    "format": {
        "conll": "cdec.formats.registry:CONLL",
        "jsonl": "cdec.formats.registry:JSONL",
        "csv": "cdec.formats.registry:CSV",
        "tsv": "cdec.formats.registry:TSV",
        "json": "cdec.formats.registry:JSON",
        "documents": "cdec.formats.registry:DOCUMENTS",
    },
    "page": {
        "table": "cdec.render.terminal:to_text",
        "markdown": "cdec.render.markdown:to_markdown",
        "latex": "cdec.render.latex:to_latex",
        "csv": "cdec.render:to_csv",
        "json": "cdec.render:to_json",
        "html": "cdec.render.html:to_html",
    },
    "metric": {
        "muc": "cdec.metrics.muc:MUC",
        "b3": "cdec.metrics.b3:B3",
        "ceafm": "cdec.metrics.ceaf:CEAF_M",
        "ceafe": "cdec.metrics.ceaf:CEAF_E",
        "blanc_coref": "cdec.metrics.blanc:BLANC_COREF",
        "blanc_noncoref": "cdec.metrics.blanc:BLANC_NONCOREF",
        "blanc": "cdec.metrics.blanc:BLANC",
        "lea": "cdec.metrics.lea:LEA",
        "conll": "cdec.metrics.derived:CONLL",
        "avg4": "cdec.metrics.derived:AVG4",
        "mentions": "cdec.metrics.mentions:MENTIONS",
    },
}
# What rooms add, likewise; an entry can be a module alone.
ROOMS: Mapping[str, Mapping[str, str]] = {
    "command": {
        "diagnose": "cdec.diagnosis.command:app",
        "audit": "cdec.auditing.command:app",
        "reproduce": "cdec.reproduction.command:app",
        "pairs": "cdec.pair_scores.command:app",
        "leaderboard": "cdec.leaderboards.command:app",
    },
    "verb": {
        "diagnose": "cdec.diagnosis.page",
        "agreement": "cdec.agreements.page",
        "tune": "cdec.tuning",
        "audit": "cdec.auditing.cases",
        "literature": "cdec.reproduction.literature",
        "score_pairs": "cdec.pair_scores.page",
        "leaderboard": "cdec.leaderboards.score",
        "leaderboard_site": "cdec.leaderboards.site",
        "published": "cdec.leaderboards.published",
    },
    "view": {
        "document": "cdec.diagnosis.document:show",
    },
    "strata": {
        "strata": "cdec.diagnosis.strata:Strata",
    },
    "registry": {
        "detectors": "cdec.auditing.detectors:DETECTORS",
    },
    "key patch": {
        "claims": "cdec.auditing.claims",
    },
    "options of eval": {
        "papers": "cdec.reproduction.command:Papers",
    },
    "layout": {
        "choice": "cdec.layouts.systems:layout_of",
        "page": "cdec.layouts.systems:systems_page",
        "tests": "cdec.layouts.marks:with_tests",
    },
    "response scheme": {
        "pairs": "cdec.pair_scores.link:ScoredPairs",
        "leaderboard": "cdec.leaderboards.published:PublishedResponse",
    },
    "declaration": {
        "response": "cdec.leaderboards.declaration:Declaration",
    },
    "declared": {
        "response": "cdec.leaderboards.declaration:check_declared",
    },
    "corpus format": {
        "tools": "cdec.tools.corpus:FORMAT",
    },
    "format of a tool": {
        "stanza": "cdec.tools.formats:STANZA",
        "stanza-json": "cdec.tools.formats:STANZA_JSON",
        "corenlp": "cdec.tools.formats:CORENLP",
        "booknlp": "cdec.tools.formats:BOOKNLP",
        "maven-ere": "cdec.tools.formats:MAVEN",
        "label-studio": "cdec.tools.formats:LABEL_STUDIO",
        "webanno": "cdec.tools.formats:WEBANNO",
        "cas": "cdec.tools.formats:CAS",
        "cas-json": "cdec.tools.formats:CAS_JSON",
    },
    "folder of a tool": {
        "brat": "cdec.tools.brat:read_brat",
    },
    "written back": {
        "brat": "cdec.tools.brat:save_corrected",
    },
    "format": {
        "conllu": "cdec.corefud.formats:CONLLU",
        "crac": "cdec.corefud.formats:TEXT",
        "crac-json": "cdec.corefud.formats:JSON",
    },
    "options of score": {
        "task": "cdec.corefud.command:SharedTask",
        "agreement": "cdec.agreements.command:Agreement",
    },
    "options of export": {
        "conversion": "cdec.corefud.command:Conversion",
    },
    "trees": {
        "placed": "cdec.corefud.placing:on_key",
        "matched": "cdec.corefud.match:match_trees",
        "aligned": "cdec.corefud.spans:aligned",
        "words": "cdec.corefud.spans:word_counts",
        "sentences": "cdec.corefud.treebank:sentences",
    },
    "counts": {
        "key mentions in several chains": (
            "cdec.corefud.occurrences:table_of_every_chain"
        ),
    },
    "metric": {
        "mor": "cdec.corefud.metrics:MOR",
        "zeros": "cdec.corefud.metrics:ZEROS",
    },
    "system": {
        "sac": "cdec.baselines.sac.system:Sac",
    },
}


def entries(kind: str) -> dict[str, str]:
    """Return what cdec has of a kind: name → the text for ``imported``.

    >>> list(entries("system"))
    ['lemma', 'lemma-wd', 'lemma-delta', 'sac']
    """
    return {**CORE.get(kind, {}), **ROOMS.get(kind, {})}


def names(kind: str) -> list[str]:
    """Return the names of a kind, those of plug-ins last; none of them is imported.

    >>> names("setting")
    ['bh', 'st', 'is', 'ycf', 'simple', 'pure']
    """
    if kind == "corpus":
        store = import_module("cdec.corpus.store")
        return [*store.known_corpora(), *store.installed()]
    from importlib.metadata import entry_points  # noqa: PLC0415  slow, and seldom needed

    plugins = [point.name for point in entry_points(group=f"cdec.{kind}s")]
    return list(dict.fromkeys((*entries(kind), *plugins)))


def added(kind: str) -> Mapping[str, str]:
    """Return what the rooms add of a kind: name → the text for ``imported``.

    >>> added("system")
    {'sac': 'cdec.baselines.sac.system:Sac'}
    """
    return ROOMS.get(kind, {})


def imported(text: str) -> Any:
    """Return the attribute that ``module:attribute`` names, or the module if it names only that.

    >>> imported("math:tau") / 2 == imported("math").pi
    True
    """
    module, _, name = text.partition(":")
    if not name:
        return import_module(module)
    return getattr(import_module(module), name)
