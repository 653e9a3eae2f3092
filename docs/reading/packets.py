"""Make what the readers of docs/reading.md get: lists of cases, and packets of text to judge.

    python packets.py xamr ANN1.json ANN2.json -o xamr.jsonl
    python packets.py text CASES.jsonl… -o FOLDER [--size N --seed N --corpus NAME --note TEXT]

``xamr`` draws for each pair of chains that both annotators link and the key separates another pair
that neither links: of the same kind, if possible equally with or without a common head lemma and
of the same topic, with the closest similarity of the sentences. ``text`` unites the lists in
FOLDER/cases.jsonl, with cases and corrections in random order and without what a reader must not
see (detectors, ranks, scores, reasons), and writes packets of them, topic by topic, with the
documents that they need.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer

import cdec
from cdec.auditing.case import MISSING, Case
from cdec.auditing.config import AuditConfig
from cdec.auditing.key import Key, prepare
from cdec.auditing.shortlist import ShortList, read_shortlist, to_jsonl
from cdec.clustering import Clustering
from cdec.evaluation.response import keyed

FOLDER = Path(__file__).parent
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SHOWN = 8  # members of a chain that are shown with their sentences; all are named
Corpus = Any


# -- the pairs of X-AMR ----------------------------------------------------------------------------


def xamr(annotators: Sequence[str], seed: int) -> Iterator[str]:
    """Yield the list of the pairs that all annotators link, and as many that none links."""
    corpus = cdec.load_corpus("ecb+", split="cybulska/dev")
    keys = [keyed(corpus, one).gold for one in annotators]
    key = Key(corpus, prepare(corpus, AuditConfig()), AuditConfig())
    linked = [pairs[0] for pairs in separated(corpus, keys).values()]
    events, lemma = corpus.selected, key.prepared.pool.mentions.codes["lemma"]
    words = TfidfVectorizer().fit_transform(map(str, sentences(corpus)))
    one_of = [key_.labels.reindex(events.index) for key_ in keys]

    def facts(a: int, b: int) -> tuple[Any, ...]:
        sizes = sorted(min(2, int(key.sizes[key.chain[row]])) for row in (a, b))
        return tuple(sizes), bool(lemma[a] == lemma[b]), events["topic"].iloc[a]

    # A pair of chains that anybody links, by any pair of its mentions, is no match.
    taken = {
        frozenset((int(key.chain[key.rows[a]]), int(key.chain[key.rows[b]])))
        for one in keys
        for pairs in separated(corpus, [one]).values()
        for a, b in pairs[:1]
    }
    known = [
        row for row in range(len(events)) if all(labels.notna().iloc[row] for labels in one_of)
    ]
    rows_of: dict[str, list[int]] = {}
    for row in known:
        rows_of.setdefault(str(events["topic"].iloc[row]), []).append(row)
    others: dict[tuple[int, ...], list[tuple[float, int, int]]] = {}
    for rows in rows_of.values():
        near = (words[rows] @ words[rows].T).toarray()
        for i, j in combinations(range(len(rows)), 2):
            a, b = rows[i], rows[j]
            chains = frozenset((int(key.chain[a]), int(key.chain[b])))
            if len(chains) == 2 and chains not in taken:
                others.setdefault(facts(a, b)[0], []).append((float(near[i, j]), a, b))
    chosen = []
    for one, two in linked:
        a, b = key.rows[one], key.rows[two]
        similar = float((words[a] @ words[b].T).toarray()[0, 0])
        sizes, same, topic = facts(a, b)

        def distance(other: tuple[float, int, int], to: Any = (same, topic, similar)) -> Any:
            of = facts(*other[1:])
            return of[1] != to[0], of[2] != to[1], abs(other[0] - to[2]), other

        free = [
            o for o in others[sizes] if frozenset(map(int, key.chain[list(o[1:])])) not in taken
        ]
        _, *best = min(free, key=distance)
        taken.add(frozenset(map(int, key.chain[best])))
        chosen.append((key.ids[best[0]], key.ids[best[1]]))
    print(f"{len(linked)} pairs that all annotators link, {len(chosen)} matched pairs")
    cases = []
    for pair in (*linked, *chosen):
        sides = tuple(map(key.side, pair))
        fixes = key.fixes.link([key.rows[id_] for id_ in pair])
        cases.append(key.case(MISSING, sides, fixes, ("a pair to judge",), sides))
    unique = list({case.id: case for case in cases}.values())
    unique = [unique[at] for at in np.random.default_rng(seed).permutation(len(unique))]
    ranked = (one.model_copy(update={"rank": at}) for at, one in enumerate(unique, start=1))
    whole = cdec.load_corpus("ecb+")
    about = {**whole.about, "linked": [case.id for case in cases[: len(linked)]]}
    yield from to_jsonl(ShortList(tuple(ranked), about), whole)


def separated(corpus: Corpus, annotators: Sequence[Clustering]) -> dict[Any, list[Any]]:
    """Return two chains of the key → the mention pairs between them that all annotators link."""
    sides = [corpus.gold.labels, *(one.labels for one in annotators)]
    table = pd.concat(sides, axis=1, join="inner", keys=range(len(sides)))
    links: dict[Any, list[Any]] = {}
    for _, part in table.groupby(list(range(1, len(sides))), sort=False):
        for (a, one), (b, two) in combinations(part[0].items(), 2):
            if one != two:
                links.setdefault(frozenset((one, two)), []).append((str(a), str(b)))
    return links


def sentences(corpus: Corpus) -> list[str]:
    """Return the sentence of each event mention."""
    places = corpus.selected[["doc", "sentence"]].itertuples(index=False)
    return [" ".join(corpus.documents[doc].sentences[at]) for doc, at in places]


# -- packets of text -------------------------------------------------------------------------------


def united(paths: Sequence[Path], seed: int) -> ShortList:
    """Return the cases of all lists, blind and in random order, topic by topic."""
    lists = [read_shortlist(path) for path in paths]
    cases = list({case.id: case for one in lists for case in one.cases}.values())
    random = np.random.default_rng(seed)
    mixed = [blind(cases[at], random) for at in random.permutation(len(cases))]
    ordered = sorted(mixed, key=lambda case: (len(case.topic), case.topic))
    about = {name: lists[0].about[name] for name in ("corpus", "digest", "split")}
    # That a list has decoys is known to the reader; which these are, only the key says.
    about |= next(({"sample": one.about["sample"]} for one in lists if "sample" in one.about), {})
    return ShortList(tuple(ordered), about)


def blind(case: Case, random: np.random.Generator) -> Case:
    """Return a case without evidence, its corrections in random order; 'none of these' is last."""
    plain = [fix.model_copy(update={"tied": False}) for fix in case.fixes]
    order = random.permutation(len(plain))
    mixed = sorted((plain[at] for at in order), key=lambda fix: not fix.operation.mentions)
    hidden = {"rank": 0, "score": None, "detectors": {}, "evidence": (), "reasons": ()}
    return case.model_copy(update={**hidden, "fixes": tuple(mixed)})


def packets(
    cases: Sequence[dict[str, Any]], size: int, corpus: Corpus, note: str = ""
) -> Iterator[str]:
    """Yield the packets of cases: guidance, worked cases (of ECB+), documents and cases."""
    count = max(1, round(len(cases) / size))
    bounds = [round(at * len(cases) / count) for at in range(count + 1)]
    ecbplus = cdec.load_corpus("ecb+")
    head = [(FOLDER / "guidance.md").read_text("utf-8"), worked(ecbplus), note]
    for first, last in pairwise(bounds):
        part = cases[first:last]
        listed = map(asked(corpus), part)
        yield "\n".join([*head, documents(part, corpus), "# The cases\n", *listed])


def worked(corpus: Corpus) -> str:
    """Return the worked cases with their sentences."""
    text = ["# Twenty worked cases\n"]
    with (FOLDER / "worked.csv").open(encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), start=1):
            text.append(f"## Example {number}")
            for letter, id_ in zip(LETTERS, row["mentions"].split(), strict=False):
                chain = corpus.mentions["chain"][id_]
                rest = corpus.selected.index[corpus.selected["chain"] == chain].drop(
                    id_, errors="ignore"
                )
                text += [f"{letter}: {marked(id_, corpus)}"]
                text += [f"   its chain: {marked(str(other), corpus)}" for other in rest[:4]]
            choice = f" ({row['correction']})" if row["correction"] else ""
            text.append(f"→ {row['verdict']}{choice}: {row['reason']}\n")
    return "\n".join(text)


def documents(cases: Sequence[dict[str, Any]], corpus: Corpus) -> str:
    """Return the documents of the mentions in question, whole."""
    asked_of = (side for case in cases for side in case["sides"])
    places = [place for side in asked_of for place in (*side["mentions"], *places_of(side))]
    docs = dict.fromkeys(place.rpartition("/")[0] for place in places)
    text = ["# The documents\n"]
    for doc in sorted(docs):
        lines = (" ".join(words) for words in corpus.documents[doc].sentences)
        text += [f"## {doc}", *(f"[{at}] {line}" for at, line in enumerate(lines)), ""]
    return "\n".join(text)


def places_of(side: dict[str, Any]) -> list[str]:
    """Return where a mention may be missing, if the side is such a place."""
    return [side["place"]] if side.get("place") else []


def asked(corpus: Corpus) -> Any:
    """Return the function that writes a case as text."""

    def text(case: dict[str, Any]) -> str:
        lines = [f"## Case {case['case']}", QUESTIONS[case["kind"].split("-")[0]], ""]
        for letter, side in zip(LETTERS, case["sides"], strict=False):
            name = side["descriptor"] or "no descriptor"
            size = len(side["mentions"]) + len(side["members"])
            lines.append(f"{letter} ({name}; {size} mentions shown or named here)")
            lines += [f"   > {marked(id_, corpus)}" for id_ in side["mentions"]]
            lines += [f"   > no mention yet: {place(at, corpus)}" for at in places_of(side)]
            lines += [f"     with {marked(id_, corpus)}" for id_ in side["members"][:SHOWN]]
            hidden = [brief(id_, corpus) for id_ in side["members"][SHOWN:]]
            lines += [f"     and {', '.join(hidden)}"] if hidden else []
        lines.append("Corrections:")
        lines += [f"   {at} {fix['text']}" for at, fix in enumerate(case["fixes"], start=1)]
        return "\n".join([*lines, ""])

    return text


QUESTIONS = {
    "unmarked": "Is a mention missing at A?",
    "missing": "Does the key miss a link between these chains?",
    "spurious": "Is A wrong in its chain (shown as B)?",
    "two": "Does this chain have mentions of two events (A and B)?",
    "contradicting": "Is A, an action, wrong in the chain of B, a participant, place or time?",
    "no": "Is A no event?",
    "copies": "Copies of one sentence are annotated differently. Is one of them wrong?",
}


def marked(id_: str, corpus: Corpus) -> str:
    """Return the sentence of a mention with its tokens in brackets."""
    row = corpus.mentions.loc[id_]
    where = f"{row['doc']}/{','.join(map(str, row['tokens']))}"
    return f"{id_} {place(where, corpus, at=int(row['sentence']))}"


def place(text: str, corpus: Corpus, at: int | None = None) -> str:
    """Return the sentence of ``document/tokens`` with these tokens in brackets."""
    doc, _, tokens = text.rpartition("/")
    parts = [part.split("-") for part in tokens.split(",")]
    numbers = {n for part in parts for n in range(int(part[0]), int(part[-1]) + 1)}
    document = corpus.documents[doc]
    starts = document.sentence_starts
    found = max(n for n, start in enumerate(starts) if start <= min(numbers)) if at is None else at
    words = list(document.sentences[found])
    shown = (f"[{w}]" if starts[found] + i in numbers else w for i, w in enumerate(words))
    return f"({doc} sentence {found}): {' '.join(shown)}"


def brief(id_: str, corpus: Corpus) -> str:
    """Return a mention as its words and document."""
    row = corpus.mentions.loc[id_]
    return f"“{row['text']}” ({row['doc']})"


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=("xamr", "text"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--size", type=int, default=50)
    parser.add_argument("--corpus", default="ecb+")
    parser.add_argument("--note", default="", help="what readers must know of another corpus")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.what == "xamr":
        args.output.write_text("".join(xamr(list(map(str, args.files)), args.seed)), "utf-8")
        return
    args.output.mkdir(parents=True, exist_ok=True)
    cases = united(args.files, args.seed)
    corpus = cdec.load_corpus(args.corpus)
    lines = to_jsonl(cases, corpus)
    (args.output / "cases.jsonl").write_text("".join(lines), "utf-8")
    records = [case.to_dict() for case in cases.cases]
    for number, packet in enumerate(packets(records, args.size, corpus, args.note), 1):
        (args.output / f"packet-{number:02}.md").write_text(packet, "utf-8")


if __name__ == "__main__":
    main()
