"""Training of detectors on made corpora, and the files that hold them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdec.corpus import Corpus
from cdec.corpus.blind import blind
from cdec.detection import (
    BEGIN,
    INSIDE,
    NAMES,
    OUTSIDE,
    Cut,
    Detector,
    Lexicon,
    Model,
    annotated,
    dump,
    labels,
    left_out_shares,
    load,
    token_table,
)
from tests.detection.made import DEV, TRAIN, made
from tests.refusals import refused


def fitted(name: str) -> Detector:
    return Detector(name).fit(TRAIN, DEV)


def words(detector: Detector) -> set[str]:
    """Return the words of dev that the detector finds."""
    found = detector.find(blind(DEV, mentions=False).corpus)
    assert (found["start"] == found["end"]).all()
    (document,) = DEV.documents.values()
    return {document.tokens[start] for start in found["start"]}


@pytest.mark.parametrize("name", NAMES)
def test_a_detector_finds_the_words_of_train(name: str) -> None:
    assert words(fitted(name)) == {"fire", "burned", "said", "fell"}


def test_the_lexicon_has_the_share_of_each_word_and_the_best_cut_of_dev() -> None:
    corpus = made({"a": ["rain fell .", "rain stopped ."]}, {"a": [(0,), (1,), (4,)]})
    table = token_table(corpus)
    lexicon = Lexicon.fit(table, labels(corpus, table))
    assert lexicon.shares == {"rain/NOUN": 0.5, "fall/VERB": 1.0, "stop/VERB": 1.0, "./PUNCT": 0.0}
    model = fitted("detector-lexicon").fitting()
    assert model.fitted["event"].cut == Cut(0.95, "never")
    assert model.fitted["event"].curve[0.95].f1 == 1.0


def test_shares_for_training_come_from_other_topics() -> None:
    table = token_table(TRAIN)
    shares = left_out_shares(table, labels(TRAIN, table))
    found = {
        (doc, form): share
        for doc, form, share in zip(table["doc"], table["form"], shares, strict=True)
    }
    assert found["a1", "said"] == 1.0  # in both documents of the topic b
    assert np.isnan(found["a1", "fire"])  # only in the topic a
    assert found["b1", "man"] == 0.0


def test_tokens_have_the_labels_of_the_mentions() -> None:
    corpus = made({"a": ["one two three four five"]}, {"a": [(0, 1), (1,), (2, 4)]})
    marks = labels(corpus, token_table(corpus)).tolist()
    assert marks == [BEGIN, INSIDE, BEGIN, OUTSIDE, BEGIN]


def test_only_sentences_that_were_annotated_in_full_count() -> None:
    reviewed = [("a1", 0), ("a2", 0), ("b1", 0), ("b2", 0)]
    part = replace(TRAIN, reviewed=frozenset(reviewed))
    table = token_table(part)
    assert set(table[annotated(part, table)]["sentence"]) == {0}
    assert annotated(TRAIN, table).all()
    lexicon = Detector("detector-lexicon").fit(part, DEV).fitting().fitted["event"].finder
    assert isinstance(lexicon, Lexicon)
    assert "say/VERB" not in lexicon.shares
    assert "burn/VERB" in lexicon.shares


def test_both_kinds_are_found_if_all_are_selected() -> None:
    entities = made(
        {name: [" ".join(s) for s in d.sentences] for name, d in TRAIN.documents.items()},
        {"a1": [(4,), (6,)], "b1": [(4,), (6,)]},
        kind="entity",
    )
    both = replace(TRAIN, mentions=_joined(TRAIN, entities), kind="all")
    dev_entities = made(
        {"c1": [" ".join(s) for s in DEV.documents["c1"].sentences]}, {"c1": [(4,)]}, kind="entity"
    )
    dev = replace(DEV, mentions=_joined(DEV, dev_entities), kind="all")
    detector = Detector("detector-lexicon").fit(both, dev)
    assert set(detector.fitting().fitted) == {"event", "entity"}
    assert words(detector) == {"fire", "burned", "said", "fell", "town"}
    found = detector.find(blind(dev, mentions=False).corpus)
    assert found["start"].is_monotonic_increasing
    detection = detector.parameters["detection"]
    assert isinstance(detection, dict)
    assert {"event_threshold", "entity_threshold"} <= set(detection)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_data_give_the_same_bytes(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    contents = []
    for folder in ("one", "two", "two"):  # trained, trained again, from the cache
        monkeypatch.setenv("CDEC_CACHE", str(tmp_path / folder))
        contents.append(dump(fitted(name).fitting()))
    assert len(set(contents)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_file_holds_the_detector(name: str, tmp_path: Path) -> None:
    detector, path = fitted(name), tmp_path / "a.detector"
    detector.save(path)
    assert dump(load(path)) == path.read_bytes()
    again = Detector().load(path)
    assert again.parameters == detector.parameters
    assert words(again) == words(detector)
    assert again.has_seen(TRAIN)
    assert again.has_seen(DEV)
    assert not again.has_seen(made({"z": ["new text"]}, {}))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"format": "cdec-detector/2"}, "file-too-new"),
        ({"format": "mine/1"}, "model-invalid"),
        ({"features": 0}, "model-invalid"),
        ({"detector": "mine"}, "model-invalid"),
        ({"parts": {}}, "model-invalid"),
        ({"more": 1}, "model-invalid"),
    ],
)
def test_another_file_is_refused(change: dict[str, object], code: str, tmp_path: Path) -> None:
    path = tmp_path / "a.detector"
    value = json.loads(dump(fitted("detector-tagger").fitting()))
    path.write_text(json.dumps(value | change), "utf-8")
    with refused(code, place="a.detector"):
        load(path)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("weights", None),
        ("weights", {"word=fire": [1.0, 2.0]}),
        ("bias", [0.0]),
        ("shares", {"fire/NOUN": 2.0}),
        ("threshold", -1.0),
        ("merge", "sometimes"),
        ("curve", {"half": [0.0, 0.0, 0.0]}),
    ],
)
def test_a_damaged_part_is_refused(field: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "a.detector"
    stored = json.loads(dump(fitted("detector-tagger").fitting()))
    stored["parts"]["event"][field] = value
    path.write_text(json.dumps(stored), "utf-8")
    with refused("model-invalid", place="a.detector"):
        load(path)


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.detector"
    path.write_bytes(dump(fitted("detector-lexicon").fitting())[:-20])
    with refused("model-invalid", "invalid JSON"):
        load(path)


def test_training_without_mentions_is_refused() -> None:
    empty = made({"a": ["no mention here"]}, {})
    for parts in ((empty, DEV), (TRAIN, empty)):
        with refused("part-too-small", "event"):
            Detector().fit(*parts)
    unreviewed = replace(TRAIN, reviewed=frozenset({("b2", 7), ("a2", 1)}))
    assert Detector("detector-lexicon").fit(unreviewed, DEV).trained_on == "made/all"
    only_others = replace(
        made({"a": ["rain fell .", "no mention"]}, {"a": [(0,)]}), reviewed=frozenset({("a", 1)})
    )
    with refused("part-too-small"):
        Detector().fit(only_others, DEV)


def test_a_detector_without_model_or_with_another_pipeline_is_refused() -> None:
    with refused("model-invalid"):
        Detector().find(DEV)
    detector = fitted("detector-lexicon")
    other = replace(detector, model=_with(detector, "other"))
    with refused("model-mismatch", "other"):
        other.find(DEV)


def _with(detector: Detector, nlp: str) -> Model:
    return replace(detector.fitting(), nlp=nlp)


def _joined(events: Corpus, entities: Corpus) -> pd.DataFrame:
    moved = entities.mentions.set_axis(entities.mentions.index + "e")
    return pd.concat([events.mentions, moved])
