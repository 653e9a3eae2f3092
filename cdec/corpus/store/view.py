"""The pages of `cdec corpus info` and `cdec corpus verify`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from cdec.corpus.store.locate import Located
from cdec.corpus.store.verify import Survey
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
    view = data[["item", "found", "expected", "status", "meaning"]].astype(object)
    return Page.from_table(
        view.where(view.notna(), "–").astype(str),
        data,
        notes=(f"digest {survey.digest}", *survey.problems, f"{survey.path}: {survey.verdict}"),
        about={
            **in_json(signature),
            "path": str(survey.path),
            "digest": survey.digest,
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
