"""``cdec explain``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import completion as names
from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option, rarely
from cdec.cli.run import Run, command
from cdec.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cdec.evaluation.experiment import Experiment
    from cdec.evaluation.response import SystemRun
    from cdec.render import Page

_WITH_CORPUS = ("setting", "system", "answer", "split", "corpus", "nlp")
_METRIC = Option(
    "--metric -m",
    "METRIC",
    "A metric, such as muc, or a mean of metrics, such as conll; `cdec plugins` lists them.",
    complete=names.METRICS,
)
_CODE = Option(
    "--code",
    "CODE",
    "Instead: what the code of an error or a notice means, and what to do.",
    complete=names.CODES,
)
_FILES = (
    Option(
        "key",
        "[KEY]",
        "Key file. Without it, the gold chains of the corpus are the key.",
        Path,
    ),
    Option("response", "RESPONSE", "Response file.", reads=o.RESPONSES.reads),
    s.SCOPE.but(help="With KEY and RESPONSE, as in `cdec score`.", default="document"),
)
_CHAINS = (
    Option(
        "--chain -c",
        "LABEL",
        "Explain the chain with this label, of key or response.",
    ),
    Option(
        "--document -d",
        "NAME",
        "Explain the chains with a mention in this document or meta-document. With --chain: the "
        "chain with that label in it.",
    ),
    Option(
        "--side",
        "key|response",
        "Explain only chains of this side: key (recall) or response (precision).",
        complete=names.SIDES,
    ),
)
_ANSWER = (
    o.setting(
        "pure",
        "Only without KEY. By default the strictest",
        ": it evaluates the fewest links",
        many=False,
    ),
    o.SYSTEM.but(help=f"Only without KEY: a {o.SYSTEM.help[2:].partition(' Default')[0]}"),
    o.RESPONSES.but(help="Only without KEY: a response file.", many=False, attribute="answer"),
    o.NLP,
)


@command(
    _METRIC,
    *_FILES,
    *_CHAINS,
    *_ANSWER,
    _CODE,
    *o.SCORED_PART,
    *s.FILES,
    *rarely(o.JOBS),
    *o.REPORT,
)
def explain(call: Run) -> None:
    """Show how a metric scores a chain or a document, step by step.

    Each key chain K adds to the numerator and denominator of recall, each
    response chain R to both of precision. Their sums over all chains are the
    counts behind `cdec score` and `cdec eval`.

    \b
    # How MUC counts key chain 2 of a document, as in cdec score
    cdec explain key.conll response.conll -m muc --chain 2 --document 4_1ecb
    # How each chain of a document counts in B³
    cdec explain --system lemma --setting simple -m b3 --document 4_1ecb
    # What an error means that --verbose shows with its code
    cdec explain --code input-mismatch
    """
    from cdec.explanation import explain as explained
    from cdec.explanation.page import explanation_page

    if call.code:
        shown = {"code", *(option.name for option in o.REPORT)}
        call.refuse([name for name in call.options if name not in shown], "--code")
        return call.show(_code_page(call.code))
    _check(call)
    experiment = _of_files(call) if call.key else _of_corpus(call)
    (setting,) = experiment.settings
    run = _only(experiment.runs)
    choice = {"chain": call.chain, "document": call.document, "side": call.side}
    explanation = explained(run, setting, call.metric, **choice)
    return call.show(explanation_page(explanation, experiment.results().signature))


def _code_page(name: str) -> Page:
    """Return meaning and cure of a code."""
    import pandas as pd

    from cdec.errors.codes import catalogue
    from cdec.render.page import Page, Section, Text

    code = catalogue()[names.CODES.check(name)]
    data = pd.DataFrame([{"code": code.name, "meaning": code.meaning, "cure": code.cure}])
    section = Section(code.name, "", (Text(code.meaning), Text(code.cure)), data)
    return Page(code.name, (section,))


def _only(runs: Sequence[SystemRun]) -> SystemRun:
    if len(runs) > 1:
        message, hint = f"expected one response, got {len(runs)} runs", "name one run"
        raise UsageError("option-invalid", message, place=runs[0].group, hint=hint)
    return runs[0]


def _of_files(call: Run) -> Experiment:
    from cdec.explanation import prepare_files

    experiment = prepare_files(call.key, call.response, call.metric, call.scope, call.policy())
    call.notify(experiment.notices)
    return experiment


def _of_corpus(call: Run) -> Experiment:
    from cdec.settings import find_setting

    setting = find_setting(call.setting)
    response = call.answer or call.on_mentions(call.make([call.system]))[0]
    return call.experiment([response], [setting], [call.metric])


def _check(call: Run) -> None:
    """Raise UsageError unless the call names a metric, and one response to a file or a corpus."""
    if call.metric is None:
        hint = "add --metric METRIC, such as muc; or --code CODE"
        raise UsageError("argument-missing", "missing --metric", hint=hint)
    if call.key:
        call.refuse(_WITH_CORPUS, "KEY")
        if call.response is None:
            hint = "add the response file"
            raise UsageError("argument-missing", "missing RESPONSE", place=call.key, hint=hint)
        return
    call.require(("scope",), "KEY and RESPONSE", "use --setting with a corpus")
    if call.answer and call.system:
        call.refuse(("answer",), "--system")
    if not (call.answer or call.system):
        hint = "add --system NAME, --response FILE, or KEY and RESPONSE"
        raise UsageError("argument-missing", "no response to explain", hint=hint)
