"""``cdec predict``."""

from __future__ import annotations

from typing import Annotated

from cdec.cli.corpus_options import PartOptions
from cdec.cli.groups import grouped
from cdec.cli.options import SystemOptions, system_option
from cdec.cli.run import Run
from cdec.cli.targets import AnnotationOptions


@grouped
def predict(
    *,
    system: Annotated[
        str | None,
        system_option(
            "A baseline, by id", many=False, after="Default: that of --config, else lemma."
        ),
    ] = None,
    systems: SystemOptions,
    corpus: PartOptions,
    output: AnnotationOptions,
) -> None:
    """Write the response of a baseline: its chains of the event mentions of the corpus.

    With --verbose, sac also reports its candidate pairs and the gold links among them.

    \b
    # A response file for cdec eval --response and cdec score
    cdec predict --system lemma -o lemma.conll
    # Another part and format, to the terminal
    cdec predict --system lemma-wd --split dev --to jsonl
    """
    from cdec.evaluation.run import prediction
    from cdec.formats import Annotation, from_corpus

    run = Run(corpus, output, systems)
    name = system or (run.configs[0].system if run.configs else "lemma")
    (chosen,) = run.ready([name])
    if output.verbose and hasattr(chosen, "remark"):
        output.say(f"{chosen.name}: {chosen.remark(run.part)}")
    chains = prediction(chosen, run.part)
    if isinstance(chains, Annotation):
        output.write(chains)
    else:
        output.write(from_corpus(run.part, chains))
