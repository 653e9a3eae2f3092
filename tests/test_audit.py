"""The audit from outside: the key that was read, decisions that become a patch, what is listed."""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cdec as package
from tests.cases import refused
from tests.program import Run


def test_what_its_claims_do_to_the_chains(ecbplus: Path) -> None:
    corpus = package.load_corpus(str(ecbplus), key_patch="ecbplus-read-1")
    chains = corpus.mentions["chain"]
    announced, thrilled = chains["2_3ecbplus/24"], chains["2_3ecbplus/25"]
    assert chains["2_8ecbplus/58"] == announced != thrilled == chains["2_7ecbplus/23"]
    # Two mentions each of one sentence that two documents have.
    assert chains["36_3ecbplus/15"] == chains["36_6ecbplus/22"]
    assert chains["45_10ecbplus/36"] == chains["45_11ecbplus/27"]
    assert "40_1ecbplus/40+" not in chains
    assert corpus.correction["key_patch"] == "ecbplus-read-1.json"
    assert str(corpus.correction["key_patch_digest"]).startswith("b2244c5d03d8")


def test_the_second_key_that_was_read_has_what_the_first_left_out(ecbplus: Path) -> None:
    chains = package.load_corpus(str(ecbplus), key_patch="ecbplus-read-2").mentions["chain"]
    assert chains["39_6ecb/30"] == chains["39_3ecb/29"] == chains["39_10ecb/30"]
    assert chains["21_12ecbplus/16"] == chains["21_1ecbplus/7"]
    assert chains["5_2ecbplus/25"] == chains["5_1ecbplus/44"]
    assert chains["41_7ecb/78"] == chains["41_8ecb/71"] == chains["41_6ecb/71"]
    # Identical sentences move together.
    assert chains["36_3ecbplus/15"] == chains["36_6ecbplus/22"] == chains["36_1ecbplus/14"]
    assert chains["45_10ecbplus/36"] == chains["45_11ecbplus/27"] == chains["45_1ecbplus/23"]
    assert chains["40_1ecbplus/40+"] == chains["40_3ecbplus/18"] == chains["40_7ecbplus/24"]
    assert chains["2_8ecbplus/58"] == chains["2_3ecbplus/24"]


def test_a_key_that_divides_copies_is_refused(ecbplus: Path, cdec: Run, tmp_path: Path) -> None:
    out = tmp_path / "patch.json"
    call = ("audit", "apply", "--gate", "--corpus", ecbplus, "-o", out)
    assert cdec(*call, "ecbplus-read-2").exit == 0
    patch = json.loads(out.read_text("utf-8"))
    patch["claims"] = [one for one in patch["claims"] if one.get("mention") != "36_6ecbplus/22"]
    file = tmp_path / "divided.json"
    file.write_text(json.dumps(patch), "utf-8")
    ran = cdec(*call, file)
    assert (ran.exit, ran.error) == (1, "check-failed")
    assert "36_6ecbplus/22" in ran.said


@pytest.fixture
def chain() -> list[str]:
    """Three mentions of one chain of the sample, then two of two other chains."""
    events = package.load_corpus("sample").selected
    (large, *_) = events["chain"].value_counts().index
    others = events.index[events["chain"] != large].to_series()
    firsts = others.groupby(events["chain"][others.index], sort=False).first()
    return [*events.index[events["chain"] == large][:3], *firsts[:2]]


def put(ids: list[str], to: str) -> list[dict[str, str]]:
    """Return the claims that mentions belong to a chain."""
    return [{"mention": id_, "to": to} for id_ in ids]


def decisions(file: Path, **claims: list[dict[str, str]]) -> Path:
    """Write decisions on cases of the sample: each case is an error, with these claims."""
    corpus = package.load_corpus("sample")
    decided = [
        {"case": case, "kind": "spurious-member", "verdict": "error", "claims": of_case}
        for case, of_case in claims.items()
    ]
    chains = {str(id_): str(label) for id_, label in corpus.mentions["chain"].items()}
    content: dict[str, Any] = {"format": "cdec-audit-decisions/1", "reviewer": "ann", "places": {}}
    content |= {"about": {"corpus": corpus.name, "digest": corpus.digest}, "chains": chains}
    file.write_text(json.dumps({**content, "decisions": decided}), "utf-8")
    return file


def corrected(tmp_path: Path, cdec: Run, **claims: list[dict[str, str]]) -> pd.Series[Any]:
    """Return the chains of the sample after decisions with these claims."""
    out = tmp_path / "patch.json"
    given = decisions(tmp_path / "a.json", **claims)
    assert cdec("audit", "apply", given, "-o", out).exit == 0
    return package.load_corpus("sample", key_patch=str(out)).mentions["chain"]


@pytest.mark.parametrize("target", [0, 1])
def test_a_mention_that_leaves_its_chain_takes_nobody_along(
    chain: list[str], target: int, tmp_path: Path, cdec: Run
) -> None:
    """One case adds a mention to the chain of ``leaves``, the other moves ``leaves`` out of it."""
    leaves, stays, _, new, other = chain
    there = put([leaves, other], other) if target else put([leaves], "new:one")
    chains = corrected(tmp_path, cdec, added=put([new], leaves), moved=there)
    assert chains[new] == chains[stays] != chains[leaves]
    assert (chains[leaves] == chains[other]) == bool(target)


def test_claims_on_one_mention_that_differ_are_refused(
    chain: list[str], tmp_path: Path, cdec: Run
) -> None:
    leaves, stays, _, new, _ = chain
    out = tmp_path / "patch.json"
    both = {"added": put([new], stays), "gone": put([new], ""), "kept": put([leaves], "new:x")}
    given = decisions(tmp_path / "a.json", **both)
    ran = cdec("audit", "apply", given, "-o", out)
    assert (ran.exit, ran.error, out.exists()) == (1, "patch-contradictory", False)
    assert "added" in ran.said
    assert "gone" in ran.said
    assert cdec("audit", "apply", given, "--skip-conflicts", "-o", out).exit == 0
    assert {one["case"] for one in json.loads(out.read_text("utf-8"))["claims"]} == {"kept"}


def test_a_singleton_does_not_fuse_two_chains(chain: list[str], tmp_path: Path, cdec: Run) -> None:
    large = package.load_corpus("sample").selected["chain"]
    sizes = large.value_counts()
    single = str(large.index[large.map(sizes) == 1][0])
    one, two = (str(large.index[large == label][0]) for label in sizes.index[:2])
    out = tmp_path / "patch.json"
    given = decisions(tmp_path / "a.json", one=put([single], one), two=put([single], two))
    ran = cdec("audit", "apply", given, "-o", out)
    assert (ran.exit, ran.error) == (1, "patch-contradictory")
    together = [{"chain": two, "to": one}]
    chains = corrected(tmp_path, cdec, one=put([single], one), two=put([single], two), t=together)
    assert chains[one] == chains[two] == chains[single]


def test_a_chain_through_another_mention_is_the_same_claim(
    chain: list[str], tmp_path: Path, cdec: Run
) -> None:
    leaves, stays, _, new, _ = chain
    chains = corrected(tmp_path, cdec, one=put([new], leaves), two=put([new], stays))
    assert chains[new] == chains[leaves] == chains[stays]


def test_missing_mentions_are_looked_for_where_all_are_annotated(
    chain: list[str], tmp_path: Path, cdec: Run
) -> None:
    folder, cases = tmp_path / "made", tmp_path / "cases.jsonl"
    moved = decisions(tmp_path / "a.json", one=put(chain[:1], "new:one"))
    assert cdec("audit", "apply", moved, "--to", "ecbplus", "-o", folder).exit == 0
    named = ("audit", "run", "--corpus", folder, "--detector", "unmarked")
    assert cdec(*named).exit == 0
    (folder / "ECBplus_coreference_sentences.csv").unlink()
    ran = cdec(*named)
    assert (ran.exit, ran.error) == (1, "annotation-missing")
    assert cdec("audit", "run", "--corpus", folder, "-o", cases).exit == 0
    about, *found = map(json.loads, cases.read_text("utf-8").splitlines())
    assert "unmarked" in about["left_out"].split(",")
    assert found
    assert "unmarked" not in {detector for case in found for detector in case["detectors"]}


@pytest.mark.parametrize("name", ["GVC", "WEC-Eng-dev"])
def test_a_corpus_without_reviewed_sentences_has_no_such_case(
    name: str, corpora: Path, cdec: Run
) -> None:
    ran = cdec("audit", "run", "--corpus", corpora / name, "--detector", "unmarked")
    assert (ran.exit, ran.error) == (1, "annotation-missing")


def test_entities_are_audited_without_the_detectors_of_events(tmp_path: Path, cdec: Run) -> None:
    cases = tmp_path / "cases.jsonl"
    part = ("--corpus", "sample", "--mentions", "entity")
    assert cdec("audit", "run", *part, "-o", cases).exit == 0
    about, *found = map(json.loads, cases.read_text("utf-8").splitlines())
    assert {"no-event", "two-events"} <= set(about["left_out"].split(","))
    assert len(found) == 86


def test_detectors_that_cannot_be_trained_are_left_out() -> None:
    corpus = package.load_corpus("sample")
    alone = replace(corpus, mentions=corpus.mentions.assign(chain=corpus.mentions.index))
    left_out = package.audit(alone).value.about["left_out"].split(",")
    assert {"svm", "held-out", "companions"} < {*left_out}
    with refused("part-too-small"):
        package.audit(alone, detectors="svm")


# ---- from the run to the corrected corpus ----


def listed(file: Path) -> list[dict[str, Any]]:
    """Return the cases of a list, without its head."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()[1:]]


def verdicts(file: Path, reader: str, cases: list[dict[str, Any]], errors: set[int]) -> Path:
    """Write a reader's decisions: the cases at these places are errors, by their first fix."""
    corpus = package.load_corpus("sample")
    decided = [
        {"case": case["case"], "kind": case["kind"], "verdict": verdict,
         "claims": case["fixes"][0]["claims"] if verdict == "error" else []}
        for number, case in enumerate(cases)
        for verdict in ["error" if number in errors else "not-error"]
    ]  # fmt: skip
    content: dict[str, Any] = {"format": "cdec-audit-decisions/1", "reviewer": reader, "places": {}}
    content |= {"about": {"corpus": corpus.name, "digest": corpus.digest}, "decisions": decided}
    file.write_text(json.dumps(content), "utf-8")
    return file


def test_a_mention_that_was_put_out_of_its_chain_is_found_and_put_back(
    tmp_path: Path, cdec: Run
) -> None:
    events = package.load_corpus("sample").selected
    leaves = events.index[events["chain"] == events["chain"].value_counts().index[0]][0]
    planted, cases = tmp_path / "planted.json", tmp_path / "cases.jsonl"
    moved = decisions(tmp_path / "a.json", one=put([leaves], "new:one"))
    assert cdec("audit", "apply", moved, "-o", planted).exit == 0
    chosen = ("--key-patch", planted, "--detector", "held-out", "-j", 1)
    assert cdec("audit", "run", "--corpus", "sample", *chosen, "-o", cases).exit == 0
    (case,) = (
        case for case in listed(cases) if [leaves] in [one["mentions"] for one in case["sides"]]
    )
    assert case["kind"] == "missing-singleton-cluster"
    joined = {claim["to"] for claim in case["fixes"][0]["claims"]}
    assert {events["chain"][one] for one in joined} == {events["chain"][leaves]}


def test_the_list_is_cut_and_divided(tmp_path: Path, cdec: Run) -> None:
    def run(*chosen: object) -> list[dict[str, Any]]:
        file = tmp_path / "cases.jsonl"
        named = ("--corpus", "sample", "--detector", "svm", "-j", 1)
        assert cdec("audit", "run", *named, *chosen, "-o", file).exit == 0
        return listed(file)

    every = run("--all")
    assert [case["rank"] for case in every] == list(range(1, len(every) + 1))
    reviewed = [case["case"] for case in every if case["reviewed"]]
    assert 3 < len(reviewed) < len(every)
    assert [case["case"] for case in run()] == reviewed
    assert [case["case"] for case in run("--top", 3)] == reviewed[:3]
    pairs = tmp_path / "pairs.csv"
    named = ("--corpus", "sample", "--detector", "svm", "--top", 5, "-o", pairs)
    assert cdec("audit", "run", *named).exit == 0
    assert len(pd.read_csv(pairs)) == 5
    kinds = {case["kind"] for case in every}
    assert len(kinds) > 1
    for kind in kinds:
        assert {case["kind"] for case in run("--kind", kind)} == {kind}


def test_two_readers_agree_and_their_decisions_become_a_corpus(tmp_path: Path, cdec: Run) -> None:
    list_ = tmp_path / "cases.jsonl"
    named = ("--kind", "missing-singleton-singleton", "-j", 1)
    assert cdec("audit", "run", "--corpus", "sample", *named, "-o", list_).exit == 0
    cases = listed(list_)[:10]
    ann = verdicts(tmp_path / "ann.json", "ann", cases, {0, 1, 2})
    bob = verdicts(tmp_path / "bob.json", "bob", cases, {0, 1, 5})
    report = cdec("audit", "report", ann, bob, "-f", "json").json
    (verdict,) = (one for one in report["agreement"] if one["on"] == "verdict")
    assert (verdict["cases"], verdict["agreed"]) == (10, 0.8)
    # 3 of 10 errors each: 2 × (0.3² + 0.7²) of chance, and of AC1, with three verdicts, 0.3 × 0.7.
    assert verdict["kappa"] == pytest.approx((0.8 - 0.58) / (1 - 0.58))
    assert verdict["ac1"] == pytest.approx((0.8 - 0.21) / (1 - 0.21))
    counts = {(row["reviewer"], row["verdict"]): row["count"] for row in report["rows"]}
    assert counts == {
        (name, v): n for name in ("ann", "bob") for v, n in (("error", 3), ("not-error", 7))
    }
    patch, folder = tmp_path / "patch.json", tmp_path / "made"
    assert cdec("audit", "apply", ann, "--list", list_, "-o", patch).exit == 0
    scored = cdec("audit", "report", ann, "--list", list_, "--score", "lemma", "-f", "json").json
    both, plain = (
        cdec("eval", "lemma", "-f", "json", "--key-patch", patch).json["rows"],
        cdec("eval lemma -f json").json["rows"],
    )
    sides = [(row["f1_before"], row["f1"]) for row in both]
    rows = [row for row in scored["rows"] if row["section"] == "scores"]
    assert [(row["f1_before"], row["f1"]) for row in rows] == sides
    assert [before for before, _ in sides] == [row["f1"] for row in plain]
    assert any(before != after for before, after in sides)
    claims = json.loads(patch.read_text("utf-8"))["claims"]
    assert {one["case"] for one in claims} == {case["case"] for case in cases[:3]}
    assert cdec("audit", "apply", patch, "--to", "ecbplus", "-o", folder).exit == 0
    key = package.load_corpus("sample", key_patch=str(patch)).mentions["chain"]
    read = package.load_corpus(str(folder)).mentions["chain"]
    assert list(read.index) == list(key.index)
    pairs = set(zip(read, key, strict=True))
    assert len(pairs) == read.nunique() == key.nunique()


@pytest.mark.parametrize(("ann", "bob"), [("error", "not-error"), ("unsure", "unsure")])
def test_decisions_that_decide_nothing_are_reported_and_change_nothing(
    ann: str, bob: str, tmp_path: Path, cdec: Run
) -> None:
    files = []
    for reader, verdict in (("ann", ann), ("bob", bob)):
        file = decisions(tmp_path / f"{reader}.json", one=put(["1"], "new:one"))
        content = json.loads(file.read_text("utf-8"))
        content["reviewer"] = reader
        content["decisions"][0] |= {"verdict": verdict, "claims": []}
        file.write_text(json.dumps(content), "utf-8")
        files.append(file)
    report = cdec("audit", "report", *files, "-f", "json").json
    assert {(row["reviewer"], row["verdict"]) for row in report["rows"]} == {
        ("ann", ann),
        ("bob", bob),
    }
    patch = tmp_path / "patch.json"
    assert cdec("audit", "apply", *files, "-o", patch).exit == 0
    assert json.loads(patch.read_text("utf-8"))["claims"] == []


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("verdict", "perhaps"),
        ("claims", [{"mention": "nowhere/1", "turn": "1"}]),
        ("comment", 3),
    ],
)
def test_a_wrong_decision_is_refused_with_its_place(
    name: str, wrong: object, tmp_path: Path, cdec: Run
) -> None:
    file, out = decisions(tmp_path / "a.json", one=put(["1"], "new:one")), tmp_path / "patch.json"
    content = json.loads(file.read_text("utf-8"))
    content["decisions"][0][name] = wrong
    file.write_text(json.dumps(content), "utf-8")
    done = cdec("audit", "apply", file, "-o", out)
    assert done.exit == 1
    assert done.error
    assert "a.json" in done.said
    assert not out.exists()


@pytest.mark.parametrize("content", ["3\n", "[]\n", '{"a": 1}\n'])
def test_a_list_without_a_head_is_refused(content: str, tmp_path: Path, cdec: Run) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(content, "utf-8")
    ran = cdec("audit", "review", file, "--corpus", "sample", "-o", tmp_path / "page.html")
    assert (ran.exit, ran.error) == (1, "file-invalid")
    assert "cases.jsonl" in ran.said


def test_answers_of_label_studio_and_of_a_table_are_the_same_patch(
    tmp_path: Path, cdec: Run
) -> None:
    cases, tasks = tmp_path / "cases.jsonl", tmp_path / "tasks.json"
    assert cdec("audit", "run", "--corpus", "sample", "-o", cases).exit == 0
    for file in (tasks, tmp_path / "interface.xml"):
        call = ("audit", "review", cases, "--corpus", "sample", "--top", "2", "-o", file)
        assert cdec(*call).exit == 0
    assert (tmp_path / "interface.xml").read_text("utf-8").startswith("<View>")
    given = json.loads(tasks.read_text("utf-8"))
    rows = ["case,verdict,correction,reason"]
    for task, verdict in zip(given, ("error", "not-error"), strict=True):
        number = task["data"]["corrections"][0]["value"]
        chosen = {"verdict": verdict, "correction": number, "comment": "read"}
        kept = [("text", "comment"), ("choices", "verdict"), ("choices", "correction")]
        result = [{"from_name": x, "value": {kind: [chosen[x]]}} for kind, x in kept]
        task["annotations"] = [{"completed_by": {"email": "ann"}, "result": result}]
        rows.append(f"{task['data']['case']},{verdict},{'1' if verdict == 'error' else ''},")
    export, table = tmp_path / "export.json", tmp_path / "ann.csv"
    export.write_text(json.dumps(given), "utf-8")
    table.write_text("\n".join(rows) + "\n", "utf-8")
    claims = []
    for file in (export, table):
        patch = tmp_path / f"{file.stem}-patch.json"
        apply = ("audit", "apply", file, "--corpus", "sample", "-o", patch)
        assert cdec(*apply).exit == 2  # without the list
        assert cdec(*apply, "--list", cases).exit == 0
        claims.append(json.loads(patch.read_text("utf-8"))["claims"])
    assert claims[0] == claims[1] != []


def test_the_corrected_key_as_xml_is_the_key_under_the_patch(
    ecbplus: Path, tmp_path: Path, cdec: Run
) -> None:
    patch, folder = "ecbplus-read-1", tmp_path / "corrected"
    call = ("audit", "apply", patch, "--to", "ecbplus", "--corpus", ecbplus, "-o", folder)
    assert cdec(*call).exit == 0
    patched = package.load_corpus(str(ecbplus), "all", key_patch=patch).selected
    written = package.load_corpus(str(folder), "all").selected
    # Mentions that the patch adds have other ids in a file: places are compared.
    one, two = (t.set_index(["doc", "start", "end"])["chain"] for t in (patched, written))
    assert len(one) == len(two) == 15_007
    names = pd.DataFrame({"one": one, "two": two}).drop_duplicates()
    assert len(names) == names["one"].nunique() == names["two"].nunique()
    again = cdec(*call)
    assert (again.exit, again.error) == (1, "file-unwritable")
    assert "name a new folder" in again.said


def test_the_duplicates_are_copies_that_nobody_linked(ecbplus: Path) -> None:
    """The rule of the shipped patch: singletons at one place of one sentence, with equal words."""
    corpus = package.load_corpus(str(ecbplus), "all")
    key = package.load_corpus(str(ecbplus), "all", key_patch="ecbplus-duplicates").selected["chain"]
    moved = corpus.selected[(key != corpus.selected["chain"]).to_numpy()].copy()
    assert corpus.selected["chain"].isin(moved["chain"]).sum() == len(moved)
    starts = [corpus.documents[doc].sentence_starts for doc in moved["doc"]]
    numbers = [bisect_right(s, start) - 1 for s, start in zip(starts, moved["start"], strict=True)]
    moved["words"] = [
        corpus.documents[d].sentences[n] for d, n in zip(moved["doc"], numbers, strict=True)
    ]
    moved["place"] = moved["start"] - [s[n] for s, n in zip(starts, numbers, strict=True)]
    facts = moved.assign(chain=key[moved.index], text=moved["text"].str.lower())
    facts = facts[["chain", "words", "place", "text", "tag", "subtopic"]].drop_duplicates()
    assert len(facts) == facts["chain"].nunique() == 259


def test_copied_answers_are_named_and_other_faults_have_a_place(tmp_path: Path, cdec: Run) -> None:
    cases = tmp_path / "cases.jsonl"
    assert cdec("audit", "run", "--corpus", "sample", "-o", cases).exit == 0
    one, two = (case["case"] for case in listed(cases)[:2])
    ann, bob = tmp_path / "ann.csv", tmp_path / "bob.csv"
    for file in (ann, bob):
        file.write_text(f"case,verdict\n{one},not-error\n{two},unsure\n", "utf-8")
    call = ("audit", "report", ann, bob, "--list", cases, "--corpus", "sample")
    assert "is one file a copy" in cdec(*call).err
    bob.write_text(f"case,verdict\n{one},not-error\n{one},unsure\n", "utf-8")
    assert "bob.csv:3" in cdec(*call).said
    bob.write_text(f"case,verdict\n{one}0,not-error\n", "utf-8")
    ran = cdec(*call)
    assert ran.error == "name-unknown"
    assert f"did you mean '{one}'" in ran.said
    assert "bob.csv:2" in ran.said


def test_a_third_reader_gets_the_disputed_cases(tmp_path: Path, cdec: Run) -> None:
    cases, tasks = tmp_path / "cases.jsonl", tmp_path / "tasks.json"
    assert cdec("audit", "run", "--corpus", "sample", "-o", cases).exit == 0
    every = listed(cases)[:6]
    both = [
        verdicts(tmp_path / f"{n}.json", n, every, errors)
        for n, errors in (("a", {1, 2}), ("b", {2, 4}))
    ]
    call = ("audit", "review", cases, "--corpus", "sample", "-o", tasks)
    assert cdec(*call, "--disputed", *both).exit == 0
    given = [task["data"]["case"] for task in json.loads(tasks.read_text("utf-8"))]
    assert given == [every[1]["case"], every[4]["case"]]
    assert cdec(*call, "--disputed", both[0], both[0]).exit == 2
