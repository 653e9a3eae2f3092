"""Check a copy of a corpus, and count what is in it.

``configs/corpora/kinds.toml`` describes defects and facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from cdec.configs import read_toml
from cdec.corpus.formats import read_corpus
from cdec.corpus.interchange import content_digest
from cdec.corpus.known import (
    Expected,
    KnownCorpus,
    described,
    difference,
    known_corpora,
    meant_by,
)
from cdec.corpus.model import ENTITY, EVENT, Corpus, natural_key
from cdec.corpus.source import Source
from cdec.corpus.splits import divided
from cdec.errors import CorpusError, counted
from cdec.render.page import Page
from cdec.signature import Signature, in_json

Defect = tuple[str, str]
"""The kind of an irregularity, and the document, token or mention."""
_EXAMPLES = 3
_COLUMNS = ["kind", "item", "expected", "found", "status", "meaning", "handling", "examples"]
_OF_PARTS = ("documents", "mentions", "chains", "key-mentions", "key-chains")


def irregularities(corpus: Corpus, noted: Iterable[Defect] = ()) -> list[Defect]:
    """Return the defects of a corpus: those that its reader noted, and others of any corpus."""
    found = list(noted)
    kinds = {kind for kind, _ in found}
    words: set[str] = set()
    if corpus.text != "none":
        # A corpus has far fewer words than tokens.
        words = set().union(*(s for d in corpus.documents.values() for s in d.sentences))
    odd = {word: named for word in words if (named := _kinds(word))}
    table = corpus.mentions
    twice = table.index[table.duplicated(["doc", "tokens", "kind"])]
    others = [("span-twice", id_) for id_ in twice]
    for document in corpus.documents.values() if odd else ():
        if not odd.keys().isdisjoint(document.tokens):
            for number, token in enumerate(document.tokens):
                others += ((kind, f"{document.id}/t{number}") for kind in odd.get(token, ()))
    longer = table[table["start"] != table["end"]]
    columns = (longer[name].tolist() for name in ("doc", "sentence", "tokens", "kind"))
    for id_, doc, sentence, tokens, kind in zip(longer.index, *columns, strict=True):
        document = corpus.documents[doc]
        if tokens[-1] >= document.sentence_starts[sentence] + len(document.sentences[sentence]):
            others.append(("spans-sentences", id_))
        if tokens[-1] - tokens[0] >= len(tokens):
            others.append(("gap-in-event" if kind == EVENT else "gap-in-argument", id_))
    return [*found, *(defect for defect in others if defect[0] not in kinds)]


def _kinds(token: str) -> list[str]:
    """Return the kinds of defect that a token has."""
    kinds = ["replacement-character"] if "\N{REPLACEMENT CHARACTER}" in token else []
    if not token.strip():
        return [*kinds, "blank-token"]
    return [*kinds, "white-space-in-token"] if token.split() != [token] else kinds


def facts(corpus: Corpus) -> dict[str, int]:
    """Return fact → count, of the corpus and of each part that its files or its format define.

    A fact of a part is named ``fact (part)``. ``chains`` are those of all annotated mentions,
    ``key-chains`` those of the default key.
    """
    counts = _counts(corpus)
    parts = divided(corpus)
    for part, sub in parts.items() if list(parts) != ["all"] else ():
        found = _counts(corpus.subset(sub.documents, part))
        counts |= {f"{fact} ({part})": found[fact] for fact in _OF_PARTS}
    return counts


def _counts(corpus: Corpus) -> dict[str, int]:
    documents, kinds = corpus.documents.values(), corpus.mentions["kind"]
    topics = {document.topic for document in documents}
    subtopics = {(document.topic, document.subtopic) for document in documents}
    levels = {"topic": len(topics), "subtopic": len(subtopics)}
    return {
        "documents": len(documents),
        **{f"{level}s": levels[level] for level in corpus.levels},
        "tokens": sum(len(s) for document in documents for s in document.sentences),
        "mentions": len(corpus.mentions),
        "event-mentions": int((kinds == EVENT).sum()),
        "entity-mentions": int((kinds == ENTITY).sum()),
        "chains": corpus.mentions["chain"].nunique(),
        "key-mentions": len(corpus.selected),
        "key-chains": corpus.selected["chain"].nunique(),
    }


def check_page(source: Source) -> Page:
    """Read every file of ``source``, and return the page of its defects, facts and the verdict.

    The ``status`` of a row is ``known`` (as published), ``unknown`` (more, or other items),
    ``missing`` (fewer) or ``noted`` (no published value). Its ``about`` says in ``ok`` whether all
    files are valid and, of a published corpus, as published, and has all ``problems``.
    """
    errors: list[CorpusError] = []
    source = replace(source, errors=errors)
    corpus = None
    try:
        corpus = read_corpus(source, source.path.name)
    except CorpusError as error:
        errors += [] if error in errors else [error]
    counts = facts(corpus) if corpus else {}
    known = meant_by(source) or _counted_like(source, counts)
    defects = irregularities(corpus, source.defects) if corpus else source.defects
    table = pd.concat([defect_table(defects, known), _fact_table(counts, known)])
    differences = difference(source, known) if known and known.digest else {}
    usual = {"known"} if known and known.digest else {"known", "noted"}
    expected = known is None or set(table["status"]) <= usual
    if errors:
        verdict = f"{counted(len(errors), 'error')} in {counted(len(source.files), 'file')}"
    elif known is None:
        verdict = "all files are valid; this corpus has no published checksum"
    elif differences:
        verdict = f"not {known.title}: {described(differences)}"
    elif known.digest is None:
        counted_ = "are as expected" if expected else "differ from the expected"
        verdict = f"{known.title}: the counts {counted_}; the files have no published checksum"
    else:
        verdict = f"{known.title}, complete and unchanged"
        verdict += "" if expected else ", but the counts differ from the expected"
    problems = [
        *map(str, errors),
        *(f"{name}: {kind} file" for kind, names in differences.items() for name in names),
        *source.remarks,
    ]
    about: dict[str, Any] = {"digest": corpus.digest if corpus else source.digest}
    about["content_digest"] = content_digest(corpus) if corpus else ""
    signature = Signature.from_fields(corpus=known.name if known else None, digest=about["digest"])
    digests = [f"{name.replace('_', ' ')} {value}" for name, value in about.items() if value]
    ok = not errors and not differences and expected
    view = table[["item", "found", "expected", "status", "meaning"]].astype(object)
    return Page.from_table(
        view.where(view.notna(), "–").astype(str),
        table,
        notes=(*digests, *problems, f"{source.path}: {verdict}"),
        about={**in_json(signature), "path": str(source.path), **about}
        | {"verdict": verdict, "ok": ok, "problems": problems},
    )


def _counted_like(source: Source, counts: Mapping[str, int]) -> KnownCorpus | None:
    """Return the known corpus without checksums that has the size of a part of ``source``."""
    for known in known_corpora():
        if known.digest is None and known.format == source.format.name:
            sizes = {name: n for name, n in known.facts.items() if name.startswith("mentions (")}
            if any(counts.get(name) == count for name, count in sizes.items()):
                return known
    return None


def defect_table(defects: Iterable[Defect], known: KnownCorpus | None = None) -> pd.DataFrame:
    """Return a row for each kind of defect."""
    items: dict[str, list[str]] = {}
    for kind, item in defects:
        items.setdefault(kind, []).append(item)
    about = read_toml("corpora/kinds.toml")["defects"]
    expected = known.defects if known else {}
    rows = []
    for kind in sorted(items.keys() | expected.keys()):
        found, wanted = items.get(kind, []), expected.get(kind, Expected(0))
        published = wanted.count if known and (known.digest or wanted.count) else None
        status = _status(len(found), published)
        status = "unknown" if wanted.items and set(found) - wanted.items else status
        count = wanted.count if kind in expected else None
        examples = ", ".join(sorted(found, key=natural_key)[:_EXAMPLES])
        told = about[kind]["meaning"], about[kind]["handling"]
        rows.append(("defect", kind, count, len(found), status, *told, examples))
    return pd.DataFrame(rows, columns=_COLUMNS).astype({"expected": "Int64"})


def _fact_table(counts: Mapping[str, int], known: KnownCorpus | None) -> pd.DataFrame:
    about = read_toml("corpora/kinds.toml")["facts"]
    rows = []
    for fact, found in counts.items():
        expected = known.facts.get(fact) if known else None
        name, _, part = fact.partition(" (")
        meaning = f"{about[name]}, in the part {part[:-1]}" if part else about[name]
        rows.append(("fact", fact, expected, found, _status(found, expected), meaning))
    return pd.DataFrame(rows, columns=_COLUMNS[:6]).astype({"expected": "Int64"})


def _status(found: int, expected: int | None) -> str:
    if expected is None:
        return "noted"
    if found == expected:
        return "known"
    return "unknown" if found > expected else "missing"
