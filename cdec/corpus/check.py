"""The pages of `cdec corpus add` and `list`: what is irregular in a corpus, what is known of it.

``configs/corpora/kinds.toml`` describes defects and facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any

import pandas as pd

from cdec.configs import read_toml
from cdec.corpus.interchange import content_digest
from cdec.corpus.known import (
    Expected,
    KnownCorpus,
    by_name,
    described,
    difference,
    known_corpora,
    meant_by,
)
from cdec.corpus.model import ENTITY, EVENT, Corpus, natural_key
from cdec.corpus.source import CORPORA, Source, read_corpus
from cdec.corpus.splits import default_split, divided
from cdec.corpus.stats import tokens, units
from cdec.corpus.store import SAMPLE, Located, installed, load
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
    table, noted = corpus.mentions, list(noted)
    found = [
        ("span-twice", id_) for id_ in table.index[table.duplicated(["doc", "tokens", "kind"])]
    ]
    for document in corpus.documents.values() if corpus.text != "none" else ():
        for number, token in enumerate(chain.from_iterable(document.sentences)):
            if kinds := _odd(token):
                found += ((kind, f"{document.id}/t{number}") for kind in kinds)
    gaps = table[table["end"] - table["start"] >= table["tokens"].map(len)]
    for id_, kind in zip(gaps.index, gaps["kind"], strict=True):
        found.append(("gap-in-event" if kind == EVENT else "gap-in-argument", id_))
    longer = table[table["start"] != table["end"]]
    columns = (longer[name] for name in ("doc", "sentence", "end"))
    for id_, doc, sentence, end in zip(longer.index, *columns, strict=True):
        document = corpus.documents[doc]
        if end >= document.sentence_starts[sentence] + len(document.sentences[sentence]):
            found.append(("spans-sentences", id_))
    known = {kind for kind, _ in noted}
    return [*noted, *(defect for defect in found if defect[0] not in known)]


@cache
def _odd(token: str) -> tuple[str, ...]:
    """Return the kinds of defect that a token has."""
    kinds = ("replacement-character",) if "\N{REPLACEMENT CHARACTER}" in token else ()
    if not token.strip():
        return (*kinds, "blank-token")
    return (*kinds, "white-space-in-token") if token.split() != [token] else kinds


def facts(corpus: Corpus) -> dict[str, int]:
    """Return fact → count, of the corpus and of each part that its files or its format define.

    A fact of a part is named ``fact (part)``. ``chains`` are those of all annotated mentions,
    ``key-chains`` those of the default key.
    """
    counts, parts = _counts(corpus), divided(corpus)
    for part, sub in parts.items() if [*parts] != ["all"] else ():
        own = _counts(corpus.subset(sub.documents, part))
        counts |= {f"{fact} ({part})": own[fact] for fact in _OF_PARTS}
    return counts


def _counts(corpus: Corpus) -> dict[str, int]:
    kinds = corpus.mentions["kind"]
    return {
        "documents": len(corpus.documents),
        **{f"{level}s": count for level, count in units(corpus).items()},
        "tokens": tokens(corpus),
        "mentions": len(corpus.mentions),
        "event-mentions": int((kinds == EVENT).sum()),
        "entity-mentions": int((kinds == ENTITY).sum()),
        "chains": corpus.mentions["chain"].nunique(),
        "key-mentions": len(corpus.selected),
        "key-chains": corpus.selected["chain"].nunique(),
    }


def _table(
    defects: Iterable[Defect], counts: Mapping[str, int], known: KnownCorpus | None = None
) -> pd.DataFrame:
    """Return a row for each kind of defect that there is or should be, and for each fact.

    The ``status`` of a row is ``known`` (as published), ``unknown`` (more, or other items),
    ``missing`` (fewer) or ``noted`` (no published value).
    """
    about, items = read_toml("corpora/kinds.toml"), dict[str, list[str]]()
    for kind, item in defects:
        items.setdefault(kind, []).append(item)
    published: Mapping[str, Expected] = known.defects if known else {}
    rows: list[dict[str, Any]] = []
    for kind in sorted(items.keys() | published.keys()):
        own, wanted = items.get(kind, []), published.get(kind, Expected(0))
        expected = wanted.count if known and (known.digest or wanted.count) else None
        others = wanted.items and set(own) - wanted.items
        row = {"kind": "defect", "item": kind, "found": len(own), **about["defects"][kind]}
        row |= {"status": "unknown" if others else _status(len(own), expected)}
        row |= {"examples": ", ".join(sorted(own, key=natural_key)[:_EXAMPLES])}
        rows.append({**row, "expected": wanted.count if kind in published else None})
    for fact, found in counts.items():
        name, _, part = fact.partition(" (")
        meaning = about["facts"][name] + (f", in the part {part[:-1]}" if part else "")
        expected = known.facts.get(fact) if known else None
        row = {"kind": "fact", "item": fact, "expected": expected, "found": found}
        rows.append({**row, "status": _status(found, expected), "meaning": meaning})
    return pd.DataFrame(rows, columns=_COLUMNS).astype({"expected": "Int64"})


def _status(found: int, expected: int | None) -> str:
    if expected is None:
        return "noted"
    if found == expected:
        return "known"
    return "unknown" if found > expected else "missing"


def check_page(source: Source) -> Page:
    """Read every file of ``source``, and return the page of its defects, facts and the verdict.

    Its ``about`` says in ``ok`` whether all files are valid and, of a published corpus, as
    published, and has all ``problems``.
    """
    errors: list[CorpusError] = []
    source, corpus = replace(source, errors=errors), None
    try:
        corpus = read_corpus(source, source.path.name)
    except CorpusError as error:
        errors += [] if error in errors else [error]
    counts = facts(corpus) if corpus else {}
    known = meant_by(source) or _counted_like(source, counts)
    table = _table(irregularities(corpus, source.defects) if corpus else [], counts, known)
    differences = difference(source, known) if known and known.digest else {}
    usual = {"known"} if known and known.digest else {"known", "noted"}
    expected = known is None or set(table["status"]) <= usual
    if errors:
        verdict = f"{counted(len(errors), 'error')} in {counted(len(source.files), 'file')}"
    elif known is None:
        verdict = "all files are valid; this corpus has no published checksum"
    elif differences:
        verdict = f"not {known.title}: {described(differences)}"
    else:
        files = "complete and unchanged" if known.digest else "without published checksums"
        verdict = f"{known.title}, {files}; the counts are {'' if expected else 'not '}as expected"
    problems = [
        *map(str, errors),
        *(f"{name}: {kind} file" for kind, names in differences.items() for name in names),
        *source.remarks,
    ]
    about = {"digest": corpus.digest if corpus else source.digest}
    about["content_digest"] = content_digest(corpus) if corpus else ""
    digests = [f"{name.replace('_', ' ')} {value}" for name, value in about.items() if value]
    signature = Signature.from_fields(corpus=known.name if known else None, digest=about["digest"])
    view = table[["item", "found", "expected", "status", "meaning"]].astype(object)
    return Page.from_table(
        view.where(view.notna(), "–").astype(str),
        table,
        notes=(*digests, *problems, f"{source.path}: {verdict}"),
        about={**in_json(signature), "path": str(source.path), **about, "verdict": verdict}
        | {"ok": not errors and not differences and expected, "problems": problems},
    )


def _counted_like(source: Source, counts: Mapping[str, int]) -> KnownCorpus | None:
    """Return the known corpus without checksums that has the size of a part of ``source``."""
    for known in known_corpora():
        if known.digest is None and known.format == source.format.name:
            sizes = {fact: n for fact, n in known.facts.items() if fact.startswith("mentions (")}
            if sizes.items() & counts.items():
                return known
    return None


def added_page(corpus: Corpus, noted: Iterable[Defect], path: object) -> Page:
    """Return the page of a corpus that was stored at ``path``: its defects, counts and digest."""
    table, content = _table(irregularities(corpus, noted), {}), content_digest(corpus)
    form = corpus.format or "texts with mentions"
    counts = [
        counted(len(corpus.documents), "document"),
        counted(len(corpus.mentions), "mention"),
        counted(corpus.mentions["chain"].nunique(), "chain"),
    ]
    notes = (
        *(() if len(table) else ("no defects",)),
        f"{corpus.name}: {', '.join(counts)}; format {form}",
        f"content digest {content}",
    )
    data = table[["item", "found", "meaning", "handling", "examples"]]
    view = data[["item", "found", "examples", "meaning"]].rename(columns={"item": "defect"})
    about = in_json(Signature.from_fields(corpus=corpus.name, digest=content))
    about |= {"path": str(path), "format": form}
    return Page.from_table(view, data.rename(columns={"item": "kind"}), notes=notes, about=about)


def list_page(used: Located) -> Page:
    """Return the page of the corpora that cdec knows or has; ``used`` is the one by default."""
    here, names = installed(), ["name", "title", "format", "split", "licence", "note", "citation"]
    published = {known.name: known for known in known_corpora() if known.name != SAMPLE}
    rows = [
        {name: getattr(known, name) for name in names} | {"fetch": "yes" if known.blobs else ""}
        for known in published.values()
    ]
    rows += [{"name": name} for name in sorted(here.keys() - published.keys())]
    data = pd.DataFrame(rows).fillna("")
    data.insert(5, "fetch", data.pop("fetch"))
    data.insert(6, "installed", [str(here.get(name, "")) for name in data["name"]])
    notes = (
        *(f"{known.name}: {known.note}" for known in published.values() if known.note),
        f"formats: {', '.join(CORPORA)}; a corpus in one of them can be used by its path, or added",
        f"in use without --corpus: {used.name}, {used.path} ({used.origin})",
    )
    about = in_json(Signature.from_fields())
    return Page.from_table(data.drop(columns=["note", "citation"]), data, notes=notes, about=about)


def info_page(used: Located) -> Page:
    """Return the page of one corpus: what is known of it. Raises CorpusError."""
    corpus = load(used)
    split = default_split(corpus)
    documents = corpus.documents.values()
    stated = {document.language for document in documents if "language" in document.attributes}
    variants = [f"{name} (default)" if name == corpus.variant else name for name in corpus.variants]
    about = {
        "format": corpus.format,
        "levels": ", ".join(corpus.levels.values()) or "none",
        "mentions": ", ".join(corpus.kinds),
        "text": corpus.text,
        "languages": ", ".join(sorted(stated)),
        "key variants": ", ".join(variants),
        "split": f"{split.name} ({', '.join(divided(corpus))})" if split.parts else "none",
        "content digest": content_digest(corpus),
        **corpus.release,
    }
    if known := by_name(corpus.name):
        about |= {name: getattr(known, name) for name in ("title", "licence", "citation", "note")}
    about = {name: value for name, value in about.items() if value}
    rows = [("name", used.name), ("path", str(used.path)), *about.items()]
    table = pd.DataFrame(rows, columns=["fact", "value"])
    signature = in_json(Signature.from_fields(corpus=used.name))
    return Page.from_table(table, table, about=signature | about)
