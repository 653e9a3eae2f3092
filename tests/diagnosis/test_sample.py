"""Diagnosis of the baseline Lemma on the sample: worst chains, quotes, two systems."""

from typing import TypeAlias

import pandas as pd
import pytest

from cdec.api import load_corpus
from cdec.baselines import system
from cdec.clustering import Clustering
from cdec.corpus import Corpus
from cdec.diagnosis import (
    EXAMPLES,
    KINDS,
    JointMentions,
    Mentions,
    agreement,
    examples,
    lemmas_of,
    link_table,
    quote,
    worst_chains,
)
from cdec.evaluation import SystemRun, run_on
from cdec.metadocument import Side
from cdec.settings import PURE_CDEC, SIMPLE_CDEC

Material: TypeAlias = "tuple[Corpus, pd.Series[str], tuple[SystemRun, SystemRun]]"


@pytest.fixture(scope="module")
def material() -> Material:
    corpus = load_corpus("sample", split="test")
    lemma, within = (run_on(corpus, system(name)) for name in ("lemma", "lemma-wd"))
    return corpus, lemmas_of(corpus, "hanta"), (lemma, within)


def test_the_worst_chains_are_those_with_most_errors(material: Material) -> None:
    corpus, lemmas, (lemma, _) = material
    mentions = Mentions.from_run(lemma, SIMPLE_CDEC, lemmas)
    sides: tuple[tuple[Side, Clustering, Clustering], ...] = (
        ("response", lemma.response, lemma.key),
        ("key", lemma.key, lemma.response),
    )
    for side, own, other in sides:
        errors = {}
        for name, chain in own.chains().items():
            pairs = [(a, b) for n, a in enumerate(chain) for b in chain[n + 1 :]]
            errors[name] = sum(other.labels[a] != other.labels[b] for a, b in pairs)
        worst = worst_chains(mentions, lemma, corpus, side, top=3)
        assert [chain.errors for chain in worst] == sorted(errors.values(), reverse=True)[:3]
        for bad in worst:
            assert errors[bad.name.split(", ")[0]] == bad.errors
            assert bad.links == bad.mentions * (bad.mentions - 1) // 2
            assert sum(part.size for part in bad.parts) <= bad.mentions


def test_a_quote_has_the_mention_in_brackets(material: Material) -> None:
    corpus, _, (lemma, _) = material
    for mention in corpus.selected.index:
        sentence = quote(mention, lemma.mentions, corpus).sentence
        words = corpus.selected.loc[mention, "text"].split()
        marked = [part.split("]")[0] for part in sentence.split("[")[1:]]
        assert " ".join(marked).split() == words


def test_examples_have_the_right_outcome_and_kind(material: Material) -> None:
    corpus, lemmas, answers = material
    found = examples(JointMentions.from_runs(answers, SIMPLE_CDEC, lemmas), answers, corpus)
    key = answers[0].key.labels
    a, b = (answer.response.labels for answer in answers)
    places = {"document": "doc", "subtopic": "subtopic", "topic": "topic"}
    homes = {kind: corpus.selected[name].to_dict() for kind, name in places.items()}
    assert {example.outcome for example in found} == {"a_right", "a_wrong"} < set(EXAMPLES)
    for example in found:
        one, two = example.first.mention, example.second.mention
        assert a[one] == a[two]
        assert b[one] != b[two]
        assert (key[one] == key[two]) == (example.outcome == "a_right")
        shared = [kind for kind, home in homes.items() if home[one] == home[two]]
        assert example.kind == [*shared, "corpus"][0]


def test_the_order_of_the_systems_does_not_matter(material: Material) -> None:
    _, lemmas, answers = material
    for setting in (SIMPLE_CDEC, PURE_CDEC):
        orders = (answers, (answers[1], answers[0]))
        there, back = (agreement(JointMentions.from_runs(o, setting, lemmas)) for o in orders)
        for name in ("both_right", "both_missed", "both_wrong"):
            assert there[name].tolist() == back[name].tolist()
        for name in ("right", "wrong"):
            assert there[f"a_{name}"].tolist() == back[f"b_{name}"].tolist()


def test_a_system_compared_with_itself_has_no_unique_links(material: Material) -> None:
    corpus, lemmas, (lemma, _) = material
    joint = JointMentions.from_runs((lemma, lemma), SIMPLE_CDEC, lemmas)
    assert examples(joint, (lemma, lemma), corpus) == ()
    pair = agreement(joint)
    assert (pair[["a_right", "b_right", "a_wrong", "b_wrong"]] == 0).all(axis=None)
    links = link_table(Mentions.from_run(lemma, SIMPLE_CDEC, lemmas))
    assert pair["both_right"].tolist() == links["right"].tolist()
    assert pair["both_wrong"].tolist() == links["wrong"].tolist()
    assert set(pair["kind"]) > set(KINDS)
