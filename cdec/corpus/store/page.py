"""The pages of `cdec corpus list` and `cdec corpus add`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from cdec.corpus.adapter import CORPORA, open_source
from cdec.corpus.interchange.writer import content_digest
from cdec.corpus.known import by_digest, by_name, known_corpora
from cdec.corpus.splits import default_split, divided
from cdec.corpus.store.install import Imported
from cdec.corpus.store.load import load
from cdec.corpus.store.locate import SAMPLE, Located
from cdec.corpus.store.verify import Survey
from cdec.errors import CdecError, counted
from cdec.render.page import Page
from cdec.signature import Signature, in_json


def survey_page(survey: Survey) -> Page:
    """Return the page of a survey: the defects, then the facts, then the verdict."""
    defects, facts = survey.defects, survey.facts
    name = survey.known.name if survey.known else None
    signature = Signature.from_fields(corpus=name, digest=survey.digest)
    data = pd.concat(
        [
            defects.rename(columns={"kind": "item"}).assign(kind="defect"),
            facts.rename(columns={"fact": "item"}).assign(kind="fact"),
        ],
        ignore_index=True,
    )[["kind", "item", *[c for c in defects.columns if c != "kind"]]]
    digests = [f"digest {survey.digest}"]
    if survey.content:
        digests.append(f"content digest {survey.content}")
    view = data[["item", "found", "expected", "status", "meaning"]].astype(object)
    return Page.from_table(
        view.where(view.notna(), "–").astype(str),
        data,
        notes=(*digests, *survey.problems, f"{survey.path}: {survey.verdict}"),
        about={
            **in_json(signature),
            "path": str(survey.path),
            "digest": survey.digest,
            "content_digest": survey.content,
            "verdict": survey.verdict,
            "ok": survey.ok,
            "problems": survey.problems,
        },
    )


def list_page(installed: Mapping[str, Path], used: Located) -> Page:
    """Return the page of the corpora that cdec knows or has; ``used`` is the one by default."""
    rows = [
        {
            "name": known.name,
            "title": known.title,
            "format": known.format,
            "split": known.split,
            "licence": known.licence,
            "fetch": "yes" if known.blobs else "",
            "installed": str(installed.get(known.name, "")),
            "note": known.note,
            "citation": known.citation,
        }
        for known in known_corpora()
        if known.name != SAMPLE
    ]
    named = {row["name"] for row in rows}
    more = [(name, path) for name, path in installed.items() if name not in named]
    rows += [{"name": name, "installed": str(path)} for name, path in more]
    data = pd.DataFrame(rows).fillna("")
    formats = ", ".join(CORPORA)
    notes = (
        *(f"{row['name']}: {row['note']}" for row in rows if row.get("note")),
        f"formats: {formats}; a corpus in one of them can be used by its path, or added",
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


def import_page(imported: Imported) -> Page:
    """Return the page of an import: the defects, then the counts and the file written."""
    defects, corpus = imported.defects, imported.corpus
    data = defects[["kind", "found", "meaning", "handling", "examples"]]
    counts = [
        counted(len(corpus.documents), "document"),
        counted(len(corpus.mentions), "mention"),
        counted(corpus.mentions["chain"].nunique(), "chain"),
    ]
    notes = (
        f"{corpus.name}: {', '.join(counts)}; format {imported.format}",
        f"content digest {imported.content}",
    )
    view = data[["kind", "found", "examples", "meaning"]]
    about = in_json(Signature.from_fields(corpus=corpus.name, digest=imported.content))
    return Page.from_table(
        view.rename(columns={"kind": "defect"}),
        data,
        notes=notes if len(data) else ("no defects", *notes),
        about={**about, "path": str(imported.path), "format": imported.format},
    )


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
        facts |= {"title": known.title, "licence": known.licence}
        facts |= {"citation": known.citation, "note": known.note}
    return {name: value for name, value in facts.items() if value}
