"""``cdec diagnose``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option, rarely
from cdec.cli.run import Run, command

if TYPE_CHECKING:
    from cdec.diagnosis.candidates import Candidates

_WITHIN = Option(
    "--within",
    "PAIRS|RESPONSE",
    "Also show what decisions on these candidates can score: a file of mention "
    "pairs (columns a and b), a response file or a baseline.",
    reads=o.RESPONSES.reads,
)


@command(
    o.ANSWERS.but(required=False),
    o.DIAGNOSED,
    s.TOP,
    _WITHIN,
    s.STRATA,
    *rarely(o.KEY_PATCH),
    *o.SCORED_PART,
    *s.FILES,
    *rarely(*o.WORK),
    *o.REPORT,
)
def diagnose(call: Run) -> None:
    """Show the errors of a system: links by kind, edits, chain sizes, lemmas, worst chains.

    With several systems, each is also compared with the next one.

    \b
    # One baseline, on the terminal
    cdec diagnose lemma
    # What could be scored by decisions on a list of mention pairs
    cdec diagnose mine.conll --within pairs.csv
    # The links of two systems by what train has, in one picture
    cdec diagnose mine.conll lemma --by seen-lemma -o strata.html
    # Two systems and their differences, as an HTML page
    cdec diagnose mine.conll theirs=other.jsonl -f html -o diagnosis.html
    """
    from cdec.diagnosis.page import diagnosis_page

    experiment = call.experiment(call.named(call.answered), call.setting)
    candidates = _candidates(call, call.within) if call.within else None
    about = (experiment, call.part, call.lemmas(), call.nlp, call.top)
    call.show(diagnosis_page(*about, candidates=candidates, strata=call.strata))


def _candidates(call: Run, within: str) -> Candidates:
    """Return the candidates of --within: pairs in a file, or the links of a response."""
    from cdec.baselines import is_system_name
    from cdec.diagnosis.candidates import Candidates
    from cdec.evaluation.mention_pairs import MentionPairs
    from cdec.evaluation.response import run_on

    if not is_system_name(within) and Path(within).is_file():
        pairs = MentionPairs.read(within, call.part)
        if pairs is not None:
            call.notify(pairs.notices)
            return Candidates.from_pairs(pairs)
    (response,) = call.named([within])
    return Candidates.from_run(run_on(call.part, response, call.policy()))
