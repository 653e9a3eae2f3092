"""Select chains by label, document and side; compute what they, and all, contribute to a metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from cdec.errors import UnknownNameError, UsageError
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.pair import prepare_pair
from cdec.evaluation.response import SystemRun
from cdec.explanation.variants import variants
from cdec.formats import Annotation, read
from cdec.matching.policy import FilePolicy
from cdec.matching.view import by_block, by_document
from cdec.metadocument import SIDES, Side
from cdec.metrics import METRICS, REGISTRY, Counts, Value, derive, measure, required
from cdec.metrics.contribution import Contribution, Share
from cdec.metrics.registry import attributes, counted
from cdec.metrics.sheet import Chain, Sheet
from cdec.settings import Setting


@dataclass(frozen=True, eq=False)
class Explanation:
    """The contributions of the ``chosen`` chains, and of all chains, to ``metric``.

    ``parts`` is ``metric`` itself, or the metrics of which it is the mean. ``chosen`` are the
    chains selected by ``choice``.
    """

    run: SystemRun
    setting: Setting
    metric: str
    parts: tuple[str, ...]
    sheet: Sheet
    choice: Selection
    chosen: tuple[Chain, ...]

    def of(self, part: str, chain: Chain) -> Contribution:
        """Return the contribution of ``chain`` to the metric ``part``."""
        return counted(part).contribution(chain, self.sheet)

    def chosen_share(self, part: str, side: Side) -> Share:
        """Return the sum over the chosen chains of ``side``."""
        return Share.sum(self.of(part, chain).share for chain in self.chosen if chain.side == side)

    @cached_property
    def totals(self) -> dict[tuple[str, Side], Share]:
        """(metric, side) → the sum over all chains of the side."""
        return {
            (part, side): Share.sum(self.of(part, chain).share for chain in self.sheet.chains(side))
            for part in self.parts
            for side in SIDES
        }

    @cached_property
    def counts(self) -> dict[str, Counts]:
        """Metric → counts, summed over all chains."""
        return {p: counts_of(*(self.totals[p, side] for side in SIDES)) for p in self.parts}

    @cached_property
    def values(self) -> Mapping[str, Value]:
        """Metric → precision, recall and F1, for all metrics that ``counts`` determines."""
        return derive(self.counts) | derive(self.counts, [self.metric])

    @cached_property
    def manipulated(self) -> Mapping[str, Counts]:
        """Variant → counts with mention manipulation; none without twinless or missing mentions."""
        key, response = (set(side.labels.index) for side in (self.run.key, self.run.response))
        if key == response or self.metric not in METRICS:
            return {}
        return variants(METRICS[self.metric], self.run.meta_documents(self.setting))

    def left_out(self, chain: Chain) -> int:
        """Return the number of mentions with this label that the setting puts elsewhere.

        Return 0 if labels are local to a document.
        """
        if self.setting.scope == "document":
            return 0
        side = self.run.key if chain.side == "key" else self.run.response
        return int((side.labels.astype(str) == chain.label).sum()) - chain.size

    @cached_property
    def is_part_of_many(self) -> bool:
        """Whether the chosen chains are all those of one of several meta-documents."""
        same = [
            c for c in (*self.sheet.key, *self.sheet.response) if c.meta == self.choice.document
        ]
        return len(self.sheet.metas) > 1 and set(same) == set(self.chosen)


def explain(
    run: SystemRun,
    setting: Setting,
    metric: str,
    *,
    chain: str | None = None,
    document: str | None = None,
    side: str | None = None,
) -> Explanation:
    """Return the contributions of a chain, or of the chains with a mention in a document.

    ``metric`` is an id of ``cdec.metrics.REGISTRY``; ``side`` restricts the chains to ``key`` or
    ``response``. Raises UnknownNameError and UsageError as ``select`` does, and UsageError for a
    plug-in metric that is not a sum over chains.
    """
    metric = REGISTRY.require(metric)
    parts = tuple(required([metric]))
    sheet = Sheet.from_meta_documents(run.meta_documents(setting), attributes(parts))
    choice = Selection(chain, document, side)
    chosen = select(run, setting, sheet, choice)
    explanation = Explanation(run, setting, metric, parts, sheet, choice, chosen)
    _check_sums(explanation)
    return explanation


def _check_sums(explanation: Explanation) -> None:
    """Raise UsageError if the contributions of single chains do not add up to the metric."""
    alone = [part for part in explanation.parts if counted(part).terms is None]
    if not alone:
        return
    for part, counts in measure(explanation.sheet.table, alone).items():
        sums = astuple(explanation.counts[part])
        if not np.allclose(sums, astuple(counts)):
            raise UsageError(
                "metric-unsupported",
                f"'{part}' cannot be explained: it is not the sum of the contributions of chains",
                hint="define the metric by its terms",
            )


def counts_of(recall: Share, precision: Share) -> Counts:
    """Return Counts from the shares of recall and precision."""
    return Counts(
        p_num=float(precision.numerator),
        p_den=float(precision.denominator),
        r_num=float(recall.numerator),
        r_den=float(recall.denominator),
    )


def prepare_files(
    key: Path, response: str | Path, metric: str, scope: str, policy: FilePolicy
) -> Experiment:
    """Return the experiment of two files whose mentions have the words of the key file.

    Raises as ``prepare_pair`` does.
    """
    experiment = prepare_pair(
        key, response, scope=scope, metrics=[metric], scorer="cdec", policy=policy
    )
    (run,) = experiment.runs
    mentions = with_texts(run.mentions, read(key, unlabelled=True))
    return replace(experiment, runs=(replace(run, mentions=mentions),))


def with_texts(mentions: pd.DataFrame, key: Annotation) -> pd.DataFrame:
    """Return the mentions with a column ``text``, '' if the key file has no text.

    ``mentions`` are those of ``match_files``: token numbers count within documents, or within
    blocks if two CoNLL files were compared by block.
    """
    view = by_document(key)
    if not mentions["doc"].isin(list(view.texts)).all():
        view = by_block(key)
    columns = (mentions[name] for name in ("doc", "start", "end", "tokens"))
    texts = [
        _text(view.texts[doc], start, tokens or range(start, end + 1))
        for doc, start, end, tokens in zip(*columns, strict=True)
    ]
    return mentions.assign(text=pd.Series(texts, index=mentions.index, dtype=object))


def _text(words: tuple[str, ...] | None, start: int, tokens: range | tuple[int, ...]) -> str:
    # start is −1 if the file has only the id of the mention.
    return " ".join(words[k] for k in tokens) if words is not None and start >= 0 else ""


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
            raise UsageError("argument-missing", message, hint="name a chain or a document")
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
            raise UsageError("chain-ambiguous", message, hint="name a document")


def _no_chain(run: SystemRun, setting: Setting, choice: Selection, label: str) -> UsageError:
    """Return the error for a label without a chain in the sheet."""
    labels = {"key": run.key.labels, "response": run.response.labels}
    known = {side: dict.fromkeys(map(str, labels[side])) for side in SIDES}
    sides = [side for side in SIDES if label in known[side]]
    if not sides:
        return UnknownNameError("chain", label, known["key"] | known["response"])
    if choice.side is not None and choice.side not in sides:
        message = f"chain '{label}' is in the {sides[0]} only"
        return UsageError("chain-excluded", message, hint=f"choose the side {sides[0]}, or none")
    where = f" in document '{choice.document}'" if choice.document else ""
    message = f"chain '{label}' has no mention{where} that setting '{setting.name}' scores"
    return UsageError("chain-excluded", message, hint=_OTHER_SETTING)
