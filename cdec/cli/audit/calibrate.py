"""``cdec audit calibrate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdec.cli.corpus_options import WHOLE, PartOptions
from cdec.cli.groups import grouped
from cdec.cli.options import NlpOption
from cdec.cli.run import Run
from cdec.cli.screen import ScreenOptions
from cdec.cli.targets import file_option
from cdec.cli.workers import WorkOptions


@grouped
def calibrate(
    judged: Annotated[
        list[Path],
        typer.Argument(
            metavar="JUDGED...",
            help="CSV files of judged cases with the columns ranking, verdict and mentions.",
        ),
    ],
    *,
    output: Annotated[
        Path,
        file_option("File to write the probabilities to.", "FILE.json", "a calibration", ".json"),
    ] = Path("calibration.json"),
    nlp: NlpOption = "hanta",
    corpus: PartOptions = WHOLE,
    work: WorkOptions,
    screen: ScreenOptions,
) -> None:
    """Fit the probabilities of cases to judged cases of a corpus.

    \b
    # From your judgements
    cdec audit calibrate judged.csv -o mine.json
    # On another corpus
    cdec audit calibrate judged.csv --corpus sample -o sample.json
    # A list in the new order
    cdec audit run --calibration mine.json -o cases.jsonl
    """
    from cdec.audit.config import AuditConfig
    from cdec.audit.order.judged import calibration_of
    from cdec.io.output import save

    part, config = Run(corpus, screen).part, AuditConfig(pipeline=nlp)
    fitted = calibration_of(part, config, judged, screen.bar)
    save([fitted.to_json()], output)
    for name in ("links", "members"):
        about = fitted.about[name]
        counts = f"{about['judged']} judged cases, {about['errors']} errors"
        screen.say(f"{name}: {counts}; on other topics AUC {about['auc']}, Brier {about['brier']}")
    screen.say(f"probabilities written to {output}")
