"""``cdec audit`` and the commands that find cases; the others are in ``readers`` and ``review``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cdec.cli import names, readers
from cdec.cli import options as o
from cdec.cli import review as on_decisions
from cdec.cli.option import Option
from cdec.cli.review import CASE_CHOICE, FOUND, REVIEWED, checked, selected
from cdec.cli.run import Run, command
from cdec.errors import counted, one_of
from cdec.rooms import added, imported

if TYPE_CHECKING:
    from cdec.auditing.benchmark.measure import Plan
    from cdec.auditing.shortlist import ShortList

app = typer.Typer(
    help="Find annotation errors, review them in a browser, score against the corrected key.\n\n"
    "\b\n# Find suspected errors, and write the page for reviewers\n"
    "cdec audit run -o cases.jsonl\ncdec audit review cases.jsonl -o review.html\n"
    "# Correct the key by their decisions, and score against it\n"
    "cdec audit apply decisions.json -o patch.json\ncdec eval --key-patch patch.json",
    no_args_is_help=True,
)
_DETECTORS = Option(
    "--detector",
    "DETECTOR",
    "Run only this detector (repeatable); `cdec plugins` lists them. Default: all of cdec "
    "(systems with --response only).",
    many=True,
    panel=FOUND,
    choices=names.DETECTORS,
)
_DELTA = Option(
    "--delta",
    "X",
    "The SVM flags a pair of mentions if its anchor |a| is at least X.",
    float,
    0.95,
    panel=FOUND,
)
_COST = Option(
    "--C",
    "C",
    "Cost C of the SVM, the upper limit of an anchor.",
    float,
    1e4,
    panel=FOUND,
    attribute="cost",
)
_CALIBRATION = Option(
    "--calibration",
    "FILE",
    "Order and probabilities of errors, from `cdec audit calibrate`. Default: those fitted to "
    "judged cases of ECB+, whose probabilities are for ECB+ only.",
    Path,
    panel=FOUND,
)
_ANNOTATORS = Option(
    "--annotator",
    "FILE",
    "Chains of another annotator of the same mentions, as a response file (repeatable). What all "
    "of them link and the key separates is a reason of a case, or a further case.",
    Path,
    many=True,
    panel=FOUND,
)
_SYSTEMS = o.RESPONSES.but(
    help="A response file, leaderboard:NAME or pairs:FILE (repeatable), of a part of the corpus or "
    "all of it. What half of the systems link and the key separates is a case. Several runs of a "
    "system, NAME=FILE,FILE, share one vote, and so do published systems of one family.",
    panel=FOUND,
)
_JUDGED = Option(
    "judged",
    "JUDGED...",
    "CSV files of judged cases with the columns ranking, verdict and mentions.",
    Path,
    many=True,
    required=True,
)
_ERRORS = Option("--errors", "N", "Number of errors to plant in each run.", int, 300)
_SEEDS = Option("--seeds", "N", "Number of runs for each kind of error.", int, 3)
_PLANT = Option(
    "--plant",
    "KIND",
    "Plant only this kind of error (repeatable): detach, pair, split, attach, lookalike, fuse or "
    "unmark.",
    many=True,
    choices=names.PLANTED,
)
_CORRECTIONS = Option(
    "--corrections",
    None,
    "Measure whether the corrections of the cases are right, instead of their ranks.",
    bool,
)


@app.command("run")
@command(
    _DETECTORS,
    _DELTA,
    _COST,
    _CALIBRATION,
    _ANNOTATORS,
    _SYSTEMS,
    *CASE_CHOICE,
    o.NLP,
    o.KEY_PATCH,
    *o.AUDITED_PART,
    *o.WORK,
    *o.REPORT,
    endings={".jsonl": "jsonl"},
)
def run(call: Run) -> None:
    """List suspected annotation errors of a corpus, the most probable first.

    With --output FILE.jsonl or FILE.csv, the cases are written with their
    sentences. Otherwise the number of cases of each kind is shown. Cases have
    probabilities, and the page the expected number of errors, on ECB+ or with a
    --calibration of the corpus. On other corpora they have ranks only.

    \b
    # The number of cases of each kind
    cdec audit run
    # The first 2000 cases, for review
    cdec audit run --top 2000 -o cases.jsonl
    # One kind and one topic, for a spreadsheet
    cdec audit run --kind missing-cluster-cluster --topic 5 -o topic5.csv
    # One detector only
    cdec audit run --detector svm -o cases.jsonl
    # With what another annotator links
    cdec audit run --annotator mine.conll -o cases.jsonl
    # With what systems link
    cdec audit run --response mine.conll -o cases.jsonl
    """
    from cdec.auditing.cases import audit
    from cdec.auditing.config import AuditConfig
    from cdec.auditing.order.model import read_calibration

    detectors = tuple(call.detector or AuditConfig.detectors)
    numbers = {"delta": call.delta, "cost": call.cost}
    config, part = AuditConfig(detectors, pipeline=call.nlp, **numbers), checked(call, call.part)
    calibration = read_calibration(call.calibration) if call.calibration else None
    readers = {"annotators": call.annotator or (), "responses": call.response or ()}
    _show(call, audit(part, config, call.bar, calibration, **readers))


def _show(call: Run, cases: ShortList) -> None:
    """Write the chosen cases to a short-list, or show their numbers."""
    from cdec.auditing.page import cases_page
    from cdec.auditing.shortlist import WRITERS

    chosen, ending = selected(call, cases), call.output.suffix.lower()[1:] if call.output else ""
    if ending not in WRITERS:
        return call.show(cases_page(chosen, len(cases.cases)))
    call.notify(cases.notices)
    of_all = f"{len(chosen.cases):,} of {counted(len(cases.cases), 'case')}"
    said = f"{of_all} written to {call.output}"
    return call.save_text(WRITERS[ending](chosen, call.part), call.output, said)


_decided = (on_decisions.apply, on_decisions.compose, on_decisions.report)
for _command in (readers.review, readers.decide, readers.agree, *_decided, readers.sample):
    app.command(_command.__name__)(_command)


@app.command("documents")
@command(*o.AUDITED_PART, *o.REPORT)
def documents(call: Run) -> None:
    """List documents with few reviewed sentences and many unlinked mentions.

    Work that was not done, rather than errors: no case has these documents.

    \b
    # The documents with the most unlinked mentions first
    cdec audit documents
    # For a spreadsheet
    cdec audit documents --format csv -o documents.csv
    """
    from cdec.auditing.unfinished import documents_page, unfinished

    call.show(documents_page(unfinished(call.part), call.part))


@app.command("calibrate")
@command(
    _JUDGED,
    o.written("calibration.json", "the probabilities", ".json"),
    _SYSTEMS.but(
        help="A response file or leaderboard:NAME (repeatable): also fit the weight of what "
        "systems say, as `cdec audit run --response` shows it.",
        panel=None,
    ),
    o.NLP,
    *o.AUDITED_PART,
    *o.WORK,
    *o.SCREEN,
)
def calibrate(call: Run) -> None:
    """Fit the probabilities of cases to judged cases of a corpus.

    \b
    # From your judgements
    cdec audit calibrate judged.csv -o mine.json
    # On another corpus
    cdec audit calibrate judged.csv --corpus sample -o sample.json
    # A list in the new order
    cdec audit run --calibration mine.json -o cases.jsonl
    """
    from cdec.auditing.config import AuditConfig
    from cdec.auditing.order.judged import calibration_of

    part, config = call.part, AuditConfig(pipeline=call.nlp)
    fitted = calibration_of(part, config, call.judged, call.bar, call.response or ())
    call.save_text([fitted.to_json()], call.output, f"probabilities written to {call.output}")
    for name in ("links", "members"):
        about = fitted.about[name]
        counts = f"{about['judged']} judged cases, {about['errors']} errors"
        call.say(f"{name}: {counts}; on other topics AUC {about['auc']}, Brier {about['brier']}")


@app.command("benchmark")
@command(
    _ERRORS,
    _SEEDS,
    _PLANT,
    REVIEWED.but(
        help="Plant errors only inside, or outside, the reviewed sentences, and rank only cases "
        "there.",
        panel=None,
    ),
    _CORRECTIONS,
    o.NLP,
    *o.AUDITED_PART,
    *o.WORK,
    *o.REPORT,
)
def benchmark(call: Run) -> None:
    """Plant known errors in the key and measure how high the detectors rank them.

    \b
    # One kind of error, planted in three runs
    cdec audit benchmark --plant detach --errors 20 --seeds 3
    # All kinds, one run for each
    cdec audit benchmark --errors 20 --seeds 1
    # Whether the first correction of their cases is right
    cdec audit benchmark --corrections --plant split --errors 20 --seeds 1
    """
    from cdec.auditing.benchmark.corrections import corrections, corrections_page
    from cdec.auditing.benchmark.measure import benchmark as measure
    from cdec.auditing.benchmark.measure import benchmark_page
    from cdec.auditing.cases import default_calibration
    from cdec.auditing.config import AuditConfig
    from cdec.signature import Signature

    plan, part, config = _plan(call), call.part, AuditConfig(pipeline=call.nlp)
    chosen = (corrections, corrections_page) if call.corrections else (measure, benchmark_page)
    table = chosen[0](part, config, default_calibration(), plan, call.bar)
    own = {name: getattr(call, name) for name in ("nlp", "errors", "seeds", "reviewed")}
    call.show(chosen[1](table, Signature.from_fields(**part.about, **own, **config.about)))


def _plan(call: Run) -> Plan:
    """Return the errors to plant."""
    from cdec.auditing.benchmark.measure import Plan, check_count, seeds_of
    from cdec.auditing.shortlist import SCOPES

    runs, kinds = seeds_of(call.seeds), tuple(call.plant or names.PLANTED.known())
    one_of("review scope", call.reviewed, SCOPES)
    return Plan(kinds, check_count(call.errors), runs, call.reviewed)


for _name, _text in added("audit command").items():
    app.command(_name)(imported(_text))
