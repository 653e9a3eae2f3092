"""The policy for irregular response files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import NamedTuple, Self, TypedDict, Unpack

from cdec.clustering import NOISE
from cdec.errors import one_of
from cdec.formats.fields import check_fields
from cdec.formats.reading import LABELS
from cdec.records import Columns

FIRST = "the first occurrence counts, as in the reference scorer"
BY_HEAD = ("head", "partial")
"""Rules for which the key mentions must have heads."""
ALIGNMENTS = ("exact", "head", "partial", "overlap:0.5")
_CHOICES = {
    "missing": (None, "count", "singletons", "drop"),
    "noise": (None, *NOISE),
    "key_labels": (None, *LABELS),
    "unknown": (None, "error", "drop", "twinless"),
    "repeats": ("first", "conll"),
    "singletons": ("keep", "drop"),
    "zeros": ("linear", "dependent"),
    "blanc": ("key", "both"),
}
# Choices that can move a number → the field of the signature.
SIGNED = {
    "alignment": "match",
    "missing": "missing",
    "noise": "noise",
    "unknown": "unknown",
    "singletons": "own_singletons",
    "zeros": "zeros",
    "columns": "columns",
    "blanc": "blanc",
}


class Rule(NamedTuple):
    """How mentions of key and response are aligned: the kind, and the threshold of ``overlap``."""

    kind: str
    threshold: float = 0.0


class Choices(TypedDict, total=False):
    """The choices of a policy that a verb of Python takes by name, see ``FilePolicy``.

    ``nlp`` is an argument of the verbs that annotate words.
    """

    allow_empty: bool
    missing: str | None
    noise: str | None
    alignment: str
    singletons: str
    zeros: str
    labels: str | Mapping[str, str] | None
    key_labels: str | None
    unknown: str | None
    repeats: str
    blanc: str
    columns: Columns
    lenient: bool


@dataclass(frozen=True)
class FilePolicy:
    """The policy for irregular response files.

    * ``allow_empty``: accept a response without any mention of the key;
    * ``missing``: for key mentions that are missing from the response. ``count``: they are not
      found; ``singletons``: each is a singleton of the response; ``drop``: they leave the key, in
      which a mention is a singleton for a setting if it was one before;
      None: they count as not found, and responses with different documents are not compared;
    * ``noise`` (a key of NOISE): for mentions whose label means no chain, see ``cdec.clustering``;
    * ``singletons``: ``keep``, or, for two files, ``drop``: each side drops its own before mentions
      are aligned;
    * ``alignment`` (exact, head, partial or overlap:X with 0 < X ≤ 1): how response mentions are
      aligned with key mentions, see ``rule``;
    * ``zeros`` of two CoNLL-U files: aligned by their place among the words (``linear``) or first
      by their parents (``dependent``);
    * ``blanc``: a half of BLANC is left out if the key has no such links (``key``, as in the CoNLL
      reference scorer), or if key and response have none (``both``, as in corefud-scorer);
    * ``nlp``: the language pipeline that finds heads in a corpus;
    * ``labels``: where the chain labels of a response hold, ``document`` or ``corpus``: for all
      responses, or a dict name of a response → one of these; ``key_labels``: those of a key file.
      Without them the file decides, or the labels do, see ``cdec.formats.reading``;
    * ``unknown``: for mentions of a response whose id, document or tokens the whole corpus does not
      have. ``error``: they are refused; ``drop``: they are left out; ``twinless``: they count as
      mentions that the response invented. None: ``error`` beside a corpus, ``twinless`` beside a
      key file;
    * ``repeats``: for a mention that a key file has in several chains. ``first``: the first
      occurrence counts; ``conll``: it is in each chain, with the counts of the CoNLL reference
      scorer (v8.01);
    * ``columns``: field → name of the column, or of the field of a record, that holds it in the
      files and frames of the call. At least one of them must have it; it goes before the names
      that ``cdec.formats`` knows.

    * ``lenient``: of the answer of a language model that was cut at its end, what is complete is
      read, and prose answers of pairs are read by one rule (``cdec.pairs.listed``). What cannot be
      read is missing, or unanswered. Without it both are refused; None: a door has no such choice.

    Raises UnknownNameError for an unknown value.

    >>> FilePolicy(alignment="overlap:0.5").rule
    Rule(kind='overlap', threshold=0.5)
    """

    allow_empty: bool = False
    missing: str | None = None
    noise: str | None = None
    alignment: str = "exact"
    singletons: str = "keep"
    zeros: str = "linear"
    blanc: str = "key"
    nlp: str = "hanta"
    labels: str | Mapping[str, str] | None = None
    key_labels: str | None = None
    unknown: str | None = None
    repeats: str = "first"
    columns: Columns = field(default_factory=dict)
    lenient: bool | None = False

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            if (value := getattr(self, name)) not in known:
                one_of(f"value of {name}", value, [one for one in known if one])
        if self.columns:
            check_fields(self.columns)
        for scope in (
            self.labels.values() if isinstance(self.labels, Mapping) else [self.labels]
        ):
            if scope is not None:
                one_of("place of labels", scope, LABELS)
        if self.alignment != "exact":
            _ = self.rule

    def with_choices(self, nlp: str | None = None, **choices: Unpack[Choices]) -> Self:
        """Return the policy with other choices. Raises UnknownNameError for an unknown name.

        >>> FilePolicy(missing="drop").with_choices(noise="singletons").missing
        'drop'
        """
        known = [choice.name for choice in fields(self)]
        for name in choices:
            one_of("argument", name, known)
        policy = replace(self, **choices)
        return policy if nlp is None else replace(policy, nlp=nlp)

    def labels_of(self, response: str) -> str | None:
        """Return where the labels of a response hold; None if the call does not say it.

        >>> FilePolicy(labels={"mine": "document"}).labels_of("mine")
        'document'
        """
        if isinstance(self.labels, Mapping):
            return self.labels.get(response, self.labels.get(""))
        return self.labels

    @cached_property
    def rule(self) -> Rule:
        """The rule of ``alignment``."""
        kind, _, share = str(self.alignment).partition(":")
        if (
            kind == "overlap"
            and share.replace(".", "", 1).isdecimal()
            and 0 < float(share) <= 1
        ):
            return Rule(kind, float(share))
        return Rule(one_of("alignment", self.alignment, ALIGNMENTS))


DEFAULT_POLICY = FilePolicy()
