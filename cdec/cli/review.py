"""The commands of ``cdec audit`` on decisions: apply, compose and report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import names
from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option, in_panel
from cdec.cli.run import Run, command
from cdec.errors import UsageError, counted, one_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cdec.auditing.patches.model import Patch
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
)
CASE_CHOICE = in_panel(
    FOUND,
    Option(
        "--kind",
        "KIND",
        "Keep only cases of this kind (repeatable).",
        many=True,
        choices=names.CASES,
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
_CERTAIN = Option(
    "--certain",
    None,
    "Without decisions: link the singletons of --corpus at the same place of identical sentences "
    "of two documents, with the same words, tag and sub-topic.",
    bool,
    False,
)
_LIST = Option(
    "--list",
    "CASES",
    "Short-list that the decisions are on: its detectors become the evidence of each operation.",
    Path,
    attribute="shortlist",
)


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
    DECISIONS.but(required=False),
    o.written("patch.json", "a patch", ".json", help="File to write the patch to, as JSON."),
    DECOYS.but(help="The --decoy-key of the list that was judged: these cases are left out."),
    ADJUDICATOR,
    SKIP,
    _CERTAIN,
    _LIST,
    PRODUCT,
    KEY_PATCH,
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
    out with --skip-conflicts. Corrections in reviewed sentences and all others
    are two products: --reviewed writes one of them.

    \b
    # One reviewer, then the scores against the corrected key
    cdec audit apply decisions.json -o patch.json
    cdec eval --setting pure --key-patch patch.json
    # Two reviewers
    cdec audit apply ann.json bob.json -o patch.json
    # Only the corrections in reviewed sentences, with the detectors of their cases
    cdec audit apply ann.json bob.json --reviewed only --list cases.jsonl
    # The duplicates that are not linked, which need no reviewer
    cdec audit apply --certain -o patch.json
    """
    from cdec.auditing.review.patch import certain_patch

    if call.certain:
        own = (DECISIONS, DECOYS, ADJUDICATOR, SKIP, _LIST)
        call.refuse([option.name for option in own], _CERTAIN.flag)
        patch, numbers = certain_patch(call.whole)
        counts = ", ".join(f"{number} {name}" for name, number in numbers.items()) + "; patch"
    else:
        patch, counts = _decided(call)
    if call.reviewed != "all":
        patch = _product(call, patch)
        counts = f"product {patch.about['product']}: {len(patch.operations)} of {counts}"
    said = f"{counts} written to {call.output} (digest {patch.digest[:12]})"
    call.save_text([patch.to_json()], call.output, said)


def _product(call: Run, patch: Patch) -> Patch:
    """Return the operations of the product that --reviewed names."""
    from cdec.auditing.patches.apply import products

    (part,) = products(patch, call.whole, call.reviewed).values()
    if across := part.about.get("across"):
        call.say(f"product {part.about['product']} has {counted(across, 'operation')} across both")
    return part


def _decided(call: Run) -> tuple[Patch, str]:
    """Return the patch of the decisions, and what is in it."""
    from cdec.auditing.review.decisions import Known
    from cdec.auditing.review.patch import detectors_of, patch_of
    from cdec.auditing.shortlist import read_shortlist

    if call.reviewed == "all":
        other = f"{_CERTAIN.flag} or --reviewed only|outside"
        call.require([option.name for option in (KEY_PATCH, *o.WHOLE_CORPUS)], other)
    if not call.decisions:
        hint = "name the files that reviewers exported, or add --certain"
        raise UsageError("option-requires", "no decisions file is given", hint=hint)
    reviews, _ = reviews_of(call)
    cases = read_shortlist(call.shortlist).cases if call.shortlist else ()
    known, flags = Known.of_reviews(reviews), detectors_of(reviews, cases)
    patch = patch_of(reviews, known, call.notify, skip=call.skip_conflicts, detectors=flags)
    chains = f"{counted(len(patch.merge), 'merge')}, {counted(len(patch.move), 'move')}"
    return patch, f"{chains} and {counted(patch.edits, 'change')} of mentions"


@command(
    Option("first", "A", "A patch of the key.", Path, required=True),
    Option("second", "B", "A patch of the key that A corrects.", Path, required=True),
    o.written("patch.json", "a patch", ".json", help="File to write the patch to, as JSON."),
    *o.WHOLE_CORPUS,
    *o.SCREEN,
)
def compose(call: Run) -> None:
    """Write two patches as one: B was decided on the key that A corrects.

    The patch has the effect of A, and then of B, on the key of the corpus. What one
    patch cannot express is an error that names the mentions.

    \b
    # A second round: audit the corrected key, decide, and put both patches together
    cdec audit run --key-patch a.json -o second.jsonl
    cdec audit review second.jsonl --key-patch a.json -o second.html
    cdec audit apply decisions.json -o b.json
    cdec audit compose a.json b.json -o patch.json
    # A patch of cdec, then one's own
    cdec audit compose ecbplus-duplicates b.json
    """
    from cdec.auditing.patches.compose import composed
    from cdec.auditing.patches.model import read_patch

    patch = composed(read_patch(call.first), read_patch(call.second), call.whole)
    count = counted(len(patch.operations), "operation")
    said = f"{count} written to {call.output} (digest {patch.digest[:12]})"
    call.save_text([patch.to_json()], call.output, said)


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
    experiment = call.experiment(call.ready(call.system or DEFAULT), call.setting, call.metric)
    each = products(patch, call.whole, call.reviewed) or {"": patch}
    return {
        product: before_and_after(call.whole, part, experiment, call.split)
        for product, part in each.items()
    }
