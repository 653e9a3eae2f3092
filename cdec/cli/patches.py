"""The commands of ``cdec audit`` that write patches: apply, compose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import options as o
from cdec.cli.option import Option
from cdec.cli.review import ADJUDICATOR, DECISIONS, DECOYS, KEY_PATCH, PRODUCT, SKIP, reviews_of
from cdec.cli.run import Run, command
from cdec.errors import UsageError, counted, one_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cdec.auditing.patches.model import Patch
    from cdec.auditing.review.decisions import Review

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
    from cdec.auditing.review.patch import patch_of, unchecked

    if call.reviewed == "all":
        other = f"{_CERTAIN.flag} or --reviewed only|outside"
        call.require([option.name for option in (KEY_PATCH, *o.WHOLE_CORPUS)], other)
    if not call.decisions:
        message = "no decisions file is given"
        hint = "name the files that reviewers exported, or add --certain"
        raise UsageError("option-requires", message, hint=hint)
    reviews, _ = reviews_of(call)
    known, detectors = Known.of_reviews(reviews), _detectors(call, reviews)
    patch = patch_of(reviews, known, call.notify, skip=call.skip_conflicts, detectors=detectors)
    call.notify(unchecked(patch.mentions, known))
    chains = f"{counted(len(patch.merge), 'merge')}, {counted(len(patch.move), 'move')}"
    return patch, f"{chains} and {counted(patch.edits, 'change')} of mentions"


def _detectors(call: Run, reviews: Sequence[Review]) -> dict[str, list[str]]:
    """Return case → the detectors that flagged it, by the short-list of --list.

    Raises UnknownNameError for a case that the list does not have.
    """
    from cdec.auditing.shortlist import read_shortlist

    if call.shortlist is None:
        return {}
    cases = {case.id: [*case.detectors] for case in read_shortlist(call.shortlist).cases}
    for case in dict.fromkeys(case for review in reviews for case in review.by_case):
        one_of("case", case, cases)
    return cases


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
