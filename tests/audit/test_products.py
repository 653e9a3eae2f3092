"""The provenance of operations, files of the first version, and the two products."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cdec import load_corpus
from cdec.auditing import Correction, Patch, products, read_patch
from tests.audit.patches import about_of, patch_of, place_of
from tests.audit.test_patch import decisions
from tests.cli.conftest import Run
from tests.refusals import refused

SAMPLE = load_corpus("sample")
EVENTS = SAMPLE.selected
IN, OUT = ([*map(str, EVENTS.index[EVENTS["reviewed"] == is_in])] for is_in in (True, False))


def test_each_operation_is_in_one_product() -> None:
    merges = [(IN[0], IN[1]), (OUT[0], OUT[1]), (IN[2], OUT[2])]
    patch = patch_of(
        merges, remove=[IN[3]], about=about_of(SAMPLE), add={place_of(SAMPLE, IN[4]): IN[4]}
    )
    inside, outside = products(patch, SAMPLE).values()
    assert [op.to_dict() for op in outside.operations] == [{"merge": [*m]} for m in merges[1:]]
    assert len(inside.operations) == 3
    assert (inside.about["product"], outside.about["product"]) == ("A", "B")
    assert ("across" in inside.about, outside.about["across"]) == (False, 1)
    assert products(patch, SAMPLE, "only") == {"A": inside}
    # An added mention is where its sentence is, not where the mention of its chain is.
    added = patch_of(about=about_of(SAMPLE), add={place_of(SAMPLE, OUT[0]): IN[0]})
    assert [*products(added, SAMPLE)] == ["B"]
    with refused("name-unknown", "'inside'"):
        products(patch, SAMPLE, "inside")
    with refused("input-mismatch", "'x/1'"):
        products(patch_of([("x/1", IN[0])], about=about_of(SAMPLE)), SAMPLE)


def test_a_corpus_without_reviewed_sentences_has_one_product() -> None:
    corpus = replace(SAMPLE, mentions=SAMPLE.mentions.assign(reviewed=False), reviewed=frozenset())
    patch = patch_of([(IN[0], OUT[0])], about=about_of(SAMPLE))
    assert products(patch, corpus) == {"": patch}
    with refused("annotation-missing"):
        products(patch, corpus, "only")


def test_apply_writes_one_product_with_its_provenance(tmp_path: Path, cdec: Run) -> None:
    about = {"about": about_of(SAMPLE)}
    cases = {f"{IN[0]}-{IN[1]}": "error", f"{OUT[0]}-{OUT[1]}": "error"}
    files = [decisions(tmp_path / name, cases, name, **about) for name in ("ann", "bob")]
    target = tmp_path / "patch.json"
    call = ("audit", "apply", *files, "-o", target)
    ran = cdec(*call, "--reviewed", "only", "--corpus", "sample")
    assert ran.code == 0, ran.err
    patch = read_patch(target)
    assert [operation.to_dict() for operation in patch.operations] == [
        {
            "case": f"{IN[0]}-{IN[1]}",
            "kind": "missing-singleton-cluster",
            "merge": [IN[0], IN[1]],
            "readers": ["ann", "bob"],
            "agreement": "2 of 2",
        }
    ]
    assert patch.about["product"] == "A"
    refusal = cdec(*call, "--corpus", "sample")
    assert refusal.code == 2
    assert "--corpus has no effect" in refusal.err
    listed = tmp_path / "list.jsonl"
    assert cdec("audit", "run", "--corpus", "sample", "--top", "1", "-o", listed).code == 0
    assert cdec(*call, "--list", listed).code == 2  # its case is another one


def test_a_report_as_json_has_the_key_of_each_product(tmp_path: Path, cdec: Run) -> None:
    cases = {f"{IN[0]}-{IN[1]}": "error", f"{OUT[0]}-{OUT[1]}": "error"}
    file = decisions(tmp_path / "ann", cases, "ann", about=about_of(SAMPLE))
    scored = ("--corpus", "sample", "--split", "all", "-s", "pure", "--system", "lemma")
    ran = cdec("audit", "report", file, *scored, "-f", "json")
    assert ran.code == 0, ran.err
    about = json.loads(ran.out)
    assert [*about["after"]] == ["A", "B"]
    assert len({str(after) for after in (about["before"], *about["after"].values())}) == 3


def test_a_file_of_the_first_version_is_read(tmp_path: Path) -> None:
    shipped = read_patch("ecbplus-duplicates")
    assert shipped.digest.startswith("16f805af0e11")
    content = {
        "format": "cdec-key-patch/1",
        "about": {},
        "merge": [["a", "b"]],
        "move": [["c"]],
        "remove": ["d"],
        "span": {"e": "1-2"},
        "tag": {"e": "ACTION_STATE"},
        "add": {"f/1": "a"},
        "places": {"a": "x/1"},
    }
    old = tmp_path / "old.json"
    old.write_text(json.dumps(content), "utf-8")
    patch = read_patch(old)
    (tmp_path / "new.json").write_text(patch.to_json(), "utf-8")
    new = read_patch(tmp_path / "new.json")
    assert (new.operations, new.digest) == (patch.operations, patch.digest)
    assert (len(new.operations), new.edits, new.mentions) == (6, 4, {"a", "b", "c"})
    with refused("file-invalid", "operations", place=old):
        old.write_text(json.dumps(content | {"format": "cdec-key-patch/2"}), "utf-8")
        read_patch(old)


def test_an_operation_must_do_something() -> None:
    with refused("file-invalid", "'x'"):
        Patch((Correction(case="x"),))
    with refused("file-invalid"):
        Patch((Correction(merge=("a", "a")),))
    with refused("patch-contradictory", "'a'"):
        Patch((Correction(tag={"a": "X"}), Correction(tag={"a": "Y"})))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "file-empty"),
        ("[]", "file-invalid"),
        ('{"format": "cdec-key-patch/3"}', "file-too-new"),
        ('{"format": 2}', "file-invalid"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, code: str) -> None:
    file = tmp_path / "patch.json"
    file.write_text(text, "utf-8")
    with refused(code, place=file):
        read_patch(file)
