"""The declaration of a response: what its system used, was trained on, and what the run took.

A response file may begin with one JSON object, on its first line that is not blank:

* CoNLL, CSV, TSV: a comment, ``# cdec: {"uses": {"mentions": "gold"}, "seed": 3}``;
* JSON Lines: a first record, ``{"cdec": {"uses": {"mentions": "gold"}, "seed": 3}}``;

``uses`` says for mentions, sentences, topics, pairs and singletons whether the system used those of
the gold annotation, predicted them, or did without; ``trained_on`` and ``tuned_on`` name data,
``seed`` the run; the fields of ``RunDeclaration`` say what the run took. The files of a leaderboard
have the same classes.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from cdec.errors import ScoringError
from cdec.files.models import FileModel, Filled, complaint
from cdec.matching.alignment import Alignment
from cdec.records import Fields, Row
from cdec.settings.setting import key_singletons

T = TypeVar("T")
Several = Annotated[tuple[T, ...], Field(strict=False)]  # TOML has lists only
Use = Literal["gold", "predicted", "none"]
SawTest = Literal["yes", "no", "unknown"]


def _as_text(value: object) -> object:
    return value.isoformat() if type(value) is date else value


def _day(text: str) -> str:
    return date.fromisoformat(text).isoformat()


def refuse_unprintable(text: str) -> str:
    """Return a text that is one line; refuse one with line ends, escapes or signs of direction."""
    if not text.isprintable():
        raise complaint("has characters that cannot be printed, such as a line end")
    return text


Text = Annotated[Filled, Field(max_length=200), AfterValidator(refuse_unprintable)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_CONTRARY = {
    "mentions": "mentions not in the key",
    "sentences": "mentions outside the annotated sentences",
    "singletons": "singletons of the key in chains of two or more mentions",
    "topics": "chains over two topics",
}
"""What contradicts the declaration that gold information was used."""
_Count = Annotated[int, Field(ge=0, le=10**15)]
_Amount = Annotated[float, Field(ge=0, le=1e12)]


class Uses(FileModel):
    """The gold information that a system uses."""

    mentions: Use | None = None
    sentences: Use | None = None
    topics: Use | None = None
    pairs: Use | None = None
    singletons: Use | None = None


class Training(FileModel):
    """What a system uses, and the data that it was trained and tuned on."""

    uses: Uses = Uses()
    trained_on: Text | None = None
    tuned_on: Text | None = None


class RunDeclaration(FileModel):
    """What is declared of the run that made a response, above all one of a language model.

    ``model`` is the name of a language model, or "none"; ``prompt_digest`` the SHA-256 of the
    prompt's text, ``calls`` the number of requests. ``tokens`` is given where those read and
    written are not known apart. ``saw_test`` says whether the model was trained on the test data or
    their key, ``infrastructure`` what it ran on.
    """

    model: Text | None = None
    prompt_digest: Digest | None = None
    temperature: _Amount | None = None
    date: Annotated[str, BeforeValidator(_as_text), AfterValidator(_day)] | None = None
    calls: _Count | None = None
    tokens: _Count | None = None
    tokens_in: _Count | None = None
    tokens_out: _Count | None = None
    seconds: _Amount | None = None
    cost: _Amount | None = None
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] | None = None
    infrastructure: Text | None = None
    saw_test: SawTest | None = None

    @model_validator(mode="after")
    def _is_consistent(self) -> RunDeclaration:
        self.refuse_contradictions()
        return self

    def refuse_contradictions(self) -> None:
        """Refuse fields that contradict each other."""
        if (self.cost is None) != (self.currency is None):
            raise complaint(
                "has only one of 'cost' and 'currency', as in cost 1.5, currency USD"
            )
        if self.tokens is not None and (self.tokens_in, self.tokens_out) != (
            None,
            None,
        ):
            raise complaint("has 'tokens' beside 'tokens_in' or 'tokens_out'")


class Declaration(RunDeclaration, Training):
    """What a response file declares.

    >>> Declaration(model="gpt-4", calls=12, saw_test="unknown").declared()
    {'model': 'gpt-4', 'calls': 12, 'saw_test': 'unknown'}
    """

    seed: int | None = None

    def declared(self) -> Row:
        """Return the values by name, in a fixed order; those of ``uses`` by their own names."""
        fields: Row = self.model_dump(exclude_none=True)
        return {**fields.pop("uses"), **fields}


def check_declared(declared: Fields, alignment: Alignment, place: object) -> None:
    """Raise ScoringError if the response contradicts a declaration of gold information.

    Gold pairs, and predicted information, cannot be contradicted by the file.
    """
    gold = [name for name, value in declared.items() if value == "gold"]
    if not gold:
        return
    table = alignment.mentions[alignment.mentions["response"].notna()]
    is_linked = table["response"].duplicated(keep=False)
    is_singleton_of_key = key_singletons(alignment.mentions)[table.index]
    topics = table.get("topic", table["response"])
    topics_of_chain = topics.groupby(table["response"]).nunique()
    counts = {
        "mentions": table["key"].isna().sum(),
        "sentences": sum(
            notice.count
            for notice in alignment.notices
            if notice.code == "outside-region"
        ),
        "singletons": (is_singleton_of_key & is_linked).sum(),
        "topics": (topics_of_chain > 1).sum(),
    }
    for name in gold:
        count = counts.get(name, 0)
        if count:
            raise ScoringError(
                "declaration-invalid",
                f"the file declares gold {name}, but has {count:,} {_CONTRARY[name]}",
                place=place,
                hint="correct the declaration, or the file",
            )
