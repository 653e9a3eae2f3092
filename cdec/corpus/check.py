"""The pages of `cdec corpus add` and `list`: what is irregular in a corpus, what is known of it.

``configs/corpora/kinds.toml`` describes defects.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from cdec.configs import read_toml
from cdec.corpus import store
from cdec.corpus.interchange import content_digest
from cdec.corpus.model import ENTITY, EVENT, Corpus, natural_key
from cdec.corpus.source import CORPORA, Source, odd, read_corpus
from cdec.corpus.splits import ALL, divided, split_of
from cdec.corpus.stats import counts
from cdec.errors import CorpusError
from cdec.records import Row
from cdec.render.page import WIDTH, Grid, Page
from cdec.signature import Signature, in_json

Defect = tuple[str, str]
"""The kind of an irregularity, and the document, token or mention."""
_EXAMPLES = 3
_GAPS = {EVENT: "gap-in-event", ENTITY: "gap-in-argument"}


def irregularities(corpus: Corpus, noted: Iterable[Defect] = ()) -> list[Defect]:
    """Return the defects of a corpus: those that its reader noted, and others of any corpus."""
    table = corpus.mentions
    defects = []
    repeated = table.index[table.duplicated(["doc", "tokens", "kind"])]
    defects += [("span-twice", id_) for id_ in repeated]
    if corpus.text != "none":
        for document in corpus.documents.values():
            for number, token in enumerate(document.tokens):
                defects += [(kind, f"{document.id}/t{number}") for kind in odd(token)]
    gaps = table[table["end"] - table["start"] >= table["tokens"].map(len)]
    defects += zip(gaps["kind"].map(_GAPS), gaps.index, strict=True)
    longer = table.loc[table["start"] != table["end"], ["doc", "sentence", "end"]]
    for id_, doc, sentence, end in longer.itertuples(name=None):
        if bisect_right(corpus.documents[doc].sentence_starts, end) - 1 > sentence:
            defects.append(("spans-sentences", id_))
    of_reader = list(noted)
    kinds_of_reader = {kind for kind, _ in of_reader}
    return of_reader + [
        defect for defect in defects if defect[0] not in kinds_of_reader
    ]


def _page(
    name: str,
    corpus: Corpus | None,
    noted: Iterable[Defect],
    about: Mapping[str, object],
    notes: Sequence[str],
) -> Page:
    """Return the page with a row for each kind of defect, and for each fact of a corpus."""
    columns = ["kind", "item", "found", "examples", "meaning", "handling"]
    rows = []
    if corpus:
        rows = _defect_rows(irregularities(corpus, noted)) + _fact_rows(corpus)
        facts = _facts(corpus)
        about = {**about, **facts}
        if facts["content_digest"] == facts["digest"]:
            del facts["content_digest"]
        lines = [
            f"{fact.replace('_', ' ')}: {value}"
            for fact, value in facts.items()
            if value
        ]
        notes = [*lines, *notes]
    table = pd.DataFrame(rows, columns=columns)
    view = table[columns[1:-1]].dropna(axis="columns", how="all").fillna("").astype(str)
    return Page.from_table(
        view, table, title=f"Corpus {name}", notes=notes, about=about
    )


def _defect_rows(defects: Iterable[Defect]) -> list[Row]:
    """Return the row of each kind of defect, with its meaning."""
    items: dict[str, list[str]] = {}
    for kind, item in defects:
        items.setdefault(kind, []).append(item)
    meanings = read_toml("corpora/kinds.toml")["defects"]
    rows = []
    for kind in sorted(items):
        examples = sorted(items[kind], key=natural_key)[:_EXAMPLES]
        row = {
            "kind": "defect",
            "item": kind,
            "found": len(items[kind]),
            **meanings[kind],
            "examples": ", ".join(examples),
        }
        rows.append(row)
    return rows


def _fact_rows(corpus: Corpus) -> list[Row]:
    """Return the counts of the default key, and of each part of the default split."""
    parts = {"": corpus}
    for part, corpus_of_part in divided(corpus).items():
        if part != ALL:
            parts[f" ({part})"] = corpus_of_part
    return [
        {"kind": "fact", "item": f"{fact}{part}", "found": count}
        for part, corpus_of_part in parts.items()
        for fact, count in counts(corpus_of_part).items()
    ]


def _facts(corpus: Corpus) -> dict[str, str]:
    split = split_of(corpus)
    documents = corpus.documents.values()
    languages = {
        document.language for document in documents if "language" in document.attributes
    }
    return {
        "format": corpus.format or "texts with mentions",
        **corpus.release,
        "languages": ", ".join(sorted(languages)),
        "levels": ", ".join(corpus.levels.values()) or "none",
        "text": corpus.text,
        "key_variants": ", ".join(corpus.variants),  # the first is the default
        "split": f"{split.name} ({', '.join(divided(corpus))})"
        if split.parts
        else "none",
        "digest": corpus.digest,
        "content_digest": content_digest(corpus),
    }


def check_page(source: Source) -> Page:
    """Read every file of ``source``, and return the page of its defects, facts and the verdict.

    Its ``about`` says in ``ok`` whether all files are valid and, of a published corpus with
    checksums, as published, and has all ``problems``.
    """
    corpus = None
    problems = []
    try:
        corpus = read_corpus(source, source.path.name)
    except CorpusError as error:
        problems.append(str(error))
    known = store.meant_by(source)
    differences = store.difference(source, known) if known else []
    problems += differences
    if known and differences:
        verdict = store.changed_copy(known, differences)
    elif corpus and known:
        verdict = f"{known.title}: complete and unchanged"
    elif corpus:
        verdict = "all files are valid; this corpus has no published checksum"
    else:
        verdict = "this is not a valid corpus"
    digest = corpus.digest if corpus else source.digest
    signature = Signature.from_fields(
        corpus=known.name if known else None, digest=digest
    )
    about = {
        **in_json(signature),
        "path": str(source.path),
        "digest": digest,
        "verdict": verdict,
        "ok": not problems,
        "problems": problems,
    }
    notes = [*problems, f"{source.path}: {verdict}"]
    return _page(source.path.name, corpus, source.defects, about, notes)


def added_page(added: store.Added, corpus: Corpus) -> Page:
    """Return the page of a corpus that was stored: its defects, facts and digest."""
    signature = Signature.from_fields(corpus=corpus.name, digest=content_digest(corpus))
    about = {**in_json(signature), "path": str(added.file)}
    return _page(corpus.name, corpus, added.defects, about, [])


def list_page(used: store.Located) -> Page:
    """Return the page of the corpora that cdec knows or has; ``used`` is the one by default."""
    stored = store.installed()
    published = {known.name: known for known in store.known_corpora().values()}
    del published[store.SAMPLE]
    rows = [
        {**vars(known), "fetch": "yes" if known.blobs else ""}
        for known in published.values()
    ]
    rows += [{"name": name} for name in sorted(stored.keys() - published.keys())]
    columns = [
        "name",
        "title",
        "format",
        "split",
        "licence",
        "fetch",
        "note",
        "citation",
    ]
    data = pd.DataFrame(rows, columns=columns).fillna("")
    data.insert(6, "installed", [str(stored.get(name, "")) for name in data["name"]])
    notes = [
        f"{known.name}: {known.note}" for known in published.values() if known.note
    ]
    formats = ", ".join(CORPORA)
    notes += [
        f"formats: {formats}; a corpus in one of them can be used by its path, or added",
        f"in use without --corpus: {used.name}, {used.path} ({used.origin})",
    ]
    # A narrow terminal shows the first of these.
    view = data[["name", "installed", "title", "licence", "fetch", "format", "split"]]
    grid = Grid.from_frame("Corpora that cdec knows or has", view, 0, notes)
    return Page.of(
        replace(grid, narrow=range(5), most=WIDTH),
        data,
        in_json(Signature.from_fields()),
    )
