"""The pages of `cdec corpus info` and `cdec corpus verify`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from cdec.corpus.store.importing import Imported
from cdec.corpus.store.locate import Located
from cdec.corpus.store.verify import Survey
from cdec.errors import counted
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


def info_page(used: Located, installed: Mapping[str, Path]) -> Page:
    """Return the page of the installed corpora and the one in use."""
    rows: list[tuple[str, str, str, str]] = [("in use", used.name, str(used.path), used.origin)]
    rows += [("installed", name, str(path), "") for name, path in installed.items()]
    table = pd.DataFrame(rows, columns=["corpus", "name", "path", "chosen by"])
    notes = (str(used.notice),) if used.notice else ()
    about = in_json(Signature.from_fields(corpus=used.name))
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
