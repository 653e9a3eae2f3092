"""The commands of ``cdec audit`` on decisions: apply and report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import completion as names
from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option, in_panel
from cdec.cli.run import Run, command
from cdec.errors import one_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cdec.auditing.review.decisions import Review
    from cdec.auditing.review.sample import Estimate
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
CASES = Option(
    "cases", "CASES", "Short-list of `cdec audit run -o CASES.jsonl`.", Path, required=True
)
DECISIONS = Option(
    "decisions",
    "DECISIONS...",
    "Decision files exported from review pages, one for each reviewer.",
    Path,
    many=True,
    required=True,
)
SKIP = Option(
    "--skip-conflicts/--no-skip-conflicts",
    None,
    "Leave out the cases whose corrections exclude each other, or refuse them.",
    bool,
    False,
)
_SCORES = Option(
    "--scores/--no-scores", None, "Score the baselines before and after correction.", bool, True
)
DECOYS = Option(
    "--decoys",
    "FILE.json",
    "The --decoy-key of the list that was judged: how many decoys each reader called an error.",
    Path,
)
ADJUDICATOR = Option(
    "--adjudicator",
    "FILE.json",
    "Decisions that replace those of the reviewers where these differ in verdict or correction.",
    Path,
)
PRODUCT = REVIEWED.but(
    help="Keep only corrections in reviewed sentences (only: product A), or all others (outside: "
    "product B). Default: both.",
)
KEY_PATCH = o.KEY_PATCH.but(help="The patch that `cdec audit run --key-patch` had for the list.")


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


def reviews_of(call: Run) -> tuple[tuple[Review, ...], tuple[Estimate, ...]]:
    """Return the reviews without decoys, and the decoys that each reviewer called an error."""
    from cdec.auditing.review.decoys import without_decoys
    from cdec.auditing.review.reading import read_reviews

    return without_decoys(read_reviews(call.decisions, call.adjudicator), call.decoys)


@command(
    DECISIONS,
    DECOYS,
    ADJUDICATOR,
    _SCORES,
    o.setting("all", "By default all"),
    o.SYSTEMS,
    o.METRICS,
    SKIP.but(default=True),
    PRODUCT,
    KEY_PATCH,
    o.NLP,
    *o.CORPUS_PART,
    *o.REPORT,
)
def report(call: Run) -> None:
    """Show decisions, agreement between reviewers, and scores before and after correction.

    With several files, agreement is AC1 and Cohen's κ of each pair of reviewers;
    `cdec audit agree` has them by kind of case. Decisions on a list of
    `cdec audit sample` are extrapolated to the whole key. Corrections that
    exclude each other are left out. Those in reviewed sentences (product A) and
    all others (product B) are scored separately.

    \b
    # Decisions, and the scores before and after
    cdec audit report decisions.json --setting pure --metric conll
    # Agreement between two reviewers
    cdec audit report ann.json bob.json --no-scores
    """
    from cdec.auditing.page import before_after_page, decisions_page
    from cdec.auditing.review.decisions import settled
    from cdec.auditing.review.patch import left_out

    reviews, decoys = reviews_of(call)
    if call.scores:
        products = _before_and_after(call, reviews)
        return call.show(before_after_page(products, reviews, decoys))
    call.require([PRODUCT.name, KEY_PATCH.name], "--scores")
    call.notify(left_out(reviews, *settled(reviews)))
    return call.show(decisions_page(reviews, decoys))


def _before_and_after(call: Run, reviews: Sequence[Review]) -> dict[str, tuple[Results, Results]]:
    """Return product → the results before and after its corrections."""
    from cdec.auditing.patches.apply import products
    from cdec.auditing.patches.rescore import before_and_after
    from cdec.auditing.review.decisions import Known
    from cdec.auditing.review.patch import patch_of
    from cdec.baselines import DEFAULT

    known = Known.of_corpus(call.whole)
    patch = patch_of(reviews, known, call.notify, skip=call.skip_conflicts)
    ready = call.ready(call.system or DEFAULT)
    experiment = call.experiment(ready, call.setting, call.metric)
    each = products(patch, call.whole, call.reviewed) or {"": patch}
    return {
        product: before_and_after(call.whole, part, experiment, call.split)
        for product, part in each.items()
    }
