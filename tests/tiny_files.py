"""Small files for the suite from outside: keys, responses and a corpus, and what a call says."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from tests.cases import cases
from tests.program import Run

SENTENCE = ["Police", "took", "the", "man", "in"]
FREE = ["He", "was", "set", "free", "."]
# Document → topic and sub-topic, part, sentences; sentence 0 of 1_2ecb is the URL of its page.
DOCUMENTS = {
    "1_1ecb": ("1", "1ecb", "test", [SENTENCE, FREE]),
    "1_2ecb": ("1", "1ecb", "test", [SENTENCE, ["Half", "7 ½", "", "-", "#end document"]]),
    "2_1ecb": ("2", "2ecb", "dev", [SENTENCE, FREE]),
}
MENTIONS: list[tuple[str, str, list[int], str, str]] = cases("tiny_corpora")["MENTIONS"]
EVENTS = tuple(one for one in MENTIONS if one[4] == "event")


def records(*rows: dict[str, Any]) -> str:
    """JSON Lines."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def spans(rows: Iterable[Sequence[object]]) -> str:
    """A CSV file of (document, first token, last token, chain)."""
    return "".join(
        ",".join(map(str, row)) + "\n" for row in [("doc", "start", "end", "chain"), *rows]
    )


def conll(*documents: tuple[str, Sequence[str]]) -> str:
    """A CoNLL file of documents (name, cells); the words are a, b, c, …"""
    lines = []
    for doc, cells in documents:
        lines.append(f"#begin document ({doc}); part 000")
        lines += [f"{doc}\t0\t{at}\t{chr(97 + at)}\t{cell}" for at, cell in enumerate(cells)]
        lines.append("#end document")
    return "\n".join(lines) + "\n"


def brackets(
    mentions: Iterable[tuple[str, int, int, object]], texts: Mapping[str, Sequence[Sequence[str]]]
) -> str:
    """A CoNLL file of mentions (document, first token, last token, chain) in these sentences."""
    rows = list(mentions)
    lines = []
    for doc, sentences in texts.items():
        lines.append(f"#begin document {doc if doc.startswith('(') else f'({doc}); part 000'}")
        name = doc.partition(");")[0].removeprefix("(")
        token = 0
        for number, sentence in enumerate(sentences):
            for position, word in enumerate(sentence):
                cells = [
                    f"{'(' * (token == start)}{chain}{')' * (token == end)}"
                    for home, start, end, chain in rows
                    if home == doc and token in (start, end)
                ]
                lines.append(f"{name}\t{number}\t{position}\t{word}\t{'|'.join(cells) or '-'}")
                token += 1
            lines.append("")
        lines.append("#end document")
    return "\n".join(lines) + "\n"


def corpus(
    *,
    mentions: Iterable[tuple[str, str, list[int], str, str]] = MENTIONS,
    head: dict[str, Any] | None = None,
    **documents: Any,
) -> str:
    """A corpus in JSON Lines; ``head`` and ``documents`` are further fields of its records."""
    return records(
        {"record": "corpus", "format": "cdec-corpus/1", "name": "made", **(head or {})},
        *(
            {"record": "document", "id": doc, "topic": topic, "subtopic": sub, "part": part,
             "sentences": text, **({"text_start": 1} if doc == "1_2ecb" else {}), **documents}
            for doc, (topic, sub, part, text) in DOCUMENTS.items()
        ),
        *(
            {"record": "mention", "id": id_, "doc": doc, "tokens": at, "chain": chain, "kind": kind}
            for doc, id_, at, chain, kind in mentions
        ),
    )  # fmt: skip


def given(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file and return its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@dataclass(frozen=True)
class Answer:
    """What a call of eval or score with JSON says: counts of mentions, values, notices."""

    key: int
    response: int
    common: int
    counts: dict[str, tuple[Any, ...]]
    notices: dict[str, dict[str, Any]]
    signature: dict[str, Any]

    @property
    def numbers(self) -> tuple[int, int, int]:
        """Mentions of the key, of the response, and of both."""
        return self.key, self.response, self.common

    @property
    def said(self) -> dict[str, int]:
        """Code → count of each notice."""
        return {code: notice["count"] for code, notice in self.notices.items()}

    @property
    def warnings(self) -> set[str]:
        """The codes of notices that are warnings."""
        return {code for code, notice in self.notices.items() if notice["warning"]}


def answer(run: Run, *call: object, metric: str = "muc") -> Answer:
    """Run eval or score with JSON, one setting and one metric."""
    return answer_of(
        run(*call, "--metric", metric, "--metric", "mentions", "--format", "json").json
    )


def answer_of(found: dict[str, Any]) -> Answer:
    """Return what the JSON of one system under one setting says."""
    columns = ("p_num", "p_den", "r_num", "r_den")
    counts = {row["metric"]: tuple(row[name] for name in columns) for row in found["rows"]}
    common, response, _, key = counts["mentions"]
    notices = {notice["code"]: notice for notice in found["notices"]}
    return Answer(key, response, common, counts, notices, found["signatures"][0])


# A small file of each published format of corpora. ECB+ is two documents.
_TEXTS = cases("tiny_corpora")
ECBPLUS: str = _TEXTS["ECBPLUS"]
REVIEWED: str = _TEXTS["REVIEWED"]
GVC: str = _TEXTS["GVC"]
FCCT: str = _TEXTS["FCCT"]
FCCT_SPANS: str = _TEXTS["FCCT_SPANS"]
CD2CR: str = _TEXTS["CD2CR"]
MEANTIME: str = _TEXTS["MEANTIME"]


def wec(*more: dict[str, Any]) -> str:
    """A file of WEC; each record is completed from a mention of one article."""
    one = {"coref_chain": 5, "coref_link": "Flood", "doc_id": "A", "tokens_number": [1]}
    context = {"mention_context": ["It", "rosé"]}
    whole = [{**one, **context, "mention_id": str(at), **row} for at, row in enumerate(more)]
    return json.dumps(whole, indent=1, ensure_ascii=False)


def parquet(*rows: dict[str, Any]) -> bytes:
    """A table of uCDCR."""
    buffer = BytesIO()
    pd.DataFrame(list(rows)).to_parquet(buffer)
    return buffer.getvalue()


UCDCR = _TEXTS["UCDCR"]


def packed(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()
