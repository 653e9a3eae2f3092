"""The pages of `cdec corpus add` and `cdec corpus list`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from cdec.corpus.check import defect_table
from cdec.corpus.formats import CORPORA, open_source
from cdec.corpus.interchange import content_digest
from cdec.corpus.known import by_digest, by_name, known_corpora
from cdec.corpus.splits import default_split, divided
from cdec.corpus.store import SAMPLE, Imported, Located, load
from cdec.errors import CdecError, counted
from cdec.render.page import Page
from cdec.signature import Signature, in_json


def import_page(imported: Imported) -> Page:
    """Return the page of an import: the defects, then the counts and the file written."""
    corpus = imported.corpus
    table = defect_table(imported.defects).drop(columns=["expected", "status"])
    counts = [
        counted(len(corpus.documents), "document"),
        counted(len(corpus.mentions), "mention"),
        counted(corpus.mentions["chain"].nunique(), "chain"),
    ]
    notes = (
        *(() if len(table) else ("no defects",)),
        f"{corpus.name}: {', '.join(counts)}; format {imported.format}",
        f"content digest {imported.content}",
    )
    about = in_json(Signature.from_fields(corpus=corpus.name, digest=imported.content))
    data = table.drop(columns="kind").rename(columns={"item": "kind"})
    view = data[["kind", "found", "examples", "meaning"]].rename(columns={"kind": "defect"})
    about |= {"path": str(imported.path), "format": imported.format}
    return Page.from_table(view, data, notes=notes, about=about)


def list_page(installed: Mapping[str, Path], used: Located) -> Page:
    """Return the page of the corpora that cdec knows or has; ``used`` is the one by default."""
    published = {known.name: known for known in known_corpora() if known.name != SAMPLE}
    names = ("name", "title", "format", "split", "licence", "note", "citation")
    rows = [
        {name: getattr(known, name) for name in names}
        | {"fetch": "yes" if known.blobs else "", "installed": str(installed.get(name, ""))}
        for name, known in published.items()
    ]
    others = installed.keys() - published.keys()
    rows += [{"name": name, "installed": str(installed[name])} for name in sorted(others)]
    data = pd.DataFrame(rows).fillna("")
    data = data[[*names[:5], "fetch", "installed", *names[5:]]]
    notes = (
        *(f"{row['name']}: {row['note']}" for row in rows if row.get("note")),
        f"formats: {', '.join(CORPORA)}; a corpus in one of them can be used by its path, or added",
        f"in use without --corpus: {used.name}, {used.path} ({used.origin})",
    )
    about = in_json(Signature.from_fields())
    return Page.from_table(data.drop(columns=["note", "citation"]), data, notes=notes, about=about)


def info_page(used: Located, facts: Mapping[str, str]) -> Page:
    """Return the page of one corpus, with facts about it."""
    rows = {"name": used.name, "path": str(used.path), **facts}
    table = pd.DataFrame(rows.items(), columns=["fact", "value"])
    notes = [str(used.notice)] if used.notice else []
    about = in_json(Signature.from_fields(corpus=used.name)) | dict(facts)
    return Page.from_table(table, table, notes=notes, about=about)


def facts_of(used: Located) -> dict[str, str]:
    """Return what is known about the corpus in use, or why it cannot be read.

    Raises CorpusError for a corpus that the call names.
    """
    try:
        source = open_source(used.path)
        corpus = load(source, used.name)
    except CdecError as error:
        if used.origin == "argument":
            raise
        return {"unreadable": str(error)}
    known = by_digest(source.digest) or by_name(used.name)
    split = default_split(corpus)
    documents = corpus.documents.values()
    stated = {document.language for document in documents if "language" in document.attributes}
    variants = [f"{name} (default)" if name == corpus.variant else name for name in corpus.variants]
    facts = {
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
    if known is not None:
        facts |= {n: getattr(known, n) for n in ("title", "licence", "citation", "note")}
    return {name: value for name, value in facts.items() if value}
