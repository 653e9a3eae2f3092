"""``cdec audit`` and the commands that find cases; the others are in ``review``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cdec.cli import names
from cdec.cli import options as o
from cdec.cli import review as on_cases
from cdec.cli.option import Option
from cdec.cli.review import CASE_CHOICE, FOUND, checked, selected
from cdec.cli.run import Run, command
from cdec.errors import counted

if TYPE_CHECKING:
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


@app.command("run")
@command(
    _DETECTORS,
    _DELTA,
    _COST,
    _ANNOTATORS,
    _SYSTEMS,
    *CASE_CHOICE,
    o.KEY_PATCH,
    *o.AUDITED_PART,
    *o.WORK,
    *o.REPORT,
    endings={".jsonl": "jsonl"},
)
def run(call: Run) -> None:
    """List suspected annotation errors of a corpus, the most probable first.

    With --output FILE.jsonl or FILE.csv, the cases are written with their
    sentences. Otherwise the number of cases of each kind is shown. On ECB+ cases
    have probabilities, and the page the expected number of errors; on other corpora
    they have ranks only.

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

    detectors = tuple(call.detector or AuditConfig.detectors)
    numbers = {"delta": call.delta, "cost": call.cost}
    config, part = AuditConfig(detectors, pipeline=call.nlp, **numbers), checked(call, call.part)
    readers = {"annotators": call.annotator or (), "responses": call.response or ()}
    _show(call, audit(part, config, call.bar, **readers))


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


for _command in (on_cases.review, on_cases.apply, on_cases.report):
    app.command(_command.__name__)(_command)
