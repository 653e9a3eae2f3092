"""``cdec audit`` and its commands."""

from __future__ import annotations

import typer

from cdec.cli.audit import (
    apply,
    benchmark,
    calibrate,
    documents,
    duplicates,
    report,
    review,
    run,
    sample,
)

app = typer.Typer(
    help="Find annotation errors, review them in a browser, score against the corrected key.\n\n"
    "\b\n# Find suspected errors, and write the page for reviewers\n"
    "cdec audit run -o cases.jsonl\ncdec audit review cases.jsonl -o review.html\n"
    "# Correct the key by their decisions, and score against it\n"
    "cdec audit apply decisions.json -o patch.json\ncdec eval --key-patch patch.json",
    no_args_is_help=True,
)
app.command("run")(run.run)
app.command("review")(review.review)
app.command("apply")(apply.apply)
app.command("report")(report.report)
app.command("sample")(sample.sample)
app.command("duplicates")(duplicates.duplicates)
app.command("documents")(documents.documents)
app.command("calibrate")(calibrate.calibrate)
app.command("benchmark")(benchmark.benchmark)
