"""The line that says how to get a result again."""

from __future__ import annotations

import json
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import pytest

import cdec
from cdec.api import load_corpus
from cdec.baselines import system
from cdec.corpus.model import Corpus
from cdec.corpus.store.locate import sample_path
from cdec.evaluation.experiment import plugins
from cdec.evaluation.response import FilePolicy, SystemRun
from cdec.settings import Setting
from cdec.signature import Signature, merged
from tests.plugin_packages import installed


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return load_corpus("sample", "test")


def test_fields_stand_in_order_and_none_is_left_out() -> None:
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
    ],
)
def test_values_are_written_alike(value: object, text: str) -> None:
    assert str(Signature({"field": value})) == f"field:{text}"


def test_merging_lists_what_differs_and_keeps_every_digest() -> None:
    one = Signature({"corpus": "c", "system": "a", "response_digest": "a" * 64})
    two = Signature({"corpus": "c", "system": "b", "response_digest": "b" * 64})
    three = Signature({"corpus": "c", "system": "a", "delta": 0.3})
    assert str(merged([one])) == str(one)
    assert str(merged([one, two, three])) == (
        f"corpus:c|system:a+b|response_digest:{'a' * 12}+{'b' * 12}|delta:0.3"
    )
    assert json.dumps(merged([one, two]).to_dict())


def test_the_same_call_gives_the_same_line_and_numbers(sample: Corpus) -> None:
    first, second = (cdec.evaluate(sample, system("lemma"), setting="all") for _ in range(2))
    assert str(first.signature) == str(second.signature)
    assert first.to_frame().to_csv() == second.to_frame().to_csv()


def test_it_holds_every_choice_that_can_move_a_number(sample: Corpus, tmp_path: Path) -> None:
    def line(corpus: Corpus = sample, answer: object = None, **options: object) -> str:
        response = system("lemma") if answer is None else answer
        return str(cdec.evaluate(corpus, response, **options).signature)  # type: ignore[arg-type]

    copy = tmp_path / "copy.jsonl"
    copy.write_text('{"doc": "4_1ecb", "start": 0, "end": 0, "chain": "x"}\n')
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

        return Clustering.from_chains([mention] for mention in corpus.events.index)
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
    run = SystemRun("response", sample.events, sample.gold, sample.gold)
    with installed(tmp_path):
        assert plugins([run], ["muc"], ()) is None
        assert plugins([run], ["exact"], ()) == "extra-1.2"
        assert plugins([run], ["muc", "min"], ()) == "extra-1.2"
        signature = cdec.evaluate(sample, sample.gold, metrics=["best"]).signature
        assert signature.fields["plugins"] == "extra-1.2"


def test_no_plug_in_no_field(sample: Corpus) -> None:
    assert "plugins" not in cdec.evaluate(sample, sample.gold).signature.fields
