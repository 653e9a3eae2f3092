"""The signature line: every choice behind a result, defaults folded."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import pytest

import cdec
from cdec.api import load_corpus
from cdec.baselines import system
from cdec.baselines.sac import Sac, SacConfig
from cdec.corpus import Corpus, sample_path
from cdec.evaluation import FilePolicy, SystemRun, plugins
from cdec.metrics import ALL
from cdec.settings import Setting
from cdec.signature import Signature, defaults, in_json, merged
from tests.plugin_packages import installed


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return load_corpus("sample", "test")


def test_fields_keep_their_order_and_none_is_omitted() -> None:
    signature = Signature.from_fields(corpus="c", digest="0123456789abcdef", split=None, delta=0.3)
    assert str(signature) == f"corpus:c|digest:0123456789ab|delta:0.3|cdec:{cdec.__version__}"
    assert signature.to_dict()["digest"] == "0123456789abcdef"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("text", "text"),
        (0.3, "0.3"),
        (True, "true"),
        ({"a": True, "b": "c"}, "a=true,b=c"),
        ({}, "-"),
        (("x", 2), "x+2"),
        (["x", "y"], "x,y"),
        ([], "-"),
    ],
)
def test_values_have_no_quotes_and_brackets(value: object, text: str) -> None:
    assert str(Signature({"field": value})) == f"field:{text}"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a|corpus:b", r"a\x7ccorpus:b"),
        ("a\nb\x1b[31m", r"a\nb\x1b[31m"),
        ("a\\x7cb", r"a\\x7cb"),
        ("\u2028\u202e\x85", r"\u2028\u202e\x85"),
        ("répönse δ 応", "répönse δ 応"),
    ],
)
def test_any_name_leaves_the_line_printable_and_in_fields(name: str, text: str) -> None:
    for signature in (Signature({"system": name, "cdec": "1"}), merged([Signature({name: "x"})])):
        assert str(signature).isprintable()
    assert str(Signature({"system": name, "cdec": "1"})).split("|") == [f"system:{text}", "cdec:1"]
    assert str(Signature({name: "x"})) == f"{text}:x"
    assert text in str(Signature({"options": {name: [name]}}))
    assert Signature({"system": name}).to_dict() == {"system": name}


def test_merging_lists_what_differs_and_keeps_every_digest() -> None:
    one = Signature({"corpus": "c", "system": "a", "response_digest": "a" * 64})
    two = Signature({"corpus": "c", "system": "b", "response_digest": "b" * 64})
    three = Signature({"corpus": "c", "system": "a", "delta": 0.3})
    assert str(merged([one])) == str(one)
    assert str(merged([one, two, three])) == (
        f"corpus:c|system:a+b|response_digest:{'a' * 12}+{'b' * 12}|delta:0.3"
    )
    assert json.dumps(merged([one, two]).to_dict())


@pytest.mark.parametrize("name", [name for name in defaults() if name != "metrics"])
def test_the_newest_defaults_are_those_of_the_system(name: str) -> None:
    newest = list(defaults()[name].values())[-1]
    parameters = json.loads(json.dumps(dict(system(name).parameters)))
    assert parameters.pop("nlp")
    assert parameters == newest


def test_only_parameters_that_differ_from_the_defaults_are_shown() -> None:
    config = SacConfig.shipped("sac")
    families = (*config.families, "embedding")
    tfidf = replace(config.tfidf, min_df=2)
    other = Sac(choices=replace(config, families=families, negatives=4, tfidf=tfidf))
    sac = Signature.from_fields(system="sac", **system("sac").parameters)
    mine = Signature.from_fields(system="sac", **other.parameters)
    nlp = sac.fields["nlp"]
    end = f"cdec:{cdec.__version__}"
    assert str(sac) == f"system:sac@1|nlp:{nlp}|{end}"
    changed = "families:default,embedding|negatives:4|tfidf:min_df=2"
    assert str(mine) == f"system:sac@1|nlp:{nlp}|{changed}|{end}"
    changed = "families:default+default,embedding|negatives:default+4|tfidf:default+min_df=2"
    assert str(merged([sac, mine])) == f"system:sac@1|nlp:{nlp}|{changed}|{end}"
    assert in_json(mine)["signatures"][0]["negatives"] == 4


def test_the_defaults_of_two_systems_fold_together() -> None:
    fields = {"system": "lemma-delta", "delta": 0.3}
    both = [Signature(fields), Signature({"system": "lemma-docs", "delta": 0.2})]
    assert str(merged(both)) == "system:lemma-delta@1+lemma-docs@1"
    assert str(merged([*both, merged([Signature(fields | {"delta": 0.2})])])) == (
        "system:lemma-delta@1+lemma-docs@1|delta:default+0.2"
    )


def test_the_line_of_a_trained_sac_fits_200_characters(sample: Corpus) -> None:
    train, dev = (load_corpus("sample", part) for part in ("test", "dev"))
    trained = Sac().fit(train, dev)
    line = str(cdec.evaluate(sample, trained, setting="pure").signature)
    assert len(line) <= 200, line
    assert not set(line) & set("\"'[]{}")


def test_the_same_call_gives_the_same_line_and_numbers(sample: Corpus) -> None:
    first, second = (cdec.evaluate(sample, system("lemma"), setting="all") for _ in range(2))
    assert str(first.signature) == str(second.signature)
    assert first.to_frame().to_csv() == second.to_frame().to_csv()


def test_it_holds_every_choice_that_can_move_a_number(sample: Corpus, tmp_path: Path) -> None:
    def line(corpus: Corpus = sample, answer: object = None, **options: object) -> str:
        response = system("lemma") if answer is None else answer
        return str(cdec.evaluate(corpus, response, **options).signature)  # type: ignore[arg-type]

    copy = tmp_path / "copy.jsonl"
    copy.write_text('{"doc": "4_1ecb", "start": 0, "end": 0, "chain": "x"}\n' * 2)
    policy = FilePolicy(allow_empty=True)
    dropping = FilePolicy("drop", allow_empty=True)
    lines = [
        line(),
        line(corpus=load_corpus("sample", "dev")),
        line(corpus=load_corpus("sample", "all")),
        line(answer=system("lemma-wd")),
        line(answer=sample.gold),
        line(answer=copy, policy=policy),
        line(answer=copy, policy=dropping),
        line(answer=sample.gold, noise="absent"),
        line(setting="simple"),
        line(setting=Setting("pure", "PURE-CDEC", "topic")),
        line(metrics=["muc"]),
        line(scorer="neleval"),
    ]
    assert len(set(lines)) == len(lines)


def test_another_copy_of_the_corpus_signs_differently(sample: Corpus, tmp_path: Path) -> None:
    source = sample_path()
    for file in source.glob("ECB+/*/*.xml"):
        target = tmp_path / "copy" / "ECB+" / file.parent.name / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes() + b"\n")
    other = load_corpus(str(tmp_path / "copy"), "sample/test")
    assert other.gold.labels.equals(sample.gold.labels)
    lines = {str(cdec.evaluate(corpus, corpus.gold).signature) for corpus in (sample, other)}
    assert len(lines) == 2


def test_files_sign_with_name_and_content(tmp_path: Path) -> None:
    rows = '{"doc": "d", "start": 0, "end": 0, "chain": "x"}\n'
    key, response = tmp_path / "key.jsonl", tmp_path / "mine.jsonl"
    key.write_text(rows)
    response.write_text(rows)
    local = cdec.score(key, response).signature
    whole = cdec.score(key, response, scope="corpus").signature
    assert local.fields["key"] == "key.jsonl"
    assert local.fields["key_digest"] == local.fields["response_digest"]
    assert local.fields["setting"] == "scope=document"
    assert whole.fields["setting"] == "scope=corpus"
    response.write_text(rows + "\n")
    assert str(cdec.score(key, response).signature) != str(local)


MINE = """
class Mine:
    name = "mine"
    parameters: dict[str, object] = {}

    def predict(self, corpus):
        from cdec import Clustering

        return Clustering.from_chains([mention] for mention in corpus.selected.index)
"""


def test_a_system_of_ones_own_signs_with_its_module_and_the_digest_of_its_file(
    sample: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "systems_of_mine.py"
    file.write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    made = import_module(file.stem).Mine()
    results = cdec.evaluate(sample, [system("lemma"), made], setting=["pure", "simple"])
    origin = f"{file.stem}-{sha256(file.read_bytes()).hexdigest()[:12]}"
    signed = {r.system: r.signature.fields.get("plugins") for r in results}
    assert signed == {"lemma": None, "mine": origin}
    assert f"|plugins:{origin}|cdec:" in str(results.signature)


def test_a_metric_of_another_package_signs_where_it_is_asked_for_or_in_a_mean(
    sample: Corpus, tmp_path: Path
) -> None:
    run = SystemRun("response", sample.selected, sample.gold, sample.gold)
    with installed(tmp_path):
        assert plugins([run], ["muc"], ()) is None
        assert plugins([run], ["exact"], ()) == "extra-1.2"
        assert plugins([run], ["muc", "min"], ()) == "extra-1.2"
        signature = cdec.evaluate(sample, sample.gold, metrics=["best"]).signature
        assert signature.fields["plugins"] == "extra-1.2"


def test_no_plug_in_no_field(sample: Corpus) -> None:
    assert "plugins" not in cdec.evaluate(sample, sample.gold).signature.fields


def test_the_newest_version_of_the_default_metrics_is_what_their_declarations_say() -> None:
    versions = [*defaults()["metrics"].values()]
    assert versions[-1]["metrics"] == ",".join(m.id for m in ALL.values() if m.by_default)
    lines = [Signature({"metrics": version["metrics"]}) for version in versions]
    assert [*map(str, lines)] == ["", "metrics:default@2"]
    assert str(Signature({"metrics": "muc,b3"})) == "metrics:muc,b3"
