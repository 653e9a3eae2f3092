"""The rows of a table in CSV, TSV or JSON, and the names of the fields of a mention in them.

A mention of uCDCR has ``tokens_number`` and ``sent_id``: its tokens count in the sentence, and its
document is ``doc``, because ``doc_id`` is not unique. A mention of WEC has the first name only: its
tokens count in the paragraph ``mention_context``, so that its id identifies it.

A mention of Cattan et al. has its words as ``tokens`` and their numbers as ``tokens_ids``.
``words``, ``text`` and similar fields (``reading.WORDS_FIELDS``) have the words of the mention.
``id`` is the id of a mention that has no place otherwise.

A name can state its side, before or behind the name of the chain: ``predicted_cluster`` and
``cluster_pred`` are the chain of a response, ``gold_cluster`` is that of a key. A file with two
names of the chain, one of which states its side, is a key and a response (``chains_by_side``).

A caller can say which column is which field (``columns``); that goes before all other names. A name
that looks like a position or a chain and is none of these is unknown: a file that has no chain or
no place without it is refused, others have a notice.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from json import JSONDecodeError
from typing import Any, TypeGuard

import numpy as np

from cdec.configs import read_toml
from cdec.errors import (
    FormatError,
    Notice,
    UsageError,
    counted,
    one_of,
    spelled,
    warn_of,
)
from cdec.files.input import TextFile
from cdec.files.strict_json import parse, parse_at, parse_lines
from cdec.formats.reading import WORDS_FIELDS, words_field
from cdec.records import Columns, Fields, Row

# Names of fields in the tables of documents, of topics and of mentions.
_NAMES = read_toml("fields.toml")
ALIASES: Mapping[str, Sequence[str]] = _NAMES["names"]
DOCUMENT = ALIASES["doc"]
LEVEL_NAMES: Mapping[str, Sequence[str]] = _NAMES["levels"]
PAIR: Sequence[Sequence[str]] = _NAMES["pairs"]["mentions"]
"""The names of the two mentions of a pair, in lists of pairs."""
COLUMNS = ("doc", "start", "end", "tokens", "chain", "mention", "m_id", "sentence")
"""The fields of a mention for which a caller can name the column."""
_SIDES = _NAMES["sides"]
_SKIPPED = _NAMES["skipped"]["names"]
# Words of a name that may be one of a position, or of a chain.
_AS_PLACE = re.compile(
    r"(?:^|_)(?:start|begin|end|offset|sent|sentence|span|token|position|char)"
    r"(?:s|num|number|id|ids|index|idx|char|offset|offsets)?(?=_|$)"
)
_AS_CHAIN = re.compile(
    r"(?:^|_)(?:coref|(?:cluster|chain|label)(?:s|id|ids)?|predicted|pred)(?=_|$)"
)
_AT_ONCE = 1000  # lines of JSON that are parsed together
_FEWEST = 2  # rows that show the pattern of a column
_LONG_PATTERN = (
    4  # signs of fields of one length: shorter ones are numbers that happen to be
)
NEEDED = (
    "a mention needs 'chain' and one of doc+start+end, doc+tokens, mention, doc+m_id"
)
_CANONICAL = {alias: field for field, aliases in ALIASES.items() for alias in aliases}
_UCDCR: Mapping[str, str] = _NAMES["ucdcr"]
_CATTAN: Mapping[str, str] = _NAMES["cattan"]
_FIELDS = {*_CANONICAL, *_UCDCR, *_CATTAN, *WORDS_FIELDS, "id", *PAIR[0], *PAIR[1]}


def normal(name: str) -> str:
    """Return a name in lower case, with ``_`` between its words.

    >>> normal("Doc-ID"), normal("startToken")
    ('doc_id', 'start_token')
    """
    divided = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    return divided.casefold().replace("-", "_").replace(" ", "_")


def side_of(name: str) -> tuple[str, str]:
    """Return the side that a name states (gold, predicted or ''), and the name without it.

    >>> side_of("predicted_coref_chain"), side_of("clusterGold"), side_of("cluster")
    (('predicted', 'coref_chain'), ('gold', 'cluster'), ('', 'cluster'))
    """
    plain = normal(name)
    first, _, after_first = plain.partition("_")
    before_last, _, last = plain.rpartition("_")
    for word, base in ((first, after_first), (last, before_last)):
        for side in ("gold", "predicted"):
            if word in _SIDES[side]:
                return side, base
    return "", plain


def chains_by_side(
    names: Iterable[str], is_base: Callable[[str], bool]
) -> dict[str, list[str]]:
    """Return ``chain`` and, if a file is a key too, ``gold`` → the names of these chains.

    ``is_base`` says whether a name without its side is one of a chain. Names that state no side are
    those of the other side.

    >>> chains_by_side(["doc", "cluster", "predicted_cluster"], lambda name: name == "cluster")
    {'chain': ['predicted_cluster'], 'gold': ['cluster']}
    >>> chains_by_side(["doc", "gold_cluster", "cluster"], lambda name: name == "cluster")
    {'chain': ['cluster'], 'gold': ['gold_cluster']}
    """
    by_side: dict[str, list[str]] = {"gold": [], "predicted": [], "": []}
    bare: dict[str, list[str]] = {"gold": [], "predicted": []}
    for name in names:
        side, base = side_of(name)
        if is_base(base):
            by_side[side].append(name)
        elif side and not base:
            bare[side].append(name)
    # The name of a side alone is a chain beside a chain, if it is clear, or beside the other side.
    has_chain = any(by_side.values())
    has_both_sides = bool(bare["gold"] and bare["predicted"])
    for side, of_side in bare.items():
        clear = [name for name in of_side if normal(name) in _SIDES["clear"]]
        if has_chain:
            by_side[side] = by_side[side] or clear
        elif has_both_sides:
            by_side[side] = of_side
    gold = by_side["gold"]
    response = [*by_side["predicted"], *by_side[""]]
    if by_side["predicted"] and not gold:
        gold = by_side[""]
        response = by_side["predicted"]
    if gold and response:
        return {"chain": response, "gold": gold}
    chains = gold or response
    return {"chain": chains} if chains else {}


def cluster_fields(
    record: Fields, bases: Sequence[str] = ("clusters",)
) -> dict[str, str]:
    """Return ``chain`` and, if it has both sides, ``gold`` → the field of an object's clusters.

    ``bases`` are the names of such a field without its side; of several names of one side, the one
    whose base is first counts.

    >>> cluster_fields({"clusters": [], "predicted_clusters": [], "text": ""})
    {'chain': 'predicted_clusters', 'gold': 'clusters'}
    """
    names = [name for name, value in record.items() if isinstance(value, list | dict)]
    ordered = [name for base in bases for name in names if side_of(name)[1] == base]
    by_side = chains_by_side(ordered, lambda base: base in bases)
    return {side: names[0] for side, names in by_side.items()}


def is_chain(name: str) -> bool:
    """Return whether a name, without its side, is one of a chain."""
    return _CANONICAL.get(name) == "chain"


def canonical(name: str) -> str | None:
    """Return the field of which ``name`` is an alias (ignoring case), or None."""
    field = _CANONICAL.get(normal(name))
    if field is None and is_chain(side_of(name)[1]):
        return "chain"
    return field


@lru_cache
def is_field(name: str) -> bool:
    """Return whether ``name`` may be a field of a mention or a pair; others are ignored."""
    side, base = side_of(name)
    is_side = side != "" and base == ""
    return normal(name) in _FIELDS or is_chain(base) or is_side


def resolve(
    names: Collection[str],
    place: str,
    columns: Columns | None = None,
    *,
    table: bool = False,
) -> dict[str, str]:
    """Return field → name in the file; names that are not a field are left out.

    ``columns`` (field → name) is what the caller says, as far as the file has these names. The
    field ``gold`` is the chain of the key in a file that has the chain of the response too. Raises
    FormatError for two names of the same field, for a list of mention pairs, without a name of a
    chain, and if only a name of unknown meaning could say who a mention is; if these are all names
    of a ``table``, also without the place of a mention. The field
    ``words`` has the words of a mention.
    """
    stated = stated_columns(names, columns or {})
    remaining = [name for name in names if name not in stated.values()]
    pairs = _usual_fields(remaining)
    if "chain" not in stated:
        for side, of_side in chains_by_side(remaining, is_chain).items():
            pairs += [(name, side) for name in of_side]
    usual = [(name, field) for name, field in pairs if field not in stated]
    of_caller = [
        (name, field)
        for field, column in stated.items()
        for name in names  # a name may be there twice
        if name == column
    ]
    fields = _by_field([*usual, *of_caller], place)
    unknown = unknown_names(remaining, fields)
    may_have_place = not all(map(may_be_chain, unknown))
    if not may_have_place and not is_place(fields):
        for name in remaining:
            if normal(name) == "id":
                fields["mention"] = name
                break
    has_place = is_place(fields)
    pair = pair_names(names)
    if pair is not None and not has_place:
        raise FormatError(
            "format-undetected",
            f"expected chains, got a list of mention pairs ('{pair[0]}' and '{pair[1]}')",
            place=place,
            hint="write a chain for each mention; `cdec pairs` reads lists of pairs",
        )
    lacks_place = not has_place and (table or may_have_place)
    if names and (lacks_place or "chain" not in fields):
        check_columns(columns or {}, [(place, names)])
        missing = []
        if "chain" not in fields:
            missing.append("the chain")
        if not has_place:
            missing.append("the place of a mention")
        hint = NEEDED
        unread = [name for name in names if name not in fields.values()]
        suggestions = suggested_columns(unread, fields)
        if unknown and suggestions:
            option = spelled("columns", suggestions)
            hint = f"{NEEDED}; if one has another name, say which, such as {option}"
        raise FormatError(
            "field-invalid",
            f"no field is {' or '.join(missing)}; there are {quote_names(names)}",
            place=place,
            hint=hint,
        )
    words = words_field(name for name in names if name not in fields.values())
    if words is not None:
        fields["words"] = words
    return fields


def _usual_fields(names: Iterable[str]) -> list[tuple[str, str | None]]:
    """Return each name with its field, None if it is not a usual name of one; without chains."""
    aliases = [(name, normal(name)) for name in names]  # a name may be there twice
    present = {alias for _, alias in aliases}
    special = {alias: field for alias, field in _CATTAN.items() if alias in present}
    if {"tokens_number", "sent_id"} <= present:
        special |= {alias: field for alias, field in _UCDCR.items() if alias in present}
    pairs = []
    for name, alias in aliases:
        field = special.get(alias)
        if field is None and _CANONICAL.get(alias) not in special.values():
            field = _CANONICAL.get(alias)
        if not is_chain(alias):
            pairs.append((name, field))
    return pairs


def stated_columns(names: Collection[str], columns: Columns) -> dict[str, str]:
    """Return field → name for those of ``columns`` that are among ``names``.

    >>> stated_columns(["Start Index", "x"], {"start": "start_index", "end": "y"})
    {'start': 'Start Index'}
    """
    stated = {}
    for field, column in columns.items():
        exact = [name for name in names if name.strip() == column.strip()]
        similar = [name for name in names if normal(name) == normal(column)]
        for name in [*exact, *similar][:1]:
            stated[field] = name
    return stated


def check_fields(columns: Columns, fields: Iterable[str] = COLUMNS) -> None:
    """Raise UnknownNameError for a field in ``columns`` that is not among ``fields``."""
    for field in columns:
        one_of("field", field, fields)


def check_columns(
    columns: Columns, files: Collection[tuple[str, Collection[str]]]
) -> None:
    """Raise UsageError for a column that the caller names and no file has.

    ``files`` has the name of each file and its columns.
    """
    for field, column in columns.items():
        if any(stated_columns(names, {field: column}) for _, names in files):
            continue
        contents = [f"'{file}' has {quote_names(names)}" for file, names in files]
        content = "; ".join(contents) or "there is no file"
        raise UsageError(
            "argument-invalid",
            f"no column or field '{column}' for {field}: {content}",
            hint="name a column as the file has it",
        )


def unknown_names(names: Collection[str], fields: Mapping[str, str]) -> list[str]:
    """Return the names that look like a position or a chain and are no field.

    >>> unknown_names(["doc", "startIndex", "sentiment", "coref_link"], {"doc": "doc"})
    ['startIndex']
    """
    candidates = {
        name: normal(name)
        for name in names
        if name not in fields.values()
        and normal(name) not in {*_SKIPPED, *_CANONICAL, "id"}
    }
    first_words = {plain.partition("_")[0] for plain in candidates.values()}
    pairs = filter(first_words.issuperset, _NAMES["pairs"]["bounds"])
    bounds = {*chain.from_iterable(pairs)}
    unknown = []
    for name, plain in candidates.items():
        is_bound = plain.partition("_")[0] in bounds
        if is_bound or _AS_PLACE.search(plain) or _AS_CHAIN.search(plain):
            unknown.append(name)
    return unknown


def may_be_chain(name: str) -> bool:
    """Return whether a name looks like one of a chain, known or not.

    >>> may_be_chain("coref_chains"), may_be_chain("coref_link"), may_be_chain("text")
    (True, False, False)
    """
    return normal(name) not in _SKIPPED and _AS_CHAIN.search(normal(name)) is not None


def unread_notices(names: Collection[str], place: str) -> list[Notice]:
    """Return the notice on fields that are not read, if there are some."""
    if not names:
        return []
    message = f"{counted(len(names), 'field is', 'fields are')} not read: {quote_names(names)}"
    return [Notice("reading-assumed", len(names), message, (place,), warning=False)]


def suggested_columns(names: Iterable[str], fields: Collection[str]) -> dict[str, str]:
    """Return field → name that may be it, for fields that the file does not have.

    >>> suggested_columns(["endIndex", "startIndex", "doc"], {"doc": "doc"})
    {'start': 'startIndex', 'end': 'endIndex'}
    """
    suggestions: dict[str, str] = {}
    for name in names:
        words = normal(name).split("_")
        field = next(
            (field for field, hints in _NAMES["hints"].items() if {*hints} & {*words}),
            None,
        )
        if field is not None and field not in fields:
            suggestions.setdefault(field, name)
    return {field: suggestions[field] for field in COLUMNS if field in suggestions}


def quote_names(names: Iterable[str]) -> str:
    """Return names in quotes, shortened."""
    return ", ".join(f"'{name}'" for name in names)[:160] or "none"


def _by_field(names: Iterable[tuple[str, str | None]], place: str) -> dict[str, str]:
    """Return field → name; raise FormatError for two names of the same field."""
    fields: dict[str, str] = {}
    for name, field in names:
        if field is not None and field in fields:
            hint = "rename one of them"
            if name != fields[field]:
                hint += f", or say which it is: {spelled('columns', {field: name})}"
            raise FormatError(
                "field-invalid",
                f"'{fields[field]}' and '{name}' both mean the field '{field}'",
                place=place,
                hint=hint,
            )
        if field is not None:
            fields[field] = name
    return fields


def is_place(fields: Collection[str]) -> bool:
    """Return whether these fields identify a mention."""
    spans = "tokens" in fields or {"start", "end"} <= set(fields) or "m_id" in fields
    return "mention" in fields or ("doc" in fields and spans)


def pair_names(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the names of the two mentions of a pair; None if both are not among ``names``.

    >>> pair_names(["score", "Mention 1", "Mention 2"]), pair_names(["mention", "chain"])
    (('Mention 1', 'Mention 2'), None)
    """
    name_of = {normal(name): name for name in names}
    first = [name_of[alias] for alias in PAIR[0] if alias in name_of]
    second = [name_of[alias] for alias in PAIR[1] if alias in name_of]
    if first and second:
        return first[0], second[0]
    return None


def whole(value: Any) -> Any:
    """Return a value as JSON has it, with whole floats as integers: pandas makes floats of them.

    >>> whole((5.0, 5.5, np.int64(6)))
    [5, 5.5, 6]
    """
    if isinstance(value, list | tuple | np.ndarray):
        return [whole(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def are_integers(value: object) -> TypeGuard[list[int]]:
    """Return whether a value of JSON is a list of integers, and not empty."""
    return type(value) is list and {*map(type, value)} == {int}


def table_rows(
    text: str, separator: str, fail: Callable[[int, str], Exception]
) -> Iterator[tuple[int, list[str]]]:
    r"""Yield the first line and the fields of each row that is not blank.

    Raises the error that ``fail`` builds for the line and the reason of invalid quotes.

    >>> list(table_rows('doc,chain\n\n"a, b",7\n', ",", lambda line, why: ValueError(why)))
    [(1, ['doc', 'chain']), (3, ['a, b', '7'])]
    """
    # From bytes: StringIO would need four bytes for each character.
    stream = io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", newline="")
    reader = csv.reader(stream, delimiter=separator, strict=True)
    line = 1
    try:
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise fail(line, f"invalid table: {error}") from None


def guessed_rows(source: TextFile) -> Iterator[tuple[int, list[str]]]:
    """Yield line and fields of each row that is not blank; the first line shows the separator.

    A last row that was cut is left out (``is_last_row_cut``). Raises FormatError for another row
    that has not as many fields as the first.
    """
    text = source.text
    if is_last_row_cut(source):
        text = text.removesuffix(source.lines[-1])
    fail = partial(_invalid_row, source)
    width = 0
    for line, row in table_rows(text, separator_of(source), fail):
        width = width or len(row)
        if len(row) != width:
            raise fail(
                line, f"expected {width} fields as in the first row, got {len(row)}"
            )
        yield line, row


def _invalid_row(source: TextFile, line: int, reason: str) -> FormatError:
    return source.error(
        "file-invalid",
        line,
        reason,
        "quote a field that contains the separator, a line break or quotes",
    )


def _ends_with_a_line(source: TextFile) -> bool:
    return source.text.rstrip(" ").endswith(("\n", "\r"))


def separator_of(source: TextFile) -> str:
    """Return the separator of a table, which its first line shows."""
    head = next(filter(str.strip, source.lines))
    return next((sign for sign in "\t,;" if sign in head), ",")


def cut_row(source: TextFile) -> list[Notice]:
    r"""Return a warning on a table that ends inside its last row.

    It has no line end after this row, which has fewer fields than the first, quotes without an end,
    or a last field that is the beginning of what this column has in all other rows.

    >>> cut_row(TextFile("a.csv", "doc,chain\nd,ACT12\nd,ACT7\nd,AC"))[0].examples
    ('a.csv:4',)
    >>> cut_row(TextFile("a.csv", "doc,chain\nd,ACT12\nd,ACT7\nd,ACT1\n"))
    []
    """
    if _ends_with_a_line(source):
        return []
    separator = separator_of(source)
    *rows, last = (
        line.rpartition(separator)[2] for line in source.lines if line.strip()
    )
    if is_last_row_cut(source):
        message = (
            "the table ends inside its last row, which is left out; is the file cut?"
        )
    elif _is_beginning(last, rows[1:]):
        message = (
            f"the last field '{last[:40]}' is shorter than the others; is the file cut?"
        )
    else:
        return []
    return [Notice("reading-assumed", 1, message, (source.place(len(source.lines)),))]


def is_last_row_cut(source: TextFile) -> bool:
    """Return whether a table ends inside a line that is a row with fewer fields, or inside quotes.

    A last line that continues a field in quotes is no row of its own. A row that ends behind its
    last separator has fewer fields, if all others have the last one.
    """
    if _ends_with_a_line(source):
        return False
    separator = separator_of(source)
    last_line = len(source.lines)
    rows: list[tuple[int, list[str]]] = []
    try:
        # Not at once: the rows before an error count.
        for row in table_rows(source.text, separator, partial(_invalid_row, source)):
            rows.append(row)  # noqa: PERF402
    except FormatError as error:
        has_open_quotes = source.lines[-1].count('"') % 2 == 1
        is_last = error.place == source.place(last_line)
        return bool(rows) and has_open_quotes and is_last
    if len(rows) < 2 or rows[-1][0] != last_line:  # the first has the names
        return False
    blanks = sum(not fields[-1].strip() for _, fields in rows)
    is_short = len(rows[-1][1]) < len(rows[0][1])
    return is_short or (blanks == 1 and source.text.endswith(separator))


def _is_beginning(field: str, others: Sequence[str]) -> bool:
    """Return whether a field is the beginning of the pattern that all others have."""
    if len(others) < _FEWEST:
        return False
    for pattern in (_shape, _pattern):
        patterns = {pattern(other) for other in others}
        first = pattern(others[0])
        is_long = len(first) >= _LONG_PATTERN or pattern is _shape
        if len(patterns) == 1 and is_long and first != pattern(field):
            return first.startswith(pattern(field))
    return False


def _pattern(field: str) -> str:
    return re.sub("[0-9]", "9", re.sub(r"[^\W\d_]", "a", field))


def _shape(field: str) -> str:
    return re.sub(r"(.)\1+", r"\1", _pattern(field))


def objects(source: TextFile) -> Iterator[tuple[int, Any]]:
    r"""Yield line (0 if unknown) and value of each record of JSON Lines, a JSON list, or one value.

    Raises FormatError with the line of invalid JSON.

    >>> list(objects(TextFile("a", '{"a": 1}\n\n{"a": 2}\n')))
    [(1, {'a': 1}), (3, {'a': 2})]
    """
    try:
        by_line = type(parse(next(filter(str.strip, source.lines)))) is dict
    except (
        ValueError
    ) as error:  # a value of several lines, or one that is invalid in itself
        by_line = not isinstance(error, JSONDecodeError)
    if by_line:
        filled = [
            (n, line) for n, line in enumerate(source.lines, start=1) if line.strip()
        ]
        last_number, _ = filled[-1]
        for first in range(0, len(filled), _AT_ONCE):
            numbers, lines = zip(*filled[first : first + _AT_ONCE], strict=True)
            values: Iterable[Any] | None = parse_lines(lines)
            if values is None:
                values = (
                    parse_at(line, number, source.error, last=number == last_number)
                    for number, line in zip(numbers, lines, strict=True)
                )
            yield from zip(numbers, values, strict=True)
    else:
        value = parse_at(source.text, 1, source.error, last=True)
        for item in value if isinstance(value, list) else [value]:
            yield 0, item


def named_rows(
    source: TextFile,
    names: Mapping[str, Collection[str]],
    columns: Columns | None = None,
) -> Iterator[tuple[str, Row]]:
    r"""Yield place and fields of each row: CSV or TSV with a header, JSON Lines, or a JSON list.

    A field is under its name in ``names``, which maps it → its aliases: of a name, only letters and
    digits count, and not their case; other fields keep their name. Fields without a value are left
    out, and rows without any, such as ``,,`` at the end of a table of a spreadsheet. ``columns``:
    field → the name that the caller gives for it, which goes before all others. Warns of a table
    that was cut. Raises FormatError with the place of an invalid row, and of two values of one
    field, also if the header has the same name twice, and UsageError for a name of the caller that
    no row has.

    >>> list(named_rows(TextFile("a.csv", "Doc ID;text\n1;Fire\n2;\n"), {"id": ["doc_id"]}))
    [('a.csv:2', {'id': '1', 'text': 'Fire'}), ('a.csv:3', {'id': '2'})]
    """
    stated = columns or {}
    field_of: dict[str, str] = {}
    for field, aliases in names.items():
        if field not in stated:
            field_of |= dict.fromkeys(map(plain_name, (field, *aliases)), field)
    names_in_file: dict[str, None] = {}
    for place, cells in _rows_by_name(source):
        names_in_file |= {name: None for name, _ in cells}
        filled = [
            (name, value) for name, value in cells if name and not _is_blank(value)
        ]
        values = dict(filled)
        of_caller = stated_columns(values, stated)
        usual = [
            (name, field_of.get(plain_name(name), name))
            for name, _ in filled
            if name not in of_caller.values()
        ]
        stated_names = [
            (name, field)
            for field, column in of_caller.items()
            for name, _ in filled
            if name == column
        ]
        name_of = _by_field(usual, place) | _by_field(stated_names, place)
        if values:
            yield place, {field: values[name] for field, name in name_of.items()}
    check_columns(stated, [(source.name, list(names_in_file))])


def _rows_by_name(
    source: TextFile,
) -> Iterator[tuple[str, Collection[tuple[str, Any]]]]:
    """Yield place, and names with their values, of each row of a table or of a JSON file.

    The header of a table comes first, as a row without values.
    """
    if source.text.lstrip()[:1] in ("[", "{"):
        for number, (line, row) in enumerate(objects(source), start=1):
            place = source.place(line) if line else f"{source.name}, record {number}"
            if type(row) is not dict:
                raise FormatError(
                    "file-invalid",
                    "the row is not a JSON object",
                    place=place,
                    hint="write one object for each row",
                )
            yield place, row.items()
        return
    warn_of(cut_row(source))
    rows = guessed_rows(source)
    line, header = next(rows)
    names = [name.strip() for name in header]
    yield source.place(line), [(name, None) for name in names]
    for line, row in rows:
        yield source.place(line), list(zip(names, row, strict=True))


def _is_blank(value: object) -> bool:
    return not value.strip() if type(value) is str else value is None


def plain_name(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return "".join(filter(str.isalnum, name.casefold()))
