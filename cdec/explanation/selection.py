"""Select chains by label, document and side."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from cdec.errors import UnknownNameError, UsageError
from cdec.evaluation.response import SystemRun
from cdec.metadocument import SIDES
from cdec.metrics.sheet import Chain, Sheet
from cdec.settings import Setting

_OTHER_SETTING = "choose another chain, document or setting"
_NAMED = 5  # meta-documents listed in a message


@dataclass(frozen=True)
class Selection:
    """Criteria: chain label, a document with a mention of the chain, side.

    ``document`` is a document or a meta-document of the setting. None does not restrict, but
    ``chain`` or ``document`` is required. Raises UsageError and UnknownNameError.
    """

    chain: str | None = None
    document: str | None = None
    side: str | None = None

    def __post_init__(self) -> None:
        if self.chain is None and self.document is None:
            message = "neither a chain nor a document is selected"
            raise UsageError("argument-missing", message, hint="add --chain or --document")
        if self.side is not None and self.side not in SIDES:
            raise UnknownNameError("side", self.side, SIDES)


def select(run: SystemRun, setting: Setting, sheet: Sheet, choice: Selection) -> tuple[Chain, ...]:
    """Return the selected chains of ``sheet``, those of the key first.

    ``sheet`` has the chains of ``run`` under ``setting``. Raises UnknownNameError for an unknown
    chain or document, UsageError for a chain that the setting leaves out and for a label in
    several meta-documents.
    """
    sides = [side for side in SIDES if choice.side in (None, side)]
    chains = [chain for side in sides for chain in sheet.chains(side)]
    if choice.document is not None:
        chains = _in_document(run, setting, sheet, chains, choice.document)
    if choice.chain is not None:
        chains = [chain for chain in chains if chain.label == choice.chain]
        if not chains:
            raise _no_chain(run, setting, choice, choice.chain)
        _refuse_several(chains)
    return tuple(chains)


def _in_document(
    run: SystemRun, setting: Setting, sheet: Sheet, chains: list[Chain], document: str
) -> list[Chain]:
    docs = run.mentions.get("doc", pd.Series(dtype=object))
    if document not in sheet.metas and not (docs == document).any():
        raise UnknownNameError("document", document, dict.fromkeys([*sheet.metas, *docs]))
    inside = set(docs.index[docs == document])
    selected = [c for c in chains if c.meta == document or not inside.isdisjoint(c.mentions)]
    if not selected:
        message = f"document '{document}' has no chain that setting '{setting.name}' scores"
        raise UsageError("chain-excluded", message, hint=_OTHER_SETTING)
    return selected


def _refuse_several(chains: list[Chain]) -> None:
    for side in SIDES:
        metas = [chain.meta for chain in chains if chain.side == side]
        if len(metas) > 1:
            shown = ", ".join(metas[:_NAMED]) + (", …" if len(metas) > _NAMED else "")
            message = f"chain '{chains[0].label}' is in {len(metas)} meta-documents: {shown}"
            raise UsageError("chain-ambiguous", message, hint="choose one with --document")


def _no_chain(run: SystemRun, setting: Setting, choice: Selection, label: str) -> UsageError:
    """Return the error for a label without a chain in the sheet."""
    labels = {"key": run.key.labels, "response": run.response.labels}
    known = {side: dict.fromkeys(map(str, labels[side])) for side in SIDES}
    sides = [side for side in SIDES if label in known[side]]
    if not sides:
        return UnknownNameError("chain", label, known["key"] | known["response"])
    if choice.side is not None and choice.side not in sides:
        message = f"chain '{label}' is in the {sides[0]} only"
        return UsageError("chain-excluded", message, hint=f"use --side {sides[0]}, or omit --side")
    where = f" in document '{choice.document}'" if choice.document else ""
    message = f"chain '{label}' has no mention{where} that setting '{setting.name}' scores"
    return UsageError("chain-excluded", message, hint=_OTHER_SETTING)
