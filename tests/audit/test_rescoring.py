"""A corrected key gives equal scores from the corpus and from a file; nothing else changes."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from cdec.api import load_corpus
from cdec.auditing import Patch, ShortList, patched, patched_corpus, read_shortlist
from cdec.baselines import run, system
from cdec.corpus import Corpus, part_of
from cdec.evaluation import DEFAULT_POLICY, prepare_pair
from cdec.formats import from_corpus, write
from cdec.matching import runs
from cdec.metrics.scores import score
from cdec.settings import build, find_setting
from tests.audit.patches import patch_of
from tests.cli.conftest import Run
from tests.refusals import refused


@pytest.fixture(scope="module")
def patch(sample: Corpus, sample_cases: ShortList) -> Patch:
    """Merges of the first cases and two moves, with the places of the mentions."""
    first = [case.fixes[0].operation for case in sample_cases.cases]
    merge = tuple(op.merge for op in first if op.merge and not op.move)[:6]
    move = tuple(op.move for op in first if op.move and not op.merge)[:2]
    named = {mention for line in (*merge, *move) for mention in line}
    rows = sample.mentions.loc[sorted(named), ["doc", "start", "end", "tokens"]]
    places = {
        str(id_): f"{doc}/{runs(tokens) if len(tokens) <= end - start else f'{start}-{end}'}"
        for id_, doc, start, end, tokens in rows.itertuples(name=None)
    }
    return patch_of(merge, move, {"corpus": "sample", "digest": sample.digest}, places)


@pytest.mark.parametrize("ending", ["conll", "jsonl", "csv"])
def test_a_key_file_is_corrected_as_the_corpus_is(
    sample: Corpus, patch: Patch, tmp_path: Path, ending: str, cached: None
) -> None:
    response = run(system("lemma"), sample)
    key_file, response_file = tmp_path / f"key.{ending}", tmp_path / f"answer.{ending}"
    write(from_corpus(sample, sample.gold).numbered(), key_file, ending)
    write(from_corpus(sample, response).numbered(), response_file, ending)
    experiment = prepare_pair(
        key_file, response_file, scope="corpus", metrics="all", scorer="cdec", policy=DEFAULT_POLICY
    )
    from_file = patched(experiment, patch).results()
    key = patched_corpus(sample, patch).gold
    metas = build(find_setting("simple"), sample.selected, key, response)
    expected = {name: value.f1 for name, value in score(metas).values.items()}
    actual = {name: value.f1 for name, value in from_file.values.items()}
    assert actual == pytest.approx(expected)
    uncorrected = experiment.results()
    assert uncorrected.values != from_file.values
    assert from_file.signature.fields["key_patch_digest"] == patch.digest


def test_equal_labels_in_two_documents_differ_in_document_scope(tmp_path: Path, cdec: Run) -> None:
    lines = [
        "#begin document ({});",
        "{} 0 0 a (0)",
        "{} 0 1 b (1)",
        "{} 0 2 c (1)",
        "#end document",
    ]
    key = "".join(f"{line.format(doc)}\n" for doc in ("d1", "d2") for line in lines)
    (tmp_path / "key.conll").write_text(key, "utf-8")
    patch = patch_of((("m1", "m2"),), (), places={"m1": "d1/0-0", "m2": "d1/1-1"})
    (tmp_path / "patch.json").write_text(patch.to_json(), "utf-8")
    files = (tmp_path / "key.conll", tmp_path / "key.conll")
    call = ("score", *files, "--scope", "document", "-f", "json", "-q")
    ran = cdec(*call, "--key-patch", tmp_path / "patch.json")
    assert ran.code == 0, ran.err
    (muc,) = (row for row in json.loads(ran.out)["rows"] if row["metric"] == "muc")
    # d1: three mentions in one chain, two links; d2 as before, one link.
    assert (muc["r_num"], muc["r_den"]) == (2, 3)


def test_only_the_chains_of_events_change(sample: Corpus, patch: Patch) -> None:
    corrected = patched_corpus(sample, patch)
    assert corrected.mentions.drop(columns="chain").equals(sample.mentions.drop(columns="chain"))
    arguments = sample.mentions["kind"] == "entity"
    assert (corrected.mentions["chain"] == sample.mentions["chain"])[arguments].all()
    assert (corrected.selected["chain"] != sample.selected["chain"]).any()
    assert part_of(corrected, "test").about["key_patch_digest"] == patch.digest
    assert "key_patch" not in sample.about


def test_a_corpus_is_loaded_with_the_corrected_key(
    sample: Corpus, patch: Patch, tmp_path: Path
) -> None:
    file = tmp_path / "patch.json"
    file.write_text(patch.to_json(), "utf-8")
    part = load_corpus("sample", "test", key_patch=file)
    assert part.selected["chain"].equals(
        part_of(patched_corpus(sample, patch), "test").selected["chain"]
    )
    assert part.about["key_patch_digest"] == patch.digest
    with refused("input-mismatch", "ecb+"):
        load_corpus("sample", key_patch="ecbplus-duplicates")


def test_mentions_are_removed_added_and_changed(sample: Corpus) -> None:
    one, two, three = sample.selected.index[:3]
    doc = str(sample.mentions["doc"][two])
    place = f"{doc}/0"
    patch = patch_of(
        *((), (), {"corpus": "sample", "digest": sample.digest}),
        remove=(one,),
        span={two: "0-1"},
        tag={three: "NEG_ACTION_STATE"},
        add={place: three},
    )
    corrected = patched_corpus(sample, patch)
    assert one not in corrected.mentions.index
    assert corrected.mentions["tokens"][two] == (0, 1)
    assert corrected.mentions["tag"][three] == "NEG_ACTION_STATE"
    assert corrected.mentions["chain"][place] == corrected.mentions["chain"][three]
    assert len(corrected.mentions) == len(sample.mentions)
    starts = corrected.mentions[corrected.mentions["doc"] == doc]["start"]
    assert starts.is_monotonic_increasing
    bad = patch_of((), (), patch.about, span={two: "0-9999"})
    with refused("input-mismatch", "'0-9999'", place="patch"):
        patched_corpus(sample, bad)


def test_an_added_mention_never_replaces_another(sample: Corpus) -> None:
    """The id of a mention of ECB+, as 6_1ecbplus/14, has the form of the place of a token."""
    ids = [str(id_) for id_ in sample.mentions.index]
    taken = next(id_ for id_ in ids if id_.rpartition("/")[2].isdecimal())
    model = next(str(id_) for id_ in sample.selected.index if id_ != taken)
    about = {"corpus": "sample", "digest": sample.digest}
    corrected = patched_corpus(sample, patch_of((), (), about, add={taken: model}))
    assert set(corrected.mentions.index) == {*ids, f"{taken}+"}
    before, after = (corpus.mentions.loc[[taken]].to_csv() for corpus in (sample, corrected))
    assert before == after
    assert corrected.mentions["tokens"][f"{taken}+"] == (int(taken.rpartition("/")[2]),)
    assert corrected.mentions["chain"][f"{taken}+"] == corrected.mentions["chain"][model]


def test_a_patch_of_another_corpus_is_refused(sample: Corpus, patch: Patch) -> None:
    other = patch_of(patch.merge, patch.move, {"corpus": "x", "digest": "0"}, patch.places)
    with refused("input-mismatch", "'x'", "'sample'", place="patch"):
        patched_corpus(sample, other)
    old = patch_of(patch.merge, patch.move, {"corpus": "sample", "digest": "0"}, patch.places)
    with refused("input-mismatch", "'sample'") as caught:
        patched_corpus(sample, old)
    assert caught.value.message.count("'sample'") == 1


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "file-empty", ""),
        ("{", "file-invalid", ":1"),
        ("{}", "file-invalid", ":1"),
        ('{"format": "cdec-audit-shortlist/2"}\n{}', "file-invalid", ":2"),
    ],
)
def test_an_invalid_short_list(tmp_path: Path, text: str, code: str, line: str) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(text, "utf-8")
    with refused(code, place=f"cases.jsonl{line}"):
        read_shortlist(file)


def test_reproduce_names_the_patch(sample: Corpus, patch: Patch, tmp_path: Path, cdec: Run) -> None:
    file = tmp_path / "patch.json"
    file.write_text(patch.to_json(), "utf-8")
    ran = cdec("reproduce", "table2", "--corpus", "sample", "--key-patch", file, "-q", "-f", "json")
    assert ran.code == 0, ran.err
    assert patch.digest in ran.out


PATCHED = {
    "compare": ("compare", "lemma", "lemma-wd", "--setting", "pure", "--resamples", "20"),
    "diagnose": ("diagnose", "lemma", "--setting", "pure"),
    "eval": ("eval", "--system", "lemma", "--setting", "pure"),
    "tune": ("tune", "lemma-delta", "--split", "dev"),
    "audit run": ("audit", "run", "--detector", "duplicate", "--detector", "tags"),
    "train": ("train", "sac"),
}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n == "train" else n for n in PATCHED]
)
def test_every_command_names_the_patch(name: str, patch: Patch, tmp_path: Path, cdec: Run) -> None:
    file = tmp_path / "patch.json"
    file.write_text(patch.to_json(), "utf-8")
    ran = cdec(*PATCHED[name], "--corpus", "sample", "--key-patch", file, "-q", "-f", "json")
    assert ran.code == 0, ran.err
    assert f"key_patch_digest:{patch.digest[:12]}" in json.loads(ran.out)["signature"]


def test_the_exported_key_is_corrected(
    patch: Patch, sample: Corpus, tmp_path: Path, cdec: Run
) -> None:
    file, key = tmp_path / "patch.json", tmp_path / "key.jsonl"
    file.write_text(patch.to_json(), "utf-8")
    common = ("--corpus", "sample", "--split", "all")
    ran = cdec("corpus", "export", *common, "--key-patch", file, "-o", key, "-q")
    assert ran.code == 0, ran.err
    lines = [json.loads(line) for line in key.read_text("utf-8").splitlines()]
    written = pd.Series({line["mention"]: line["chain"] for line in lines})
    expected = patched_corpus(sample, patch).gold.labels
    pairs = pd.DataFrame({"written": written[expected.index], "expected": expected})
    # The names of the chains may differ, the chains may not.
    assert len(pairs.drop_duplicates()) == written.nunique() == expected.nunique()
    assert expected.nunique() != sample.gold.labels.nunique()


def test_a_converted_corpus_has_the_corrected_key(
    patch: Patch, sample: Corpus, tmp_path: Path, cdec: Run
) -> None:
    """It is a corpus of its own: a second round of the audit starts with it."""
    file, corpus = tmp_path / "patch.json", tmp_path / "corrected.jsonl"
    file.write_text(patch.to_json(), "utf-8")
    ran = cdec("corpus", "convert", "sample", "--key-patch", file, "-o", corpus, "-q")
    assert ran.code == 0, ran.err
    again, expected = load_corpus(str(corpus)), patched_corpus(sample, patch)
    assert again.gold == expected.gold
    assert again.digest != sample.digest
    columns = ["doc", "tokens", "kind", "tag", "reviewed"]
    assert again.mentions[columns].equals(expected.mentions[columns])


def test_a_report_of_saved_results_has_no_key_to_correct(
    patch: Patch, tmp_path: Path, cdec: Run
) -> None:
    file, scores, page = (tmp_path / name for name in ("patch.json", "scores.json", "report.html"))
    file.write_text(patch.to_json(), "utf-8")
    call = ("eval", "--system", "lemma", "--setting", "pure", "--corpus", "sample", "-q")
    assert cdec(*call, "--key-patch", file, "-f", "json", "-o", scores).code == 0
    given = ("--corpus", "sample", "--setting", "pure", "--key-patch", file, "-o", page, "-q")
    ran = cdec("report", scores, *given)
    assert (ran.code, ran.error) == (2, "option-requires")
    ran = cdec("report", scores, "-r", "lemma", *given)
    assert ran.code == 0, ran.err
    assert patch.digest[:12] in page.read_text("utf-8")
