"""The commands of ``cdec audit`` for readers: review, sample, decide, agree."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import options as o
from cdec.cli import values
from cdec.cli.option import Option
from cdec.cli.review import (
    ADJUDICATOR,
    CASE_CHOICE,
    CASES,
    DECISIONS,
    DECOYS,
    KEY_PATCH,
    REVIEWED,
    checked,
    reviews_of,
    selected,
)
from cdec.cli.run import Run, command
from cdec.errors import FormatError, UsageError, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cdec.auditing.review.decisions import Review
    from cdec.auditing.review.decoys import DecoyKey
    from cdec.auditing.shortlist import ShortList
    from cdec.corpus.model import Corpus

_IDS = Option("--cases", "ID,…", "Only these cases, with commas between them.", attribute="ids")
_DISPUTED = Option(
    "--disputed",
    "A B",
    "Only cases on which these two decisions files disagree, with both verdicts.",
    tuple[Path, Path],
)
_OPINION = Option(
    "--opinion",
    "DECISIONS",
    "Show these decisions, of another reader or a model, with each case once its own verdict is "
    "given (repeatable).",
    Path,
    many=True,
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
_PAIRS = Option("--pairs", "N", "Also draw N random pairs of chains outside the list.", int, 0)
_SEED = Option("--seed", "N", "Random seed.", int, 1)


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
    _OPINION,
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
    # With a second opinion, hidden until the reader has decided
    cdec audit review cases.jsonl --opinion bob.json
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
    from cdec.auditing.review.reading import read_reviews
    from cdec.auditing.review.tasks import label_config, to_tasks

    file, ending = call.output, call.output.suffix.lower()
    if ending in (".json", ".xml"):
        call.refuse([_DISPUTED.name, _OPINION.name], f"--output FILE{ending}")
    if ending == ".xml":
        return [label_config()], file, f"labelling interface written to {file}"
    said = f"{counted(len(cases.cases), 'case')} written to {file}; it quotes the corpus"
    if ending == ".json":
        return to_tasks(cases, whole, call.cases), file, said
    opinions = read_reviews(call.opinion or ())
    return [to_page(cases, whole, call.cases, reviews, opinions)], file, said


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
    CASES,
    Option("answers", "ANSWERS.csv", "CSV file of the answers.", Path, required=True),
    Option("--reader", "NAME", "Name of the reader.", required=True),
    Option("--model", "NAME", "The language model, if the reader is one, for decisions and patch."),
    Option("--prompt", "FILE", "The prompt of the model: its SHA-256 is kept.", Path),
    o.written("decisions.json", "decisions", ".json", help="File to write the decisions to."),
    KEY_PATCH,
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
    # Those of a language model
    cdec audit decide cases.jsonl second.csv --reader m --model NAME
    # Those of a second reader
    cdec audit decide cases.jsonl second.csv --reader bob -o bob.json
    """
    from cdec.auditing.review.reading import read_answers, review_of
    from cdec.auditing.shortlist import read_shortlist

    cases, whole = read_shortlist(call.cases), call.whole
    decisions = read_answers(call.answers, cases.cases)
    review = review_of(call.reader, decisions, cases, whole, call.cases, model=_model(call))
    said = f"{counted(len(decisions), 'decision')} of {counted(len(cases.cases), 'case')}"
    call.save_text([review.to_json()], call.output, f"{said} written to {call.output}")


def _model(call: Run) -> dict[str, str]:
    """Return the language model that read, and the digest of its prompt; empty for a person."""
    if not call.model:
        call.require(("prompt",), "--model")
        return {}
    from cdec.io.inputfile import FileKind

    kind = FileKind("a prompt", FormatError, "file-invalid", "give the text that the model read")
    digest = sha256(kind.read_text(call.prompt).encode()).hexdigest() if call.prompt else ""
    return {"model": call.model} | ({"prompt_digest": digest} if digest else {})


@command(DECISIONS, DECOYS, ADJUDICATOR, *o.REPORT)
def agree(call: Run) -> None:
    """Show the agreement of reviewers on verdicts and corrections, by kind of case.

    For each pair of reviewers: Gwet's AC1 and Cohen's κ with intervals, on the
    verdict, on the correction of cases that both call an error, and on both.

    \b
    # Two reviewers, from the page or as an export of Label Studio
    cdec audit agree ann.json bob.json
    # For other tools
    cdec audit agree ann.json bob.json --format json
    # With the false accepts of decoys, and a third who decides disputes
    cdec audit agree ann.json bob.json --decoys key.json --adjudicator cid.json
    """
    from cdec.auditing.page import agreement_page

    reviews, decoys = reviews_of(call)
    if sum(not review.adjudicates for review in reviews) < 2:
        message, hint = "the decisions of one reviewer", "give those of two"
        raise UsageError("argument-missing", message, hint=hint)
    call.show(agreement_page(reviews, decoys))


@command(
    CASES,
    _NUMBER,
    _PAIRS,
    REVIEWED.but(
        help="Draw only cases inside, or outside, the reviewed sentences, and pairs inside.",
        panel=None,
    ),
    _SHARE,
    _DECOY_KEY,
    _SEED,
    o.written("sample.jsonl", "a short-list", ".jsonl", help="File to write the sample to."),
    KEY_PATCH,
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
    cdec audit sample cases.jsonl --n all --decoys 10% --decoy-key key.json
    # The page of a sample
    cdec audit review sample.jsonl -o sample.html
    # Extrapolate its decisions to the whole key
    cdec audit report decisions.json --no-scores
    """
    from cdec.auditing.review.page import check_list
    from cdec.auditing.review.sample import number_of, sampled
    from cdec.auditing.shortlist import read_shortlist, to_jsonl

    cases, whole = read_shortlist(call.cases), call.whole
    check_list(cases, whole, call.cases)
    count = number_of(call.n, cases.select(reviewed=call.reviewed))
    drawn = sampled(cases, whole, count, call.pairs, call.seed, reviewed=call.reviewed)
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
