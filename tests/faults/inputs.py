"""Every kind of input file, valid and minimal, with the call that reads it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from cdec.baselines.sac import Calibration, Linear, Model, SacConfig, columns, store
from cdec.corpus import LAYOUT, REVIEWED, Source
from cdec.language.pipeline import pipeline
from tests.corpus import samples

DOCUMENT = """\
<?xml version="1.0" encoding="UTF-8"?>
<Document doc_name="1_1ecb.xml" doc_id="D1">
<token t_id="1" sentence="0" number="0">Aña</token>
<token t_id="2" sentence="0" number="1">spread</token>
<Markables>
<ACTION_OCCURRENCE m_id="11"><token_anchor t_id="2"/></ACTION_OCCURRENCE>
<ACTION_OCCURRENCE m_id="21" RELATED_TO="" TAG_DESCRIPTOR="fire" instance_id="ACT1"/>
</Markables>
<Relations>
<CROSS_DOC_COREF r_id="1" note="ACT1"><source m_id="11"/><target m_id="21"/></CROSS_DOC_COREF>
</Relations>
</Document>
"""
LIST = "Tópic,File,Sentence Number\n1,1ecb,0\n"
FILES = {"1/1_1ecb.xml": DOCUMENT, "1/1_2ecb.xml": DOCUMENT}
IDS = ("1_1ecb/11", "1_2ecb/11")
# One mention in each of two documents; a label outside ASCII, so that encodings matter.
KEY = "".join(f'{{"doc": "1_{n}ecb", "start": 1, "end": 1, "chain": "é"}}\n' for n in (1, 2))
CONLL = "".join(
    f"#begin document (1_{n}ecb);\n1_{n}ecb\t0\tAña\t-\n1_{n}ecb\t1\tspread\t(é)\n#end document\n"
    for n in (1, 2)
)
_ENTITY = "\t_\t_\t_\t_\t0\troot\t_\tEntity=(é-1)\n"
CONLLU = "# global.Entity = eid-head\n" + "".join(
    f"# newdoc id = 1_{n}ecb\n1\tAña{_ENTITY.split('Entity', maxsplit=1)[0]}_\n2\tspread{_ENTITY}\n"
    for n in (1, 2)
)
TABLE = "doc,start,end,chain\n1_1ecb,1,1,é\n1_2ecb,1,1,é\n"
BARE = TABLE.removeprefix("doc,start,end,chain\n").replace(",", "\t")
BY_ID = '{"1_1ecb/11": "é",\n"1_2ecb/11": "é"}\n'
SENTENCES = "doc,sentence,start,end,chain\n1_1ecb,0,1,1,é\n1_2ecb,0,1,1,é\n"
SPAN_IDS = "#begin document (0); part 000\n1_1ecb_0_1_1\t(é)\n1_2ecb_0_1_1\t(é)\n#end document\n"
EIGHT = "#begin document all\n" + "".join(
    f"1\t1_0\t1_{n}ecb\t0\t{t}\t{word}\tTrue\t{cell}\n"
    for n in (1, 2)
    for t, word, cell in ((1, "Aña", "-"), (2, "spread", "(é)"))
)
CLUSTERS = '{"é": [["1_1ecb", 1, 1],\n["1_2ecb", 1, 1]]}\n'
SPLIT = 'title = "é"\nreviewed_only = false\n[topics]\ndev = ["1-1"]\n'
CONFIG = '# é\nsystem = "lemma-delta"\ndelta = 0.3\n[tfidf]\nmin_df = 1\nlowercase = true\n'
SAC = '# é\nsystem = "sac"\n[choices]\ngate = 0.2\nfamilies = ["head"]\nnegatives = 8\nfolds = 5\n'
RECORDS = [
    {"record": "corpus", "format": "cdec-corpus/1", "name": "é"},
    {"record": "document", "id": "a", "topic": "1", "sentences": [["Aña", "spread"]]},
    {"record": "mention", "id": "1", "doc": "a", "tokens": [1], "chain": "é"},
    {"record": "mention", "id": "2", "doc": "a", "tokens": [0, 1], "chain": "é"},
]
RECORD_LINES = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in RECORDS)
TOPICS = "document,topic\na,é\n"
OPERATION = {"merge": list(IDS)}
DIGEST = Source(Path(), {name: text.encode() for name, text in FILES.items()}, None, LAYOUT).digest
ABOUT = {"corpus": "corpus", "digest": DIGEST}
PATCH = {
    "format": "cdec-key-patch/1",
    "about": {"corpus": "é"},
    "merge": [],
    "move": [["1_1ecb/11"]],
    "places": {"1_1ecb/11": "1_1ecb/1-1"},
}
DECISIONS = {
    "format": "cdec-audit-decisions/1",
    "reviewer": "é",
    "about": {"corpus": "corpus", "digest": "1"},
    "decisions": [
        {"case": "a", "kind": "missing-singleton-singleton", "verdict": "error",
         "operation": OPERATION, "comment": "é", "time": "1"},
        {"case": "b", "kind": "spurious-member", "verdict": "unsure",
         "operation": {"move": [IDS[0]]}, "comment": "", "time": "2"},
    ],
    "places": dict.fromkeys(IDS, "1_1ecb/1-1"),
}  # fmt: skip
CASE = {
    "case": "a", "kind": "missing-singleton-singleton", "score": 0.5, "topic": "1",
    "detectors": {"svm": 0.5}, "reasons": ["é"],
    "evidence": [{"feature": "head", "adds": 0.5, "value": 1.0}],
    "sides": [{"mentions": [id_], "chain": id_, "descriptor": "", "members": []} for id_ in IDS],
    "reviewed": True, "fixes": [{"fix": "merge", "text": "é", "operation": OPERATION}],
    "sentences": {},
}  # fmt: skip
CASES = [{"format": "cdec-audit-shortlist/2", **ABOUT}, CASE]
COUNTS = ("p_num", "p_den", "r_num", "r_den")


def row(system: str, unit: str) -> dict[str, object]:
    """Return a row of a perfect score in each of two topics."""
    named = {"unit": unit, "setting": "pure", "system": system, "metric": "muc"}
    scores = dict.fromkeys(("precision", "recall", "f1"), 1.0)
    return {**named, **scores, **dict.fromkeys(COUNTS, 2.0 if unit == "micro" else 1.0)}


SAVED = {
    "signatures": [{"system": name, "setting": "pure", "metrics": "muc"} for name in ("é", "o")],
    "by": "topic",
    "rows": [row(s, unit) for s in ("é", "o") for unit in ("1", "2", "micro")],
}


@cache
def model() -> bytes:
    """Return a SAC model that links nothing."""
    choices = SacConfig.shipped("sac").resolved()
    weights = Linear(np.zeros(len(columns(choices.families))), 0.0)
    nlp = pipeline("hanta").identity
    sac = Model(choices, nlp, "x", "k", (), (weights,), Calibration(1.0, 0.0), 0.5, {0.5: 1.0})
    return store.dump(sac)


def packed(files: dict[str, str | bytes] = dict(FILES)) -> bytes:  # noqa: B006
    """Return a zip of files under ``ECB+/``."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"ECB+/{name}", content)
    return buffer.getvalue()


def as_json(value: object) -> str:
    """Return indented JSON."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


@dataclass(frozen=True)
class Input:
    """A file and the call that reads it; ``{file}`` … ``{out}`` are placeholders for paths.

    ``code`` is the exit code for an invalid file, ``place`` its name in the error.
    """

    file: str
    sound: str | Callable[[], bytes]
    call: str
    code: int = 1
    place: str = "{file}"

    @property
    def content(self) -> bytes:
        """The valid content."""
        return self.sound.encode() if isinstance(self.sound, str) else self.sound()


def _mentions() -> bytes:
    return samples.parquet(pd.DataFrame(samples.ucdcr({})))


_WEC, _TABLE = "Event_gold_mentions.json", "all_mentions.parquet"
_EXPORT = "corpus export --split all -q -o {out} --corpus"
_SCORE = "score --scope document -q -o {out}"
_EVAL = "eval -q --split all --corpus {corpus} -s simple"
_PREDICT = "predict -q --corpus {corpus} --split all -o {out} --system"
INPUTS = {
    "XML": Input("corpus/ECB+/1/1_1ecb.xml", DOCUMENT, f"{_EXPORT} {{corpus}}", 1, "1/1_1ecb.xml"),
    "zip": Input("any.zip", packed, f"{_EXPORT} {{file}}"),
    "installed zip": Input("any.zip", packed, "corpus install {file} --name mine -q"),
    "sentence list": Input(f"corpus/{REVIEWED}", LIST, f"{_EXPORT} {{corpus}}", 1, REVIEWED),
    "GVC": Input(
        "gold.conll", samples.GVC.replace("fire", "feu é"), f"{_EXPORT} {{file}}", 1, "gold.conll"
    ),
    "FCC-T": Input(
        "a.conll", samples.FCCT_SPANS.replace("(8)", "(é)"), f"{_EXPORT} {{file}}", 1, "a.conll"
    ),
    "CD²CR": Input(
        "dev.conll", samples.CD2CR.replace("lake", "é"), f"{_EXPORT} {{file}}", 1, "dev.conll"
    ),
    "MEANTIME": Input(
        "meantime.conll",
        samples.MEANTIME.replace("EADS", "é"),
        f"{_EXPORT} {{file}}",
        1,
        "meantime.conll",
    ),
    "WEC": Input(_WEC, samples.wec({"coref_link": "é"}), f"{_EXPORT} {{file}}", 1, _WEC),
    "uCDCR": Input(_TABLE, _mentions, f"{_EXPORT} {{file}}", 1, _TABLE),
    "CoNLL corpus": Input("key.conll", CONLL, f"{_EXPORT} {{file}}", 1, "key.conll"),
    "corpus": Input("a.jsonl", RECORD_LINES, f"{_EXPORT} {{file}}", 1, "a.jsonl"),
    "imported corpus": Input(
        "a.jsonl", RECORD_LINES, "corpus import {file} --name mine -q -o {out}", 1, "a.jsonl"
    ),
    "topics": Input(
        "a.csv", TOPICS, "corpus import {records} --topics {file} --name mine -q -o {out}", 1
    ),
    "CoNLL key": Input("a.conll", CONLL, f"{_SCORE} {{file}} {{key}}"),
    "CoNLL response": Input("a.conll", CONLL, f"{_SCORE} {{key}} {{file}}"),
    "CoNLL-U key": Input("a.conllu", CONLLU, f"{_SCORE} {{file}} {{key}}"),
    "JSON Lines": Input("a.jsonl", KEY, f"{_SCORE} {{key}} {{file}}"),
    "CSV": Input("a.csv", TABLE, f"{_SCORE} {{key}} {{file}}"),
    "TSV": Input("a.tsv", TABLE.replace(",", "\t"), f"{_SCORE} {{file}} {{key}}"),
    "JSON": Input("a.json", CLUSTERS, f"{_SCORE} {{key}} {{file}}"),
    "eight columns": Input("a.conll", EIGHT, f"{_SCORE} {{key}} {{file}}"),
    "mention to chain": Input("a.json", BY_ID, f"{_SCORE} {{file}} {{file}}"),
    "TSV without header": Input("a.tsv", BARE, f"{_SCORE} {{key}} {{file}}"),
    "sentences on a corpus": Input("a.csv", SENTENCES, f"{_EVAL} -r {{file}} -o {{out}}"),
    "ids with sentence": Input("a.conll", SPAN_IDS, f"{_EVAL} -r {{file}} -o {{out}}"),
    "response on a corpus": Input("a.conll", CONLL, f"{_EVAL} -r {{file}} -o {{out}}"),
    "split": Input("a.toml", SPLIT, f"{_EXPORT} {{corpus}} --split {{file}}/dev", 2),
    "config": Input("a.toml", CONFIG, f"{_PREDICT} lemma-delta --config {{file}}", 2),
    "SAC config": Input("a.toml", SAC, f"{_PREDICT} sac --model {{model}} --config {{file}}", 2),
    "SAC model": Input("a.model", model, f"{_PREDICT} sac --model {{file}}"),
    "patch": Input("a.json", as_json(PATCH), f"{_SCORE} {{key}} {{key}} --key-patch {{file}}"),
    "decisions": Input("a.json", as_json(DECISIONS), "audit apply {file} -q -o {out}"),
    "decisions to report": Input(
        "a.json", as_json(DECISIONS), "audit report --no-scores {file} -q -o {out}"
    ),
    "cases": Input(
        "a.jsonl",
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in CASES),
        "audit review {file} --corpus {corpus} -q -o {out}",
    ),
    "results to report": Input("a.json", as_json(SAVED), "report {file} -q -o {out}.html"),
    "results to compare": Input("a.json", as_json(SAVED), "compare {file} -q -o {out}"),
}
