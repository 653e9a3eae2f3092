"""``cdec predict``, ``cdec train``, ``cdec tune`` and ``cdec plugins``."""

from __future__ import annotations

from itertools import chain
from typing import Annotated, Any

import typer

import cdec
from cdec.catalogue import added, entries, imported
from cdec.cli import options as o
from cdec.cli.command import argument, command, listed, option, refuse

app = typer.Typer()
REGISTRIES = (
    "cdec.baselines:SYSTEMS",
    "cdec.metrics:REGISTRY",
    "cdec.settings:SETTINGS",
    "cdec.formats:FORMATS",
    "cdec.corpus:CORPORA",
    "cdec.language:PIPELINES",
    *added("registry").values(),
)


@command(app, "predict")
def predict(
    system: o.Text = option(
        "--system SYSTEM",
        f"A baseline: {listed(entries('system'))}; or module:Class. Default: lemma, or that of "
        "--config.",
        default=None,
    ),
    pairs_out: o.Place = option(
        "--pairs-out FILE.csv",
        f"Write the scores of mention pairs instead ({listed(added('system'))}), for `cdec pairs`.",
        default=None,
    ),
    *,
    parameters: o.Parameters,
    source: o.PartOf,
    work: o.Work,
    out: o.Chains,
) -> None:
    """Write the chains of a baseline.

    \b
    # A response file for cdec eval and cdec score
    cdec predict --system lemma -o lemma.conll
    # Another part and format, to the terminal
    cdec predict --system lemma-wd --split dev --to jsonl
    # Scores of mention pairs, for cdec pairs
    cdec predict --system sac --split dev --pairs-out scores.csv
    """
    from cdec.evaluation.systems import pair_scores, prediction
    from cdec.formats import Annotation, from_corpus

    if pairs_out:
        refuse("--pairs-out", "output", "to")
        o.check_output(pairs_out, ".csv")
    names = [system] if system else parameters.configured() or ["lemma"]
    part, (response,) = source.responses(names[:1], parameters)
    instance: Any = next(iter(response.runs.values()))  # a file is refused below
    if pairs_out:
        columns = ["a", "b", "score"]
        blocks = pair_scores(instance, part)
        lines = (
            block.to_csv(columns=columns, index=False, header=False) for block in blocks
        )
        head = ",".join(columns) + "\n"
        return out.save(
            chain([head], lines), pairs_out, f"pair scores written to {pairs_out}"
        )
    chains = prediction(instance, part)
    if not isinstance(chains, Annotation):
        chains = from_corpus(part, chains)
    return out.write(chains)


@command(app, "train")
def train(
    system: Annotated[
        str, argument("SYSTEM", f"System to train: {listed(added('system'))}.")
    ] = "sac",
    split: o.WholeSplit = None,
    nlp: o.Nlp = "hanta",
    output: o.Output = None,
    key_patch: o.KeyPatch = None,
    *,
    whole: o.Whole,
    work: o.Work,
    out: o.Printed,
) -> None:
    """Train a system on the train part of a split.

    Dev is scored for information only. sac is the system of Upadhyay et al. (2016). The model is
    written to --output. The table shows the score at each threshold, cross-validated over the
    training topics.

    \b
    # Train, save the model, and use it
    cdec train sac -o sac.model
    cdec eval --system sac --model sac.model
    """
    from cdec.baselines import system as system_named
    from cdec.corpus.splits import train_and_dev
    from cdec.files.progress import notebook

    if output:
        o.check_output(output)
    corpus = whole.load(key_patch=key_patch)
    learner = system_named(system, pipeline=nlp, progress=notebook())
    trained = cdec.train(corpus, learner, split=split)
    if output:
        trained.save(output)
        out.say(f"model written to {output}")
    if hasattr(trained, "training_page"):
        out.show(trained.training_page(*train_and_dev(corpus, split)))


@command(app, "tune")
def tune(
    system: Annotated[
        str, argument("SYSTEM", "System to tune: lemma-delta.")
    ] = "lemma-delta",
    setting: str = option(
        "--setting -s SETTING", f"{listed(entries('setting'))}.", default="simple"
    ),
    metric: str = option(
        "--metric METRIC", "Maximise the F1 of this metric.", default="conll"
    ),
    split: str = option(
        "--split [SPLIT/]PART", "A part other than test.", default="dev"
    ),
    nlp: o.Nlp = "hanta",
    output: o.Output = None,
    plot: o.Place = option(
        "--plot FILE.png|svg", "Plot P, R and F over δ.", default=None
    ),
    i_know: bool = option(
        "--i-know", "Allow tuning on test; results are marked.", default=False
    ),
    key_patch: o.KeyPatch = None,
    *,
    whole: o.Whole,
    work: o.Work,
    out: o.Printed,
) -> None:
    """Choose δ by the score on a part other than test.

    The grid is δ = 0, 0.05, … 1. If scores are equal, the higher δ is chosen. The best parameters
    are written to --output, for `cdec eval --config`.

    \b
    # Tune on dev, plot the curve, save the best parameters, and use them
    cdec tune lemma-delta --split dev --plot curve.svg -o delta.toml
    cdec eval --system lemma-delta --config delta.toml
    """
    from cdec.baselines import system as system_named
    from cdec.baselines.config import to_toml

    if plot:
        o.check_output(plot, ".png", ".svg")
    if output:
        o.check_output(output, ".toml")
    part = whole.load(split, key_patch)
    tunable = system_named(system, pipeline=nlp)
    tuning = cdec.tune(part, tunable, setting=setting, metric=metric, i_know=i_know)
    best = tuning.value
    if plot:
        image = best.figure(plot.suffix.removeprefix(".").lower())
        out.save([image], plot, f"plot written to {plot}")
    if output:
        text = to_toml(best.system, best.tuned, best.comments)
        out.save([text], output, f"configuration written to {output}")
    out.show(tuning.page)


@command(app, "plugins")
def plugins(*, out: o.Report) -> None:
    """List systems, metrics, settings, formats, corpora, pipelines and audit detectors.

    A plug-in that cannot be used is listed with the reason.

    \b
    # All names, and the package that provides each
    cdec plugins
    # For another program
    cdec plugins --format csv
    """
    import pandas as pd

    from cdec.render import Page

    data = pd.DataFrame(
        [row for text in REGISTRIES for row in imported(text).entries()]
    )
    view = data[["kind", "name"]].rename(columns=str.capitalize)
    view["From"] = data["distribution"] + " " + data["version"]
    if data["problem"].any():
        view["Problem"] = data["problem"]
    out.show(Page.from_table(view, data))
