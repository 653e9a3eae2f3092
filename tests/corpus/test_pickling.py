"""A corpus of every format can be pickled, whether or not it comes from the cache."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest

from cdec import load_corpus
from cdec.corpus import CORPORA, content_digest, lines, sample_path
from cdec.corpus.blind import blind
from cdec.io import cache
from tests.corpus import samples

FILES: Mapping[str, Mapping[str, str]] = {
    "gvc": {"gold.conll": samples.GVC, "gvc_doc_to_event.csv": samples.INCIDENTS},
    "fcc-t": {"key.conll": samples.FCCT},
    "cd2cr": {"dev.conll": samples.CD2CR},
    "meantime": {
        "meantime.conll": samples.MEANTIME,
        "event_mentions.json": samples.MEANTIME_EVENTS,
    },
    "wec": {"Event_gold_mentions.json": samples.wec({})},
    "ucdcr": {"event_mentions.json": json.dumps(samples.ucdcr({}))},
    "conll": {"key.conll": "#begin document (d);\nd\t0\t0\tfire\t(1)\n#end document\n"},
    "jsonl": {"mine.jsonl": "".join(lines(load_corpus("sample")))},
}


@pytest.mark.parametrize("format_", CORPORA.own)
def test_a_corpus_is_the_same_after_pickling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format_: str
) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    made = FILES.get(format_)
    path = samples.put(tmp_path / "corpus", made) if made else sample_path()
    for _ in range(2):  # from its files, then from the cache
        corpus = load_corpus(str(path))
        assert corpus.format == format_
        again = pickle.loads(pickle.dumps(corpus))  # noqa: S301 (ours)
        assert again.about == corpus.about
        assert content_digest(again) == content_digest(corpus)
        pd.testing.assert_series_equal(again.gold.labels, corpus.gold.labels)
        hidden = pickle.loads(pickle.dumps(blind(corpus).corpus))  # noqa: S301 (ours)
        assert dict(hidden.documents) == dict(blind(corpus).corpus.documents)
