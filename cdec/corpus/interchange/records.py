"""The records of the interchange format, one JSON object per line.

``configs/schemas/corpus.schema.json`` is the JSON Schema of these models; ``docs/interchange.md``
describes the format.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, TypeAdapter, model_validator

from cdec.corpus.model import ANNOTATED, ATTRIBUTES, CORE, LEVELS, Text, Treatment
from cdec.files.models import FileModel, Filled, Texts, complaint, one_of, shown

FORMAT = "cdec-corpus/1"
HEAD = "head"  # the attribute of a mention: index of the token that is its syntactic head
LARGEST_INDEX = 10**9  # of a token; larger numbers are probably not indices
# Attributes of a document with a field of their own in its record.
DOCUMENT_FIELDS = ("date", "language", "url", "part")
# Attributes of a mention with a field of their own; further names are those of its core columns.
MENTION_FIELDS = ("tag", HEAD)
# Whether a mention is reviewed follows from the sentences of its document.
_TAKEN = {*CORE, *MENTION_FIELDS, "mention", "id", "reviewed"}
_TEXTS = {name for name in ATTRIBUTES if name not in _TAKEN}
_SCALARS = (str, int, float, bool)

Index = Annotated[int, Field(ge=0, le=LARGEST_INDEX)]
Indices = Annotated[tuple[Index, ...], Field(strict=False)]
Sentence = Annotated[tuple[str, ...], Field(strict=False)]


def _mention_attributes(values: dict[str, Any]) -> dict[str, Any]:
    for name, value in values.items():
        if not name.strip() or name in _TAKEN:
            raise complaint(f"has the name '{name}', which is not available for an attribute")
        if name in _TEXTS and type(value) is not str:
            raise complaint(f"has {name} {shown(value)}, not a string")
        items = value if type(value) is list else [value]
        if not all(item is None or type(item) in _SCALARS for item in items):
            raise complaint(f"has {name} {shown(value)}, not a string, number or list of these")
    return values


def _document_attributes(values: dict[str, str]) -> dict[str, str]:
    taken = next((name for name in values if not name.strip() or name in DOCUMENT_FIELDS), None)
    if taken is not None:
        raise complaint(f"has the name '{taken}', which is not available for an attribute")
    return values


class CorpusRecord(FileModel):
    """The first record: what is true of the whole corpus."""

    record: Literal["corpus"]
    name: Filled = Field(description="Name of the corpus.")
    version: str = Field("", description="Version of the corpus.")
    licence: str = Field("", description="Licence of the corpus.")
    citation: str = Field("", description="The publication to cite.")
    address: str = Field("", description="Where to get the corpus.")
    levels: dict[Annotated[str, one_of(LEVELS)], Filled] | None = Field(
        None,
        description="Levels above the document (topic, subtopic) and their names in the corpus. "
        "Default: those of which a document has a value.",
    )
    linked_within: Annotated[str, one_of(("", *LEVELS))] = Field(
        "",
        description="The level inside which annotators linked mentions. Default: no limit known.",
    )
    variants: dict[Filled, dict[Filled, Treatment]] = Field(
        {},
        description="Readings of the key: name → state of a mention → keep, single, join or drop.",
    )
    splits: Texts = Field((), description="Names of splits of cdec; the first is the default.")
    text: Text = Field(
        "full", description="full, contexts (around mentions only) or none (tokens are masked)."
    )
    argument_kinds: dict[str, Filled] = Field(
        {}, description="Prefix of the tag of a mention → kind of argument."
    )


class DocumentRecord(FileModel):
    """A document: its tokens by sentence, or the lengths of its sentences."""

    record: Literal["document"]
    id: Filled = Field(description="Unique in the corpus.")
    topic: str = Field("", description="Topic, if the corpus has topics.")
    subtopic: str = Field("", description="Sub-topic, if the corpus has sub-topics.")
    sentences: Annotated[tuple[Sentence, ...], Field(strict=False)] | None = Field(
        None, description="The tokens of each sentence."
    )
    lengths: Indices | None = Field(
        None, description="Instead of sentences: the number of tokens of each sentence."
    )
    text_start: Index = Field(0, description="Number of the first sentence of text, from 0.")
    reviewed: Indices = Field(
        (), description="Numbers of the sentences whose mentions were annotated completely."
    )
    date: str = Field("", description="Date of publication.")
    language: str = Field("", description="Language, as in en.")
    url: str = Field("", description="Address of the document.")
    part: str = Field("", description="Part of the official split, as in test.")
    attributes: Annotated[dict[str, str], AfterValidator(_document_attributes)] = Field(
        {}, description="Further facts."
    )

    @model_validator(mode="after")
    def _one_text(self) -> DocumentRecord:
        if (self.sentences is None) == (self.lengths is None):
            raise complaint("must have either 'sentences' or 'lengths'")
        return self

    @property
    def facts(self) -> dict[str, str]:
        """The attributes of the document, those with a field of their own first."""
        named = {name: getattr(self, name) for name in DOCUMENT_FIELDS}
        return {name: value for name, value in named.items() if value} | self.attributes


class MentionRecord(FileModel):
    """A mention of a document that has a record in the same file."""

    record: Literal["mention"]
    id: Filled = Field(description="Unique in the document; 'a/7' and '7' are one id in document a")
    doc: Filled = Field(description="Id of the document.")
    tokens: Annotated[tuple[Index, ...], Field(strict=False, min_length=1)] = Field(
        description="Indices of all tokens of the mention in the document, from 0."
    )
    chain: Filled | None = Field(
        None, description="Label of the chain. Default: the mention is a chain of its own."
    )
    kind: Literal["event", "entity"] = Field("event", description="event or entity.")
    tag: str = Field("", description="Tag of the mention in the source.")
    head: Index | None = Field(None, description="Index of the token that is the head.")
    state: Filled = Field(
        ANNOTATED, description="A state that a variant of the key treats differently."
    )
    attributes: Annotated[dict[str, Any], AfterValidator(_mention_attributes)] = Field(
        {}, description="Further facts: strings, numbers, true, false, or lists of these."
    )


Record = CorpusRecord | DocumentRecord | MentionRecord


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a line."""
    line: TypeAdapter[Any] = TypeAdapter(Annotated[Record, Field(discriminator="record")])
    schema = line.json_schema()
    # The field is not in the model: it is checked before, so that a newer version is named.
    corpus = schema["$defs"]["CorpusRecord"]
    about = {"const": FORMAT, "description": "Name and version of this format.", "type": "string"}
    corpus["properties"] = {"format": about, **corpus["properties"]}
    corpus["required"] = ["format", *corpus["required"]]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a corpus in the interchange format of cdec",
        **schema,
    }
