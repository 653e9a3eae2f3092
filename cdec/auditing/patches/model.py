"""A patch: corrections of a key in a separate file; the corpus is never changed.

A patch is JSON: the operations, each with its case and who decided it::

    {"format": "cdec-key-patch/2",
     "about": {"corpus": "ecb+", "digest": "…"},
     "operations": [
      {"case": "0a1b2c3d4e", "kind": "missing-singleton-singleton",
       "merge": ["1_1ecb/20", "1_2ecb/7"],     # the chains of these mentions become one
       "readers": ["ann", "bob"], "agreement": "2 of 2", "reason": "…", "evidence": ["svm"]},
      {"move": ["1_3ecb/4"]},                  # these leave their chain and form a new one
      {"remove": ["1_5ecb/9"]},                # no event: these leave the key
      {"span": {"1_6ecb/2": "14-15"}},         # mention → its tokens in the document
      {"tag": {"1_6ecb/2": "ACTION_STATE"}},   # mention → its tag
      {"add": {"1_7ecb/30": "1_6ecb/2"}}],     # document/tokens → a mention of the same chain
     "places": {"1_1ecb/20": "1_1ecb/34-35"}}  # document and tokens, for keys without ids

All moves are applied before all merges, so the order of the operations does not matter, and a
mention that is moved and merged changes its chain. Operations name mentions, not chains, because
most formats have no label for a singleton. ``about`` also says who decided, when, with how many
votes, and from which list; ``base`` is the digest of the patch that had corrected the key before.
Files of ``cdec-key-patch/1``, which have the operations by kind, without cases, are read, too.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import chain as flat
from pathlib import Path
from typing import Annotated, Any

from pydantic import FailFast, Field

from cdec.auditing.about import About
from cdec.auditing.case import Names, Operation
from cdec.configs import folder
from cdec.errors import FormatError, one_of
from cdec.files.input import FileKind
from cdec.files.models import FileModel, Schema, Texts
from cdec.files.strict_json import read_json

FORMAT = "cdec-key-patch/2"
_HINT = "make one with `cdec audit apply DECISIONS -o PATCH`"
_FOLDER = "patches"
_KIND = FileKind("a key patch", FormatError, "file-invalid", _HINT)
Groups = tuple[tuple[str, ...], ...]
_Lines = Annotated[tuple[Texts, ...], Field(strict=False), FailFast()]


class Correction(Operation):
    """An operation of a patch, and where it comes from.

    ``case`` and ``kind``: the case that it corrects; ``readers``: who judged it; ``agreement``: how
    many of them chose this operation, as in "2 of 3"; ``evidence``: the detectors of the case. A
    field that is not known is empty. Raises as ``Operation`` does.

    >>> Correction(merge=("a", "b"), readers=("ann",)).to_dict()
    {'merge': ['a', 'b'], 'readers': ['ann']}
    """

    case: str = ""
    kind: str = ""
    readers: Texts = ()
    agreement: str = ""
    reason: str = ""
    evidence: Texts = ()
    sparse = (*Operation.sparse, "case", "kind", "readers", "agreement", "reason", "evidence")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object: the case, the operation, then who decided."""
        fields = super().to_dict()
        first = {name: fields.pop(name) for name in ("case", "kind") if name in fields}
        return first | fields


@dataclass(frozen=True)
class Patch:
    """Corrections of the key; ``merge``, ``move``, … have them by kind, each once.

    ``name`` is the file name, for messages and signatures; ``digest`` the SHA-256 of all
    operations, without their cases and readers. Raises FormatError if a mention is moved twice, is
    removed and linked, or has two spans, tags or chains, if a merge has fewer than two mentions,
    and for a correction without an operation.

    >>> len(Patch((Correction(merge=("d1/a", "d2/b")),)).digest)
    64
    """

    operations: tuple[Correction, ...]
    about: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    name: str = "patch"

    @cached_property
    def merge(self) -> Groups:
        """The groups of mentions whose chains become one."""
        return tuple(dict.fromkeys(op.merge for op in self.operations if op.merge))

    @cached_property
    def move(self) -> Groups:
        """The groups of mentions that leave their chain."""
        return tuple(dict.fromkeys(op.move for op in self.operations if op.move))

    @cached_property
    def remove(self) -> tuple[str, ...]:
        """The mentions that are no events."""
        return tuple(dict.fromkeys(flat.from_iterable(op.remove for op in self.operations)))

    @cached_property
    def span(self) -> Mapping[str, str]:
        """Mention → its tokens."""
        return self._united("span")

    @cached_property
    def tag(self) -> Mapping[str, str]:
        """Mention → its tag."""
        return self._united("tag")

    @cached_property
    def add(self) -> Mapping[str, str]:
        """The place of a missing mention → a mention of its chain."""
        return self._united("add")

    def _united(self, name: str) -> dict[str, str]:
        """Return the mappings of all operations as one; raise FormatError for two values."""
        united: dict[str, str] = {}
        for mention, value in flat.from_iterable(getattr(o, name).items() for o in self.operations):
            if united.setdefault(mention, value) != value:
                message = f"two values of {name} for '{mention}': {united[mention]}, {value}"
                raise contradiction(message, self.name)
        return united

    def __post_init__(self) -> None:
        moved = Counter(flat.from_iterable(self.move))
        for mention, count in moved.items():
            if count > 1:
                raise contradiction(f"mention '{mention}' is moved twice", self.name)
        short = [op for op in self.operations if not op.mentions or len({*op.merge}) == 1]
        if short:
            message = f"a merge needs at least two mentions, any other one: {short[0].to_dict()}"
            hint = "complete or delete this operation"
            raise FormatError("file-invalid", message, place=self.name, hint=hint)
        by_mention = (self.span, self.tag, self.add)  # two values of one are refused here
        used = {*flat.from_iterable((*self.merge, *self.move)), *by_mention[-1].values()}
        for mention in self.remove:
            if mention in used:
                message = f"mention '{mention}' is removed, and another operation links it"
                raise contradiction(message, self.name)

    @property
    def digest(self) -> str:
        """SHA-256 of all operations; their order and that of their mentions does not matter."""
        lines: list[Any] = [sorted(map(sorted, groups)) for groups in (self.merge, self.move)]
        if self.edits:
            named = (sorted(values.items()) for values in (self.span, self.tag, self.add))
            lines += [sorted(self.remove), *named]
        return sha256(json.dumps(lines).encode()).hexdigest()

    @property
    def edits(self) -> int:
        """The number of operations that change mentions, not only chains."""
        return sum(map(len, (self.remove, self.span, self.tag, self.add)))

    @property
    def mentions(self) -> set[str]:
        """All mentions in merges and moves."""
        return set(flat.from_iterable((*self.merge, *self.move)))

    def to_json(self) -> str:
        """Return the text of the file."""
        operations = [operation.to_dict() for operation in self.operations]
        content = {"format": FORMAT, "about": dict(self.about), "operations": operations}
        return json.dumps(content | {"places": dict(self.places)}, indent=1) + "\n"


class _File(FileModel):
    operations: Annotated[tuple[Correction, ...], Field(strict=False), FailFast()]
    about: About = Field(default_factory=dict)
    places: dict[str, str] = Field(default_factory=dict)


class _First(FileModel):
    """A file of the first version: the operations by kind, without cases and readers."""

    merge: _Lines
    move: _Lines
    about: About = Field(default_factory=dict)
    places: dict[str, str] = Field(default_factory=dict)
    remove: Texts = ()
    span: Annotated[Names, Field(default_factory=dict)]
    tag: Annotated[Names, Field(default_factory=dict)]
    add: Annotated[Names, Field(default_factory=dict)]

    @property
    def operations(self) -> tuple[Correction, ...]:
        """Each merge, move and change of a mention as an operation."""
        each: list[object] = [{n: g} for n in ("merge", "move") for g in getattr(self, n)]
        each += [{"remove": (mention,)} for mention in self.remove]
        each += [{n: {m: v}} for n in ("span", "tag", "add") for m, v in getattr(self, n).items()]
        return tuple(map(Correction.model_validate, each))


_SCHEMA, _FIRST = Schema(_KIND, _File, FORMAT), Schema(_KIND, _First, "cdec-key-patch/1")


def read_patch(choice: str | Path) -> Patch:
    """Return the patch of a file, or the patch of cdec with this name (``shipped``).

    Raises FormatError as ``Patch`` does, and for a missing or invalid file; UnknownNameError for
    an unknown name.

    >>> read_patch("ecbplus-duplicates").about["corpus"]
    'ecb+'
    """
    path, name = Path(choice), str(choice).removesuffix(".json")
    is_name = name == path.name.removesuffix(".json") and (name in shipped() or not path.suffix)
    if is_name and not path.exists():
        path = folder(_FOLDER) / f"{one_of('key patch', name, shipped())}.json"
    content = read_json(path, _KIND)
    first = isinstance(content, dict) and content.get("format") == _FIRST.format
    file: _File | _First = (_FIRST if first else _SCHEMA).check(content, path)
    if isinstance(file, _First) and len(set(file.move)) < len(file.move):
        again = next(group for group in file.move if file.move.count(group) > 1)
        raise contradiction(f"mention '{again[0]}' is moved twice", path)
    try:
        return Patch(file.operations, file.about, file.places, path.name)
    except FormatError as error:  # its place is the file name, not the path
        raise error.at(path) from None


def is_patch(choice: Path) -> bool:
    """Return whether a path is a patch, or the name of one of cdec; not a file of decisions."""
    if not choice.exists():
        return str(choice) in shipped()
    content = read_json(choice, _KIND) if choice.suffix.lower() == ".json" else None
    formats = (_FIRST.format, _SCHEMA.format)
    return isinstance(content, dict) and content.get("format") in formats


def shipped() -> tuple[str, ...]:
    """Return the names of the patches of cdec."""
    return tuple(sorted(file.stem for file in folder(_FOLDER).glob("*.json")))


def contradiction(message: str, place: object = None) -> FormatError:
    """Return the error for decisions, or operations of a patch, that exclude each other."""
    hint = "correct the decisions on these cases and run `cdec audit apply` again"
    return FormatError("patch-contradictory", f"contradictory: {message}", place=place, hint=hint)
