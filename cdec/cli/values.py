"""Values of options: what is refused at once, what is completed, and which files are named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from cdec.cli.names import KINDS
from cdec.errors import CdecError, UsageError, one_of
from cdec.files.output import PAGES
from cdec.rooms import added, imported

_PARTS = ("train", "dev", "test", "all")
# Endings that name a format; any other ending, such as .txt or .out, fits every format.
_MEANINGFUL = {*PAGES, ".conll", ".jsonl", ".tsv", ".toml", ".svg", ".png", ".pdf"}


def _is_split(text: str) -> bool:
    from cdec.corpus.split_file import split_names
    from cdec.corpus.splits import OFFICIAL

    return text.endswith(".toml") or text in (*split_names(), OFFICIAL)


def split_part(value: str, default: str = "test") -> str:
    """Return ``[SPLIT/]PART``; a split without a part gets the default part."""
    return value if value in _PARTS or not _is_split(value) else f"{value}/{default}"


def whole_split(value: str) -> str | None:
    """Return the split of ``SPLIT`` or ``[SPLIT/]PART``; None means the default of the corpus."""
    from cdec.corpus.split_file import load_split
    from cdec.corpus.splits import OFFICIAL

    if value in _PARTS or _is_split(value):
        return None if value in _PARTS else value
    named, _, part = value.rpartition("/")
    if named != OFFICIAL:
        one_of("part", part, [*load_split(named or value).parts, "all"])
    return named


def split_file(value: str) -> Iterable[Path]:
    """Return the file of ``my.toml/dev`` or ``my.toml``."""
    return [Path(value if value.endswith(".toml") else value.rpartition("/")[0])]


def kind_or_file(value: str) -> str:
    """Return a value of --mentions; raise UnknownNameError if it is neither kind nor file."""
    return value if Path(value).is_file() else KINDS.check(value)


def valid_patch(path: Path) -> Path:
    """Return the path or name of a patch; raise as ``read_patch`` does if it is not valid."""
    from cdec.corpus.claims import read_patch

    read_patch(path)
    return path


def alignment(text: str) -> str:
    """Return the rule of --match; raise UnknownNameError for an unknown one."""
    from cdec.matching.policy import Rule

    Rule.parse(text)
    return text


def response_file(value: str) -> Iterable[Path]:
    """Return the file of ``[NAME=]FILE``; none for the id of a system, or a published one."""
    from cdec.baselines import is_system_name
    from cdec.evaluation.response_forms import ResponseFile, sourced

    if is_system_name(value):
        return []
    source = sourced(value)
    return source.reads if source else [ResponseFile.parse(value).path]


def pair_files(value: str) -> Iterable[Path]:
    """Return both files of ``DATASET=KEY:[SYSTEM=]RESPONSE``; none for another text."""
    if ":" not in value:
        return []
    pair = imported(added("scorer of pairs")["data sets"]).Pair.parse(value)
    return [pair.key, pair.response.path]


def path(value: str) -> Iterable[Path]:
    """Return the value as a path."""
    return [Path(value)]


def writable(path: Path) -> Path:
    """Return the path; raise CdecError if it is a folder, or its folder does not exist."""
    if not path.parent.is_dir():
        message, hint = "the folder does not exist", "create it, or choose another one"
        raise CdecError("file-unwritable", message, place=path.parent, hint=hint)
    if path.is_dir():
        message, hint = "expected a file, got a folder", "name a file in it"
        raise CdecError("file-unwritable", message, place=path, hint=hint)
    return path


def file_of(content: str, *endings: str) -> Callable[[Path], Path]:
    """Return a check of a path to which ``content`` will be written."""

    def check(path: Path) -> Path:
        ending = path.suffix.lower()
        if ending in _MEANINGFUL and ending not in endings:
            hint = f"choose another ending{f', such as {endings[0]}' if endings else ''}"
            raise _mismatch(path, ending, content, hint)
        return writable(path)

    return check


def format_of(
    path: Path | None, requested: str | None, known: Mapping[str, str], default: str, option: str
) -> str:
    """Return the format to write: ``requested``, else by the ending, else ``default``.

    ``known`` maps ending → format. Raises UsageError if the ending belongs to another format.
    """
    ending = path.suffix.lower() if path else ""
    implied = known.get(ending)
    chosen = requested or implied or default
    if implied is None and ending in _MEANINGFUL:
        raise _mismatch(path, ending, chosen, f"choose one of {', '.join(known)}")
    if implied is not None and implied != chosen and not chosen.endswith(f"-{implied}"):
        raise _mismatch(path, ending, chosen, f"choose another ending, or leave out {option}")
    return chosen


def _mismatch(path: object, ending: str, content: str, hint: str) -> UsageError:
    message = f"a file ending in {ending} cannot contain {content}"
    return UsageError("output-ending", message, place=path, hint=hint)
