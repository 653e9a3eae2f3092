"""``cdec audit run``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.audit.options import FOUND, ChoiceOptions
from cdec.cli.completion import DETECTORS
from cdec.cli.corpus_options import WHOLE, PartOptions
from cdec.cli.groups import grouped
from cdec.cli.options import KeyPatchOption, NlpOption
from cdec.cli.run import Run
from cdec.cli.targets import CasesOptions
from cdec.cli.workers import WorkOptions
from cdec.errors import counted

if TYPE_CHECKING:
    from cdec.audit.shortlist import ShortList
    from cdec.corpus.model import Corpus


@grouped
def run(
    *,
    detector: Annotated[
        list[str] | None,
        typer.Option(
            "--detector",
            metavar="DETECTOR",
            autocompletion=DETECTORS.complete,
            help="Run only this detector (repeatable); `cdec plugins` lists them. Default: all of "
            "cdec.",
            rich_help_panel=FOUND,
        ),
    ] = None,
    delta: Annotated[
        float,
        typer.Option(
            "--delta",
            metavar="X",
            help="The SVM flags a pair of mentions if its anchor |a| is at least X.",
            rich_help_panel=FOUND,
        ),
    ] = 0.95,
    cost: Annotated[
        float,
        typer.Option(
            "--C",
            metavar="C",
            help="Cost C of the SVM, the upper limit of an anchor.",
            rich_help_panel=FOUND,
        ),
    ] = 1e4,
    embedding: Annotated[
        float,
        typer.Option(
            "--embedding",
            metavar="X",
            help="Also compare mentions without a common word whose vectors have a cosine of at "
            "least X, e.g. 0.6 (requires the extra embeddings). Default: 0, no vectors.",
            rich_help_panel=FOUND,
        ),
    ] = 0.0,
    calibration: Annotated[
        Path | None,
        typer.Option(
            "--calibration",
            metavar="FILE",
            help="Order and probabilities of errors, from `cdec audit calibrate`. Default: those "
            "fitted to judged cases of ECB+, whose probabilities are for ECB+ only.",
            rich_help_panel=FOUND,
        ),
    ] = None,
    choice: ChoiceOptions,
    nlp: NlpOption = "hanta",
    key_patch: KeyPatchOption = None,
    corpus: PartOptions = WHOLE,
    work: WorkOptions,
    output: CasesOptions,
) -> None:
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
    # Links between mentions without a common word, too
    cdec audit run --embedding 0.6 -o cases.jsonl
    """
    from cdec.audit.cases import audit
    from cdec.audit.config import AuditConfig
    from cdec.audit.order.model import read_calibration

    chosen = tuple(detector or AuditConfig.detectors)
    config = AuditConfig(chosen, pipeline=nlp, delta=delta, cost=cost, embedding=embedding)
    part = choice.checked(Run(corpus, output, key_patch=key_patch).part)
    probabilities = read_calibration(calibration) if calibration else None
    cases = audit(part, config, output.bar, probabilities)
    _show(choice.select(cases), cases, part, output)


def _show(chosen: ShortList, cases: ShortList, part: Corpus, output: CasesOptions) -> None:
    """Write the chosen cases to a short-list, or show their numbers."""
    from cdec.audit.shortlist import WRITERS
    from cdec.audit.view import cases_page
    from cdec.io.output import save

    if output.output is None or output.ending not in WRITERS:
        output.show(cases_page(chosen))
        return
    save(WRITERS[output.ending](chosen, part), output.output)
    output.notify(cases.notices)
    of_all = f"{len(chosen.cases):,} of {counted(len(cases.cases), 'case')}"
    output.say(f"{of_all} written to {output.output}")
