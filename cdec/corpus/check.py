"""The pages of `cdec corpus add` and `list`: what is irregular in a corpus, what is known of it.

``configs/corpora/kinds.toml`` describes defects.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import pandas as pd

from cdec.configs import read_toml
from cdec.corpus import store
from cdec.corpus.interchange import content_digest
from cdec.corpus.model import ENTITY, EVENT, Corpus, natural_key
from cdec.corpus.source import CORPORA, Source, odd, read_corpus
from cdec.corpus.splits import ALL, divided, split_of
from cdec.corpus.stats import counts
from cdec.errors import CorpusError, counted
from cdec.render.page import Page
from cdec.signature import Signature, in_json

Defect = tuple[str, str]
"""The kind of an irregularity, and the document, token or mention."""
_EXAMPLES = 3
_GAPS = {EVENT: "gap-in-event", ENTITY: "gap-in-argument"}


def irregularities(corpus: Corpus, noted: Iterable[Defect] = ()) -> list[Defect]:
    """Return the defects of a corpus: those that its reader noted, and others of any corpus."""
    table, noted = corpus.mentions, list(noted)
    twice = table.index[table.duplicated(["doc", "tokens", "kind"])]
    found = [("span-twice", id_) for id_ in twice]
    for document in corpus.documents.values() if corpus.text != "none" else ():
        for number, token in enumerate(document.tokens):
            found += ((kind, f"{document.id}/t{number}") for kind in odd(token))
    gaps = table[table["end"] - table["start"] >= table["tokens"].map(len)]
    found += zip(gaps["kind"].map(_GAPS), gaps.index, strict=True)
    longer = table.loc[table["start"] != table["end"], ["doc", "sentence", "end"]]
    for id_, doc, sentence, end in longer.itertuples(name=None):
        later = bisect_right(corpus.documents[doc].sentence_starts, end) - 1 > sentence
        found += [("spans-sentences", id_)] * later
    known = {kind for kind, _ in noted}
    return noted + [defect for defect in found if defect[0] not in known]


def _page(
    name: str,
    corpus: Corpus | None,
    noted: Iterable[Defect],
    about: Mapping[str, object],
    notes: Sequence[str],
) -> Page:
    """Return the page with a row for each kind of defect, and for each fact of a corpus."""
    columns = ["kind", "item", "found", "examples", "meaning", "handling"]
    defects, rows = read_toml("corpora/kinds.toml")["defects"], []
    found = sorted(irregularities(corpus, noted) if corpus else ())
    for kind, own in groupby(found, itemgetter(0)):
        items = sorted((item for _, item in own), key=natural_key)
        row = {"kind": "defect", "item": kind, "found": len(items), **defects[kind]}
        rows.append({**row, "examples": ", ".join(items[:_EXAMPLES])})
    if corpus:
        # The counts of the default key, and of each part of the default split.
        parts = {f" ({part})": own for part, own in divided(corpus).items() if part != ALL}
        for part, one in {"": corpus, **parts}.items():
            facts = counts(one).items()
            rows += ({"kind": "fact", "item": f"{name}{part}", "found": n} for name, n in facts)
        split, documents = split_of(corpus), corpus.documents.values()
        stated = {one.language for one in documents if "language" in one.attributes}
        known = {
            "format": corpus.format or "texts with mentions",
            **corpus.release,
            "languages": ", ".join(sorted(stated)),
            "levels": ", ".join(corpus.levels.values()) or "none",
            "text": corpus.text,
            "key_variants": ", ".join(corpus.variants),  # the first is the default
            "split": f"{split.name} ({', '.join(divided(corpus))})" if split.parts else "none",
            "digest": corpus.digest,
            "content_digest": content_digest(corpus),
        }
        about = {**about, **known}
        if known["content_digest"] == known["digest"]:
            del known["content_digest"]
        lines = (f"{name.replace('_', ' ')}: {value}" for name, value in known.items() if value)
        notes = [*lines, *notes]
    table = pd.DataFrame(rows, columns=columns)
    view = table[columns[1:-1]].dropna(axis="columns", how="all").fillna("").astype(str)
    return Page.from_table(view, table, title=f"Corpus {name}", notes=notes, about=about)


def check_page(source: Source) -> Page:
    """Read every file of ``source``, and return the page of its defects, facts and the verdict.

    Its ``about`` says in ``ok`` whether all files are valid and, of a published corpus with
    checksums, as published, and has all ``problems``.
    """
    corpus, problems = None, list[str]()
    try:
        corpus = read_corpus(source, source.path.name)
    except CorpusError as error:
        problems.append(str(error))
    known, verdict = store.meant_by(source), "this is not a valid corpus"
    differences = store.difference(source, known) if known else []
    if known and differences:
        many = counted(len(differences), "file differs", "files differ")
        verdict = f"not {known.title}: {many}, {differences[0]}"
    elif corpus and known:
        verdict = f"{known.title}: complete and unchanged"
    elif corpus:
        verdict = "all files are valid; this corpus has no published checksum"
    problems += differences
    digest = corpus.digest if corpus else source.digest
    signature = Signature.from_fields(corpus=known.name if known else None, digest=digest)
    about = {**in_json(signature), "path": str(source.path), "digest": digest, "verdict": verdict}
    about |= {"ok": not problems, "problems": problems}
    notes = [*problems, f"{source.path}: {verdict}"]
    return _page(source.path.name, corpus, source.defects, about, notes)


def added_page(added: store.Added, corpus: Corpus) -> Page:
    """Return the page of a corpus that was stored: its defects, facts and digest."""
    signature = Signature.from_fields(corpus=corpus.name, digest=content_digest(corpus))
    about = {**in_json(signature), "path": str(added.file)}
    return _page(corpus.name, corpus, added.defects, about, [])


def list_page(used: store.Located) -> Page:
    """Return the page of the corpora that cdec knows or has; ``used`` is the one by default."""
    here, names = store.installed(), ["name", "title", "format", "split", "licence"]
    published = {known.name: known for known in store.known_corpora().values()}
    del published[store.SAMPLE]
    rows = [{**vars(k), "fetch": "yes" if k.blobs else ""} for k in published.values()]
    rows += [{"name": name} for name in sorted(here.keys() - published.keys())]
    data = pd.DataFrame(rows, columns=[*names, "fetch", "note", "citation"]).fillna("")
    data.insert(6, "installed", [str(here.get(name, "")) for name in data["name"]])
    notes = (
        *(f"{known.name}: {known.note}" for known in published.values() if known.note),
        f"formats: {', '.join(CORPORA)}; a corpus in one of them can be used by its path, or added",
        f"in use without --corpus: {used.name}, {used.path} ({used.origin})",
    )
    about, title = in_json(Signature.from_fields()), "Corpora that cdec knows or has"
    view = data.drop(columns=["note", "citation"])
    return Page.from_table(view, data, title=title, notes=notes, about=about)
