"""``cdec reproduce``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdec.cli import options as o
from cdec.cli.names import Names
from cdec.cli.option import Option
from cdec.cli.run import Run, command

if TYPE_CHECKING:
    pass

_ALL, _FIGURE = "all", "figure3"
_ARTEFACTS = Names("artefact", "cdec.reproduction.page", "ARTEFACTS", (_ALL,))
_WHAT = Option(
    "what",
    "[WHAT]...",
    "table1, table2, table3, figure3, or all (the default).",
    many=True,
    choices=_ARTEFACTS,
)
_DECOMPOSED = "Decompose the scores of this system in Table 2, by id"


@command(
    _WHAT,
    o.SYSTEMS.but(
        help=o.SYSTEMS.help.replace("A baseline, by id", _DECOMPOSED).partition(" Default")[0]
    ),
    o.RESPONSES.but(
        words="--response",
        help="Decompose this response file in Table 2, and show it next to the baselines.",
    ),
    o.KEY_PATCH,
    *o.WHOLE_CORPUS,
    *o.WORK,
    *o.REPORT,
)
def reproduce(call: Run) -> None:
    """Recompute the tables and the figure of the paper, with the published values and notes.

    \b
    # All of them, as one page
    cdec reproduce all --format html -o reproduction.html
    # Table 2 for your system
    cdec reproduce table2 --response mine.conll
    # The worked example of Figure 3, which needs no corpus
    cdec reproduce figure3
    """
    from cdec.reproduction.material import prepare_request
    from cdec.reproduction.page import figure3_page, reproduction_page

    names = _known(call.what)
    if names == [_FIGURE]:
        return call.show(figure3_page())
    own = {"systems": call.system or [], "responses": call.response or []}
    request = prepare_request(call.whole, names, call.make, **own)
    call.notify(request.material.notices)
    return call.show(reproduction_page(request, names))


def _known(names: list[str] | None) -> list[str]:
    names = names or [_ALL]
    for name in names:
        _ARTEFACTS.check(name)
    every = [name for name in _ARTEFACTS.known() if name != _ALL]
    return every if _ALL in names else list(dict.fromkeys(names))
