"""The commands of ``cdec audit`` on cases and decisions: review, apply and report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import names
from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option, in_panel
from cdec.cli.run import Run, command
from cdec.errors import UsageError, counted, one_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cdec.auditing.decisions import Review
    from cdec.auditing.shortlist import ShortList
    from cdec.corpus.claims import Patch
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
    "Decisions, one file for each reviewer: exports of the page or of Label Studio; or tables of "
    "answers (CSV: case, verdict, correction, reason), with --list.",
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
    "Short-list that the decisions are on; in a patch its detectors become the evidence of each "
    "claim.",
    Path,
    attribute="shortlist",
)


_IDS = Option("--cases", "ID,…", "Only these cases, with commas between them.", attribute="ids")
_DISPUTED = Option(
    "--disputed",
    "A B",
    "Only cases on which these two decisions files disagree, with both verdicts.",
    tuple[Path, Path],
)


_TO = Option(
    "--to",
    "patch|ecbplus",
    "ecbplus: write the corrected ECB+ to the folder --output, in which only what the patch "
    "changes differs from the original XML; DECISIONS may then be a patch, by file or name.",
    default="patch",
    choices=names.APPLIED,
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


def reviews_of(call: Run) -> tuple[Review, ...]:
    """Return the reviews; tables of answers need --list."""
    from cdec.auditing.answers import read_reviews
    from cdec.auditing.shortlist import read_shortlist

    tables = any(path.suffix.lower() == ".csv" for path in call.decisions)
    if not tables or not call.shortlist:
        return read_reviews(call.decisions)
    return read_reviews(call.decisions, read_shortlist(call.shortlist), call.whole)


@command(
    CASES,
    o.written(
        "review.html",
        "a review page or tasks",
        *(".html", ".json", ".xml"),
        help="File to write to: the page (.html), tasks for Label Studio (.json), or its labelling "
        "interface for these (.xml).",
    ),
    _IDS,
    _DISPUTED,
    *CASE_CHOICE,
    KEY_PATCH,
    *o.WHOLE_CORPUS,
    *o.SCREEN,
)
def review(call: Run) -> None:
    """Write the page on which reviewers judge the cases: one HTML file, no server, no network.

    With --output FILE.json, the cases are tasks for Label Studio, or for any
    reader of plain text, without scores and reasons.

    \b
    # All cases in one page
    cdec audit review cases.jsonl -o review.html
    # The first hundred of one topic
    cdec audit review cases.jsonl --topic 5 --top 100 -o topic5.html
    # The cases on which two reviewers disagree
    cdec audit review cases.jsonl --disputed ann.json bob.json
    # Tasks for Label Studio, and the labelling interface of the project
    cdec audit review cases.jsonl -o tasks.json
    cdec audit review cases.jsonl -o interface.xml
    """
    from cdec.auditing.answers import read_reviews
    from cdec.auditing.shortlist import read_shortlist

    cases, whole = read_shortlist(call.cases), checked(call, call.whole)
    reviews = read_reviews(call.disputed) if call.disputed else ()
    chosen = _to_review(call, cases, reviews)
    call.save_text(*_written(call, chosen, whole, reviews))


def _written(
    call: Run, cases: ShortList, whole: Corpus, reviews: Sequence[Review]
) -> tuple[Iterable[str], Path, str]:
    """Return the page, the tasks or their labelling interface, by the ending of the file."""
    from cdec.auditing.review.page import to_page
    from cdec.auditing.tasks import label_config, to_tasks

    file, ending = call.output, call.output.suffix.lower()
    if ending in (".json", ".xml"):
        call.refuse([_DISPUTED.name], f"--output FILE{ending}")
    if ending == ".xml":
        return [label_config()], file, f"labelling interface written to {file}"
    said = f"{counted(len(cases.cases), 'case')} written to {file}; it quotes the corpus"
    if ending == ".json":
        return to_tasks(cases, whole, call.cases), file, said
    return [to_page(cases, whole, call.cases, reviews)], file, said


def _to_review(call: Run, cases: ShortList, reviews: Sequence[Review]) -> ShortList:
    """Return the cases of the page. Raises UsageError if there are none."""
    from cdec.auditing.decisions import disagreements

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
    DECISIONS.but(required=False),
    o.written("patch.json", "a patch", ".json", help="File to write the patch to, as JSON."),
    _TO,
    SKIP,
    _CERTAIN,
    _LIST,
    PRODUCT,
    KEY_PATCH,
    *o.WHOLE_CORPUS,
    *o.SCREEN,
)
def apply(call: Run) -> None:
    """Write a patch of the key: to which chains mentions belong, and which chains are one.

    The corrections are those of decisions, or, with --certain, those that need no
    reviewer: mentions that are in a chain are then left as they are. The corpus
    itself is never changed. With several reviewers, the majority of "error" and
    "not an error" decides, then that of the corrections; ties are left out and
    listed. Claims that put a mention into two chains, or bring about what another
    case calls no error, are an error that names all of them, or left out with
    --skip-conflicts. Corrections in reviewed sentences and all others are two
    products: --reviewed writes one of them.

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
    # The corrected ECB+ as XML
    cdec audit apply patch.json --to ecbplus -o corrected
    """
    from cdec.auditing.correct import certain_patch

    if call.to == "ecbplus" and (given := _patch_of(call)):
        return _write_corpus(call, given)
    if call.certain:
        own = (DECISIONS, SKIP, _LIST)
        call.refuse([option.name for option in own], _CERTAIN.flag)
        patch, numbers = certain_patch(call.whole)
        counts = ", ".join(f"{number} {name}" for name, number in numbers.items()) + "; patch"
    else:
        patch, counts = _decided(call)
    if call.reviewed != "all":
        patch = _product(call, patch)
        counts = f"product {patch.about['product']}: {len(patch.claims)} of {counts}"
    if call.to == "ecbplus":
        return _write_corpus(call, patch)
    said = f"{counts} written to {call.output} (digest {patch.digest[:12]})"
    return call.save_text([patch.to_json()], call.output, said)


def _patch_of(call: Run) -> Patch | None:
    """Return the patch that is given instead of decisions; None for decisions."""
    from cdec.corpus.claims import is_patch, read_patch

    if len(call.decisions or ()) != 1 or not is_patch(call.decisions[0]):
        return None
    return read_patch(call.decisions[0])


def _write_corpus(call: Run, patch: Patch) -> None:
    """Write the corrected files of ECB+."""
    from cdec.corpus.adapter import open_source
    from cdec.corpus.claims import corrected
    from cdec.corpus.ecbplus.edited import save_edited
    from cdec.corpus.store.locate import locate

    source = open_source(locate(call.corpus).path)
    save_edited(source, corrected(call.whole, patch), call.output)
    call.say(f"corrected corpus written to {call.output} (patch {patch.digest[:12]})")


def _product(call: Run, patch: Patch) -> Patch:
    """Return the claims of the product that --reviewed names."""
    from cdec.auditing.correct import products

    (part,) = products(patch, call.whole, call.reviewed).values()
    if across := part.about.get("across"):
        call.say(f"product {part.about['product']} has {counted(across, 'case')} across both")
    return part


def _decided(call: Run) -> tuple[Patch, str]:
    """Return the patch of the decisions, and what is in it."""
    from cdec.auditing.correct import detectors_of, patch_of
    from cdec.auditing.decisions import Known
    from cdec.auditing.shortlist import read_shortlist

    if call.reviewed == "all" and call.to == "patch" and not call.shortlist:
        other = f"{_CERTAIN.flag}, {_LIST.flag} or --reviewed only|outside"
        call.require([option.name for option in (KEY_PATCH, *o.WHOLE_CORPUS)], other)
    if not call.decisions:
        hint = "name the files that reviewers exported, or add --certain"
        raise UsageError("option-requires", "no decisions file is given", hint=hint)
    reviews = reviews_of(call)
    cases = read_shortlist(call.shortlist).cases if call.shortlist else ()
    known, flags = Known.of_reviews(reviews), detectors_of(reviews, cases)
    patch = patch_of(reviews, known, call.notify, skip=call.skip_conflicts, detectors=flags)
    number = len({claim.case for claim in patch.claims})
    return patch, f"{counted(len(patch.claims), 'claim')} of {counted(number, 'case')}"


@command(
    DECISIONS,
    _SCORES,
    o.setting("all", "By default all"),
    o.SYSTEMS,
    o.METRICS,
    SKIP.but(default=True),
    _LIST,
    PRODUCT,
    KEY_PATCH,
    *o.CORPUS_PART,
    *o.REPORT,
)
def report(call: Run) -> None:
    """Show decisions, agreement between reviewers, and scores before and after correction.

    With several files, agreement is AC1 and Cohen's κ of each pair of reviewers.
    Corrections that exclude each other are left out. Those in reviewed sentences
    (product A) and all others (product B) are scored separately.

    \b
    # Decisions, and the scores before and after
    cdec audit report decisions.json --setting pure --metric conll
    # Agreement between two reviewers
    cdec audit report ann.json bob.json --no-scores
    """
    from cdec.auditing.correct import left_out
    from cdec.auditing.decisions import settled
    from cdec.auditing.page import before_after_page, decisions_page

    reviews = reviews_of(call)
    if call.scores:
        products = _before_and_after(call, reviews)
        return call.show(before_after_page(products, reviews))
    call.require([PRODUCT.name, KEY_PATCH.name], "--scores")
    call.notify(left_out(reviews, *settled(reviews)))
    return call.show(decisions_page(reviews))


def _before_and_after(call: Run, reviews: Sequence[Review]) -> dict[str, tuple[Results, Results]]:
    """Return product → the results before and after its corrections."""
    from cdec.auditing.correct import patch_of, products
    from cdec.auditing.decisions import Known
    from cdec.baselines import DEFAULT
    from cdec.corpus.claims import corrected
    from cdec.corpus.splits import part_of
    from cdec.evaluation.corrected import against

    known = Known.of_corpus(call.whole)
    patch = patch_of(reviews, known, call.notify, skip=call.skip_conflicts)
    experiment = call.experiment(call.ready(call.system or DEFAULT), call.setting, call.metric)
    each = products(patch, call.whole, call.reviewed) or {"": patch}
    before = replace(experiment.results(), notices=())
    return {
        product: (before, replace(against(key, experiment).results(), notices=()))
        for product, part in each.items()
        for key in [part_of(corrected(call.whole, part), call.split)]
    }
