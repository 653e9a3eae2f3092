"""The commands of ``cdec audit`` for reviewers: review, apply, report, sample."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import completion as names
from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option, in_panel
from cdec.cli.run import Run, command
from cdec.errors import UsageError, counted, one_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cdec.auditing.patches.model import Patch
    from cdec.auditing.review.decisions import Review
    from cdec.auditing.shortlist import ShortList
    from cdec.corpus.model import Corpus
    from cdec.evaluation.results import Results

FOUND = "Which cases"
REVIEWED = Option(
    "--reviewed",
    "only|outside|all",
    "Keep only cases inside, or outside, the reviewed sentences of the corpus.",
    default="all",
    panel=FOUND,
    complete=("only", "outside", "all"),
)
CASE_CHOICE = in_panel(
    FOUND,
    Option(
        "--kind",
        "KIND",
        "Keep only cases of this kind (repeatable).",
        many=True,
        complete=names.CASES,
        attribute="kinds",
    ),
    Option("--topic", "TOPIC", "Keep only cases of this topic (repeatable).", many=True),
    REVIEWED,
    s.TOP.but(help="Keep at most N cases.", default=None, least=None),
)
_CASES = Option(
    "cases", "CASES", "Short-list of `cdec audit run -o CASES.jsonl`.", Path, required=True
)
_DECISIONS = Option(
    "decisions",
    "DECISIONS...",
    "Decision files exported from review pages, one for each reviewer.",
    Path,
    many=True,
    required=True,
)
_CERTAIN = Option(
    "--certain",
    None,
    "Without decisions: link the singletons of --corpus at the same place of identical sentences "
    "of two documents, with the same words, tag and sub-topic.",
    bool,
    False,
)
_SKIP = Option(
    "--skip-conflicts/--no-skip-conflicts",
    None,
    "Leave out the cases whose corrections exclude each other, or refuse them.",
    bool,
    False,
)
_IDS = Option("--cases", "ID,…", "Only these cases, with commas between them.", attribute="ids")
_DISPUTED = Option(
    "--disputed",
    "A B",
    "Only cases on which these two decisions files disagree, with both verdicts.",
    tuple[Path, Path],
)
_SCORES = Option(
    "--scores/--no-scores",
    None,
    "Score the baselines before and after the correction.",
    bool,
    True,
)
_NUMBER = Option("--n", "N", "Number of cases to draw.", int, 200)
_PAIRS = Option("--pairs", "N", "Also draw N random pairs of chains outside the list.", int, 0)
_SEED = Option("--seed", "N", "Random seed.", int, 1)


def selected(call: Run, cases: ShortList) -> ShortList:
    """Return the cases that the options choose."""
    return cases.select(
        kinds=call.kinds or (), topics=call.topic or (), reviewed=call.reviewed, top=call.top
    )


def checked(call: Run, corpus: Corpus) -> Corpus:
    """Return the corpus. Raises as ``check_choice`` does, and for a --topic not in it."""
    from cdec.auditing.shortlist import check_choice

    check_choice(call.kinds or (), call.reviewed, call.top)
    known = dict.fromkeys(document.topic for document in corpus.documents.values())
    for topic in call.topic or ():
        one_of("topic", topic, known)
    return corpus


@command(
    _CASES,
    o.written("review.html", "an HTML page", ".html", help="File to write the page to."),
    _IDS,
    _DISPUTED,
    *CASE_CHOICE,
    *o.WHOLE_CORPUS,
    *o.SCREEN,
)
def review(call: Run) -> None:
    """Write the page on which reviewers judge the cases: one HTML file, no server, no network.

    \b
    # All cases in one page
    cdec audit review cases.jsonl -o review.html
    # The first hundred of one topic
    cdec audit review cases.jsonl --topic 5 --top 100 -o topic5.html
    # The cases on which two reviewers disagree
    cdec audit review cases.jsonl --disputed ann.json bob.json
    """
    from cdec.auditing.review.decisions import read_reviews
    from cdec.auditing.review.page import to_page
    from cdec.auditing.shortlist import read_shortlist

    cases, whole = read_shortlist(call.cases), checked(call, call.whole)
    reviews = read_reviews(call.disputed) if call.disputed else ()
    chosen = _to_review(call, cases, reviews)
    count = counted(len(chosen.cases), "case")
    said = f"{count} written to {call.output}; it quotes the corpus"
    call.save_text([to_page(chosen, whole, call.cases, reviews)], call.output, said)


def _to_review(call: Run, cases: ShortList, reviews: Sequence[Review]) -> ShortList:
    """Return the cases of the page. Raises UsageError if there are none."""
    from cdec.auditing.review.decisions import disagreements

    if call.ids is not None:
        ids = [id_ for part in call.ids.split(",") if (id_ := part.strip())]
        cases = cases.select(ids=ids or [call.ids])
    if reviews:
        cases = cases.select(ids=disagreements(reviews, cases))
    chosen = selected(call, cases)
    if not chosen.cases:
        message, hint = "no case of the list is selected", "change the selection of cases"
        raise UsageError("case-none", message, place=call.cases, hint=hint)
    return chosen


@command(
    _DECISIONS.but(required=False),
    o.written("patch.json", "a patch", ".json", help="File to write the patch to, as JSON."),
    _SKIP,
    _CERTAIN,
    *o.WHOLE_CORPUS,
    *o.SCREEN,
)
def apply(call: Run) -> None:
    """Write a patch of the key: chains to merge and mentions to move or change.

    The corrections are those of decisions, or, with --certain, those that need no
    reviewer: mentions that are in a chain are then left as they are. The corpus
    itself is never changed. With several reviewers, the majority of "error" and
    "not an error" decides, then that of the corrections; ties are left out and
    listed. Corrections that exclude each other, or fuse two chains of three or
    more mentions through others, are an error that names all of them, or left
    out with --skip-conflicts.

    \b
    # One reviewer, then the scores against the corrected key
    cdec audit apply decisions.json -o patch.json
    cdec eval --setting pure --key-patch patch.json
    # Two reviewers
    cdec audit apply ann.json bob.json -o patch.json
    # The duplicates that are not linked, which need no reviewer
    cdec audit apply --certain -o patch.json
    """
    from cdec.auditing.review.patch import certain_patch

    if call.certain:
        call.refuse([_DECISIONS.name, _SKIP.name], _CERTAIN.flag)
        patch, numbers = certain_patch(call.whole)
        counts = ", ".join(f"{number} {name}" for name, number in numbers.items()) + "; patch"
    else:
        call.require([option.name for option in o.WHOLE_CORPUS], _CERTAIN.flag)
        patch, counts = _decided(call)
    said = f"{counts} written to {call.output} (digest {patch.digest[:12]})"
    call.save_text([patch.to_json()], call.output, said)


def _decided(call: Run) -> tuple[Patch, str]:
    """Return the patch of the decisions, and what is in it."""
    from cdec.auditing.review.decisions import Known, read_reviews
    from cdec.auditing.review.patch import patch_of, unchecked

    if not call.decisions:
        message = "no decisions file is given"
        hint = "name the files that reviewers exported, or add --certain"
        raise UsageError("option-requires", message, hint=hint)
    reviews = read_reviews(call.decisions)
    known = Known.of_reviews(reviews)
    patch = patch_of(reviews, known, call.notify, skip=call.skip_conflicts)
    call.notify(unchecked(patch.mentions, known))
    chains = f"{counted(len(patch.merge), 'merge')}, {counted(len(patch.move), 'move')}"
    return patch, f"{chains} and {counted(patch.edits, 'change')} of mentions"


@command(
    _DECISIONS,
    _SCORES,
    o.setting("all", "By default all"),
    o.SYSTEMS,
    o.METRICS,
    _SKIP.but(default=True),
    o.NLP,
    *o.CORPUS_PART,
    *o.REPORT,
)
def report(call: Run) -> None:
    """Show decisions, agreement between reviewers, and scores before and after correction.

    With several files, agreement is AC1 and Cohen's κ of each pair of reviewers,
    by kind of case; reviewers agree if verdict and correction are equal.
    Decisions on a list of `cdec audit sample` are extrapolated to the whole key.
    Corrections that exclude each other are left out.

    \b
    # Decisions, and the scores before and after
    cdec audit report decisions.json --setting pure --metric conll
    # Agreement between two reviewers
    cdec audit report ann.json bob.json --no-scores
    """
    from cdec.auditing.page import before_after_page, decisions_page
    from cdec.auditing.review.decisions import read_reviews, settled
    from cdec.auditing.review.patch import left_out

    reviews = read_reviews(call.decisions)
    if call.scores:
        return call.show(before_after_page(*_before_and_after(call, reviews), reviews))
    call.notify(left_out(reviews, settled(reviews)[1]))
    return call.show(decisions_page(reviews))


def _before_and_after(call: Run, reviews: Sequence[Review]) -> tuple[Results, Results]:
    from cdec.auditing.patches.rescore import before_and_after
    from cdec.auditing.review.decisions import Known
    from cdec.auditing.review.patch import patch_of
    from cdec.baselines import DEFAULT

    known = Known.of_corpus(call.whole)
    patch = patch_of(reviews, known, call.notify, skip=call.skip_conflicts)
    ready = call.ready(call.system or DEFAULT)
    experiment = call.experiment(ready, call.setting, call.metric)
    return before_and_after(call.whole, patch, experiment, call.split)


@command(
    _CASES,
    _NUMBER,
    _PAIRS,
    REVIEWED.but(panel=None),
    _SEED,
    o.written("sample.jsonl", "a short-list", ".jsonl", help="File to write the sample to."),
    *o.WHOLE_CORPUS,
    *o.SCREEN,
)
def sample(call: Run) -> None:
    """Draw a random sample of a list: its decisions estimate the number of errors in the key.

    The same number of cases is drawn from each range of ranks, in random order.

    \b
    # Draw a sample and review it
    cdec audit sample cases.jsonl -o sample.jsonl
    # Another sample, of 100 cases
    cdec audit sample cases.jsonl --n 100 --seed 2 -o second.jsonl
    # The page of a sample
    cdec audit review sample.jsonl -o sample.html
    # Extrapolate its decisions to the whole key
    cdec audit report decisions.json --no-scores
    """
    from cdec.auditing.about import check_corpus
    from cdec.auditing.review.sample import sampled
    from cdec.auditing.shortlist import read_shortlist, to_jsonl

    cases, whole = read_shortlist(call.cases), call.whole
    check_corpus(cases.about, whole, call.cases)
    drawn = sampled(cases, whole, call.n, call.pairs, call.seed, reviewed=call.reviewed)
    said = f"{counted(len(drawn.cases), 'case')} written to {call.output}"
    call.save_text(to_jsonl(drawn, whole), call.output, said)
