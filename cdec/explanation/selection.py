"""Which chains a call means: by label, by document, by side."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from cdec.errors import UnknownNameError, UsageError
from cdec.evaluation.response import SystemRun
from cdec.metadocument import SIDES
from cdec.metrics.sheet import Chain, Sheet
from cdec.settings import Setting

# As many meta-documents as a one-line message can name.
_NAMED = 5


@dataclass(frozen=True)
class Selection:
    """What a user asks for: chains of this label, with a mention in this document, on this side.

    ``document`` is a document or a meta-document of the setting; what is None does not restrict,
    but a label or a document is needed. Raises UsageError, UnknownNameError.
    """

    chain: str | None = None
    document: str | None = None
    side: str | None = None

    def __post_init__(self) -> None:
        if self.chain is None and self.document is None:
            raise UsageError("nothing to explain", hint="name a chain (--chain) or a --document")
        if self.side is not None and self.side not in SIDES:
            raise UnknownNameError("side", self.side, SIDES)


def select(
    answer: SystemRun, setting: Setting, sheet: Sheet, choice: Selection
) -> tuple[Chain, ...]:
    """Return the chains of ``sheet`` that are meant, those of the key first.

    ``sheet`` is what ``setting`` makes of ``answer``. Raises UnknownNameError for a name that
    neither side has, UsageError for a chain that the setting leaves out and for a label that
    stands in several meta-documents.
    """
    sides = [side for side in SIDES if choice.side in (None, side)]
    found = [chain for side in sides for chain in sheet.chains(side)]
    if choice.document is not None:
        found = _in_document(answer, setting, sheet, found, choice.document)
    if choice.chain is not None:
        found = [chain for chain in found if chain.label == choice.chain]
        if not found:
            raise _no_chain(answer, setting, choice, choice.chain)
        _refuse_several(found)
    return tuple(found)


def _in_document(
    answer: SystemRun, setting: Setting, sheet: Sheet, chains: list[Chain], document: str
) -> list[Chain]:
    docs = answer.mentions.get("doc", pd.Series(dtype=object))
    if document not in sheet.metas and not (docs == document).any():
        raise UnknownNameError("document", document, dict.fromkeys([*sheet.metas, *docs]))
    inside = set(docs.index[docs == document])
    found = [c for c in chains if c.meta == document or not inside.isdisjoint(c.mentions)]
    if not found:
        raise UsageError(f"under '{setting.name}' there is no such chain in '{document}'")
    return found


def _refuse_several(chains: list[Chain]) -> None:
    for side in SIDES:
        metas = [chain.meta for chain in chains if chain.side == side]
        if len(metas) > 1:
            shown = ", ".join(metas[:_NAMED]) + (", …" if len(metas) > _NAMED else "")
            message = f"chain '{chains[0].label}' is in {len(metas)} meta-documents: {shown}"
            raise UsageError(message, hint="name one with --document")


def _no_chain(answer: SystemRun, setting: Setting, choice: Selection, label: str) -> UsageError:
    """Return the error that says why there is no chain ``label`` to explain."""
    labels = {"key": answer.key.labels, "response": answer.response.labels}
    known = {side: dict.fromkeys(map(str, labels[side])) for side in SIDES}
    having = [side for side in SIDES if label in known[side]]
    if not having:
        return UnknownNameError("chain", label, known["key"] | known["response"])
    if choice.side is not None and choice.side not in having:
        return UsageError(f"'{label}' is a chain of the {having[0]}", hint="leave out --side")
    where = f" in '{choice.document}'" if choice.document else ""
    return UsageError(f"'{setting.name}' leaves no mention of chain '{label}' to score{where}")
