"""The commands of ``cdec audit`` for reviewers: review, apply, report, sample."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import completion as names
from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli import values
from cdec.cli.option import Option, in_panel
from cdec.cli.run import Run, command
from cdec.errors import UsageError, counted, one_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cdec.auditing.patches.model import Patch
    from cdec.auditing.review.decisions import Review
    from cdec.auditing.review.decoys import DecoyKey
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
_NUMBER = Option(
    "--n", "N|all", "Number of cases to draw; all: the list in random order.", str, "200"
)
_SHARE = Option(
    "--decoys",
    "N%",
    "Mix in decoys, as a share of the cases drawn: cases that are no errors but look alike, to "
    "measure the readers. Ranks are left out.",
)
_DECOY_KEY = Option(
    "--decoy-key",
    "FILE.json",
    "File to write the ids of the decoys to, with --decoys. Not for the readers.",
    Path,
    check=values.file_of("the key of the decoys", ".json"),
    writes=True,
)
_DECOYS = Option(
    "--decoys",
    "FILE.json",
    "The --decoy-key of the list that was judged: how many decoys each reader called an error.",
    Path,
)
_ADJUDICATOR = Option(
    "--adjudicator",
    "FILE.json",
    "Decisions that replace those of the reviewers where these differ in verdict or correction.",
    Path,
)
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
    *o.WHOLE_CORPUS,
    *o.SCREEN,
)
def review(call: Run) -> None:
    """Write the page on which reviewers judge the cases: one HTML file, no server, no network.

    With --output FILE.json, the cases are tasks for Label Studio, or for any reader
    of plain text, without scores and reasons.

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
    from cdec.auditing.review.reading import read_reviews
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
    from cdec.auditing.review.tasks import label_config, to_tasks

    file, ending = call.output, call.output.suffix.lower()
    if reviews and ending in (".json", ".xml"):
        call.refuse([_DISPUTED.name], f"--output FILE{ending}")
    if ending == ".xml":
        return [label_config()], file, f"labelling interface written to {file}"
    said = f"{counted(len(cases.cases), 'case')} written to {file}; it quotes the corpus"
    if ending == ".json":
        return to_tasks(cases, whole, call.cases), file, said
    return [to_page(cases, whole, call.cases, reviews)], file, said


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
    _CASES,
    Option("answers", "ANSWERS.csv", "CSV file of the answers.", Path, required=True),
    Option("--reader", "NAME", "Name of the reader.", required=True),
    o.written("decisions.json", "decisions", ".json", help="File to write the decisions to."),
    *o.WHOLE_CORPUS,
    *o.SCREEN,
)
def decide(call: Run) -> None:
    """Write the decisions of a reader who gave answers in a table, without the page.

    The columns are case, verdict (error, not-error or unsure), correction (the
    number of the correction, 0: none of them; empty unless the verdict is error)
    and reason; comment and time are optional. The reason for "not an error" is a
    code: different-event, different-circumstances, general, part, right-chain,
    rule or other.

    \b
    # Answers to the tasks of a list
    cdec audit review cases.jsonl -o tasks.json
    cdec audit decide cases.jsonl answers.csv --reader ann -o ann.json
    """
    from cdec.auditing.review.reading import read_answers, review_of
    from cdec.auditing.shortlist import read_shortlist

    cases, whole = read_shortlist(call.cases), call.whole
    decisions = read_answers(call.answers, cases.cases)
    review = review_of(call.reader, decisions, cases, whole, call.cases)
    said = f"{counted(len(decisions), 'decision')} of {counted(len(cases.cases), 'case')}"
    call.save_text([review.to_json()], call.output, f"{said} written to {call.output}")


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
    from cdec.auditing.review.decisions import Known
    from cdec.auditing.review.patch import patch_of, unchecked
    from cdec.auditing.review.reading import read_reviews

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
    from cdec.auditing.review.decisions import settled
    from cdec.auditing.review.patch import left_out
    from cdec.auditing.review.reading import read_reviews

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
    _SHARE,
    _DECOY_KEY,
    _SEED,
    o.written("sample.jsonl", "a short-list", ".jsonl", help="File to write the sample to."),
    *o.WHOLE_CORPUS,
    *o.SCREEN,
)
def sample(call: Run) -> None:
    """Draw a random sample of a list: its decisions estimate the number of errors in the key.

    The same number of cases is drawn from each range of ranks, in random order.
    With --decoys, the list has cases that are certainly no errors, whose ids are
    in the --decoy-key only: give it to `cdec audit agree`, `apply` and `report`.

    \b
    # Draw a sample and review it
    cdec audit sample cases.jsonl -o sample.jsonl
    # Another sample, of 100 cases
    cdec audit sample cases.jsonl --n 100 --seed 2 -o second.jsonl
    # The whole list in random order, with decoys
    cdec audit sample cases.jsonl --n all --decoys 10% --decoy-key key.json -o all.jsonl
    # The page of a sample
    cdec audit review sample.jsonl -o sample.html
    # Extrapolate its decisions to the whole key
    cdec audit report decisions.json --no-scores
    """
    from cdec.auditing.about import check_corpus
    from cdec.auditing.review.sample import number_of, sampled
    from cdec.auditing.shortlist import read_shortlist, to_jsonl

    cases, whole = read_shortlist(call.cases), call.whole
    check_corpus(cases.about, whole, call.cases)
    drawn = sampled(cases, whole, number_of(call.n, cases), call.pairs, call.seed)
    drawn, key = _with_decoys(call, drawn, cases)
    said = f"{counted(len(drawn.cases), 'case')} written to {call.output}"
    call.save_text(to_jsonl(drawn, whole), call.output, said)
    if key:
        said = f"{counted(len(key.decoys), 'decoy')} written to {call.decoy_key}"
        call.save_text([key.to_json()], call.decoy_key, said)


def _with_decoys(
    call: Run, drawn: ShortList, cases: ShortList
) -> tuple[ShortList, DecoyKey | None]:
    """Return the sample with the decoys that --decoys asks for, and their ids."""
    from cdec.auditing.config import AuditConfig
    from cdec.auditing.key import Key, prepare
    from cdec.auditing.review.decoys import share_of, with_decoys

    if (call.decoys is None) != (call.decoy_key is None):
        message = "--decoys and --decoy-key are given together"
        raise UsageError("option-requires", message, hint="give both, or neither")
    if call.decoys is None:
        return drawn, None
    share, config = share_of(call.decoys), AuditConfig()
    key = Key(call.whole, prepare(call.whole, config, call.bar), config, call.bar)
    return with_decoys(drawn, cases, key, share, call.seed)
