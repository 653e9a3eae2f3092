"""Published response files: every mention is found, and the authors' own scores come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from cdec import load_corpus
from cdec.corpus import Corpus
from cdec.formats import read
from cdec.matching import match_corpus
from tests.formats.made import parse
from tests.matching import published
from tests.matching.published import BARHOM, FEATURE, HYPER, Scored

Unpack = Callable[..., Path]
# The authors' tables have every digit; the last bits differ with the order of additions.
EXACT = 1e-9
ECB_EVENTS, GVC_EVENTS = 1780, 951


@pytest.fixture(scope="module")
def test_part(ecbplus: Path) -> Corpus:
    return load_corpus(str(ecbplus), "cybulska/test")


@pytest.fixture(scope="module")
def gvc(corpora: Path) -> Corpus:
    return load_corpus(str(corpora / "GVC"), "gvc/test")


@pytest.fixture(scope="module")
def fcct(corpora: Path) -> Corpus:
    return load_corpus(str(corpora / "FCC-T"), "all")


def missing(path: Path, corpus: Corpus) -> tuple[int, int, int]:
    """Return the numbers of mentions of the key, of those not in the file, and of twinless ones."""
    matched = match_corpus(read(path), corpus)
    key, ours = matched.key.labels.index, matched.response.labels.index
    return len(key), len(key.difference(ours)), len(ours.difference(key))


def assert_whole(paths: list[Path], corpus: Corpus, size: int) -> None:
    found = {path: missing(path, corpus) for path in paths}
    assert found
    assert {path: counts for path, counts in found.items() if counts != (size, 0, 0)} == {}


def test_a_sample_of_ecbplus(unpacked: Unpack, test_part: Corpus) -> None:
    assert_whole(list(published.responses(unpacked(BARHOM), "ecbp")), test_part, ECB_EVENTS)


def test_key_files_of_gvc_with_token_ids(gvc: Corpus) -> None:
    """As systems wrote them from the corpus's own file, whose tokens include NEWLINE."""
    whole = gvc.select(variant="one-chain")
    starts = {doc.id: doc.sentence_starts for doc in gvc.documents.values()}
    table = whole.selected
    names = [
        f"{doc}.b{sentence}.{start - starts[doc][sentence] + 1}"
        for doc, sentence, start in table[["doc", "sentence", "start"]].values
    ]
    pairs = sorted(zip(names, table["chain"], strict=True))
    rows = "".join(f"evt\t0\t{k}\t{name}\t({chain})\n" for k, (name, chain) in enumerate(pairs))
    matched = match_corpus(parse(f"#begin document (evt);\n{rows}#end document\n"), whole)
    assert matched.response == matched.key
    assert len(matched.response) == 1008


def test_a_sample_of_gvc(unpacked: Unpack, gvc: Corpus) -> None:
    paths = [
        *published.responses(unpacked(BARHOM) / BARHOM, "gvc"),
        *(unpacked(FEATURE) / FEATURE).glob("*/gvc_evaluate_clustering/0/*/gold.conll"),
    ]
    assert len(paths) == 5
    assert_whole(paths, gvc, GVC_EVENTS)


@pytest.mark.slow
def test_all_of_gvc(unpacked: Unpack, gvc: Corpus) -> None:
    for archive, count in ((BARHOM, 3), (FEATURE, 256), (HYPER, 107)):
        paths = list(published.responses(unpacked(archive) / archive, "gvc"))
        assert len(paths) == count
        assert_whole(paths, gvc, GVC_EVENTS)


def test_a_sample_of_fcct(unpacked: Unpack, fcct: Corpus) -> None:
    paths = list(published.responses(unpacked(BARHOM) / BARHOM, "fcct"))
    assert_whole(paths, fcct.select(variant="bugert"), 1046)


@pytest.mark.slow
def test_all_of_fcct(unpacked: Unpack, fcct: Corpus) -> None:
    """The files of Bugert et al. number mentions as the full corpus does, which is not public."""
    paths = list(published.responses(unpacked(HYPER) / HYPER, "fcct"))
    spans = [path for path in paths if path.name != "system.conll"]
    assert len(spans) == 52
    assert_whole(spans, fcct.select(variant="hypercoref"), 1043)


@pytest.mark.slow
def test_all_of_ecbplus(unpacked: Unpack, test_part: Corpus) -> None:
    for archive, count in ((BARHOM, 3), (FEATURE, 252), (HYPER, 107)):
        paths = list(published.responses(unpacked(archive) / archive, "ecbp"))
        assert len(paths) == count
        assert_whole(paths, test_part, ECB_EVENTS)


@pytest.mark.slow
def test_detected_mentions(unpacked: Unpack, test_part: Corpus) -> None:
    paths = published.detected(unpacked(HYPER))
    assert len(paths) == 20
    for path in paths:
        codes = {notice.code for notice in match_corpus(read(path), test_part).notices}
        assert codes == {"missing-mention", "twinless", "mention-of-other-kind"}, path


def differing(files: Iterable[Scored], tolerance: float = EXACT) -> tuple[int, list[Any]]:
    """Return the number of values, and those that differ."""
    values = 0
    wrong: list[Any] = []
    for file in files:
        values += len(file.scores)
        wrong += file.differences(tolerance)
    return values, wrong


@pytest.mark.slow
def test_scores_of_bugert_and_gurevych(unpacked: Unpack, responses: Path) -> None:
    folder = unpacked(HYPER, FEATURE)  # the second has the key of the baselines
    table = responses / "hyper_scores.csv"
    assert differing(published.hyper_scores(folder, table)) == (3204, [])


@pytest.mark.slow
def test_scores_of_bugert_et_al(unpacked: Unpack) -> None:
    assert differing(published.feature_scores(unpacked(FEATURE) / FEATURE)) == (4420, [])


def test_a_sample_of_the_scores(unpacked: Unpack) -> None:
    assert differing(published.barhom_scores(unpacked(BARHOM) / BARHOM), 0.5001e-4) == (72, [])
