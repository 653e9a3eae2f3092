"""Lists of mention pairs, with or without scores: candidates, and the scores of a system.

A list is CSV, TSV, JSON, JSON Lines, a frame or a dict. A row has two mentions (``a`` and ``b``, or
another of the names in ``fields.PAIR``) and can have a score; a notice names further columns. What
a language model writes around its JSON is left out.

A pair in both directions is one pair; its score is the mean of both. A pair of a mention with
itself is left out and counted. A pair whose score is missing has not been scored: it is a hole in
the list, and never linked.

Lenient, an answer in prose is divided at punctuation and line ends; a part answers if it is yes,
true, no or false, alone, behind words such as "so" and "the final answer is", or before words such
as "because" and "they". If all parts that answer agree, that is the answer; if two disagree or none
answers, as in "Yes and no" and "not yes", the pair is unanswered: it has no score.
"""

from __future__ import annotations

import io
import re
import warnings
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype, union_categoricals
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from cdec.arrays import AnySeries, Bools, Floats, Ints, StrSeries
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.corpus.splits import named_part, split_of
from cdec.errors import (
    EXAMPLES,
    CdecError,
    FormatError,
    Log,
    Notice,
    Notices,
    ScoringError,
    UsageError,
    counted,
    notice,
    one_of,
    spelled,
)
from cdec.files.input import FileKind, TextFile
from cdec.files.strict_json import parse, parse_at
from cdec.formats.annotation import Annotation, mention_table
from cdec.formats.fields import (
    PAIR,
    cut_row,
    is_last_row_cut,
    normal,
    pair_names,
    separator_of,
)
from cdec.formats.heading import ANSWER, read_complete, without_answer
from cdec.matching.documents import warn_of_other_part
from cdec.matching.identify import annotated
from cdec.matching.match import ids_in_corpus
from cdec.matching.sides import leave_out
from cdec.records import Fields

SCORE = "score"
_FIELDS = {
    **dict.fromkeys(PAIR[0], "a"),
    **dict.fromkeys(PAIR[1], "b"),
    **dict.fromkeys((SCORE, "answer"), SCORE),
}
_UNKNOWN = -2  # the position of a mention that the corpus does not have
_LARGEST = 1e30  # of a score: sums of scores must be finite
_ANSWERS = {"yes": 1.0, "no": 0.0}  # of a language model, instead of a score
_MISSING = ("", "nan", "none", "null")
_MARKUP = str.maketrans("", "", "*_`")
_BETWEEN_PARTS = re.compile(r"[^\w\s'’-]|\s-+\s|[\r\n]")
_PROSE = re.compile(
    r"\s*(?:(?:so|thus|therefore|hence|and|or|but|i|would|say|it|the|my|final|correct|answer|is|a)"
    r"\s+)*(?:(yes|true)|no|false)(?:\s+(?:because|since|as|they|it|both|these)\b.*|\s*)"
)
_HINT = "write a table with the columns a and b, two mentions a row, or JSON lines with a and b"
_KIND = FileKind("a list of mention pairs", FormatError, "file-invalid", _HINT, 2**32)


PairList = (
    Any  # a file, a frame, a dict (mention, mention) → score, or the PairTable of one
)


@dataclass(frozen=True, eq=False)
class PairTable:
    """The rows of a list: ``a`` and ``b`` (categories) and, if it has scores, ``score`` (or NaN).

    The index has the lines of a file, or the numbers of the rows. ``reading``: what was read
    leniently, for the signature.

    >>> given = pd.DataFrame({"Mention 1": ["x"], "Mention 2": ["y"], "answer": ["Yes."]})
    >>> pair_table(given).rows.to_numpy().tolist()
    [['x', 'y', 1.0]]
    """

    name: str
    rows: pd.DataFrame
    notices: Notices = ()
    reading: Fields = field(default_factory=dict)

    def refuse(self, row: int, message: str, hint: str | None = None) -> CdecError:
        """Return the error for a row, counted from 0."""
        return _KIND.refuse(f"{self.name}:{self.rows.index[row]}", message, hint)

    @property
    def mentions(self) -> StrSeries:
        """The mentions of all pairs, each as a chain."""
        names = union_categoricals([self.rows["a"], self.rows["b"]]).categories.astype(
            str
        )
        return pd.Series(names, names)


def pair_table(list_: PairList, *, lenient: bool | None = None) -> PairTable:
    """Return the pairs of a list; ``lenient`` as in ``FilePolicy``.

    Raises FormatError with its place for a row without two mentions, two columns of one field, a
    score that is not a number up to 1e30, and a list without pairs; UsageError for another value.
    """
    if isinstance(list_, PairTable):
        return list_
    name = "pairs"
    notices: list[Notice] = []
    reading: Fields = {}
    if isinstance(list_, str | Path):
        name = str(list_)
        frame, notices, reading = _read(name, lenient=lenient)
    elif isinstance(list_, Mapping | pd.Series):
        frame = _frame(list_)
    elif isinstance(list_, pd.DataFrame):
        frame = list_
    else:
        raise UsageError(
            "argument-invalid",
            f"expected a file, a table or a dict, got {type(list_).__name__}",
            hint="such as {(mention, mention): score}",
        )
    if frame.empty:
        raise _KIND.refuse(name, "it has no pairs")
    _check_names(frame.columns, name)
    fields = frame.columns.map(lambda title: _FIELDS.get(normal(str(title)), ""))
    is_field = fields != ""
    for field_ in fields[is_field & fields.duplicated()]:
        titles = " and ".join(f"'{title}'" for title in frame.columns[fields == field_])
        raise _KIND.refuse(
            name, f"{titles} both mean '{field_}'", "rename or remove one of them"
        )
    rows = frame.set_axis(fields, axis=1).loc[:, is_field]
    if not is_integer_dtype(frame.index):
        rows = rows.reset_index(drop=True)
    notices += _unread(frame.loc[:, ~is_field], has_scores=SCORE in rows)
    table = PairTable(name, rows, tuple(notices), reading)
    rows = rows.assign(a=_mentions(table, "a"), b=_mentions(table, "b"))
    if SCORE in rows:
        scores, is_prose = _scores(table, lenient=lenient)
        rows = rows.assign(score=scores)
        if is_prose.any():
            table = _with_prose(table, is_prose & np.isnan(scores))
    return replace(table, rows=rows)


def _with_prose(table: PairTable, is_unread: Bools) -> PairTable:
    """Return a table that has prose, with its share of answers that cannot be read."""
    share = round(is_unread.mean(), 4)
    places = [f"{table.name}:{line}" for line in table.rows.index[is_unread]]
    message = f"{len(places):,} of {counted(len(is_unread), 'answer')} ({share:.1%}) neither yes "
    message += "nor no: unanswered"
    unread = notice("reading-assumed", message, places, warning=share > 0)
    return replace(
        table,
        notices=(*table.notices, unread),
        reading={**table.reading, "answers": "prose", "unread": share},
    )


def _frame(pairs: Mapping[object, object] | AnySeries) -> pd.DataFrame:
    """Return the rows of a dict (mention, mention) → score; other keys have no names of columns."""
    rows = [
        (*pair, score) if isinstance(pair, tuple) else ()
        for pair, score in pairs.items()
    ]
    names = None
    if all(len(row) == 3 for row in rows):
        names = ["a", "b", SCORE]
    return pd.DataFrame(rows, columns=names, dtype=object)


def _mentions(table: PairTable, side: str) -> AnySeries:
    """Return the mentions of one side as categories; raises FormatError for a row without one."""
    texts = table.rows[side].map(_mention)
    mentions = texts.astype("category").cat.remove_unused_categories()
    is_missing = mentions.isna().to_numpy()
    if is_missing.any():
        raise table.refuse(
            int(is_missing.argmax()),
            "the row has no two mentions",
            "a mention is an id, or doc/start-end, as text",
        )
    return mentions


def _scores(table: PairTable, *, lenient: bool | None) -> tuple[Floats, Bools]:
    """Return the scores, NaN for none, and which were read from prose, if ``lenient``.

    Raises FormatError for one that is not valid.
    """
    scores = table.rows[SCORE]
    texts = scores.astype(object).map(str)
    numbers = pd.to_numeric(texts, errors="coerce").to_numpy(np.float64, copy=True)
    is_text = np.isnan(numbers)
    answers = texts[is_text].str.strip(" .\r\n").str.casefold()
    numbers[is_text] = answers.map(_ANSWERS)
    is_valid = np.abs(numbers) <= _LARGEST
    is_valid[is_text] |= scores[is_text].isna() | answers.isin(_MISSING)
    is_prose = is_text & ~is_valid
    if lenient:
        numbers[is_prose] = texts[is_prose].map(_answer)
        is_valid |= is_prose
    if not is_valid.all():
        row = int(is_valid.argmin())
        hint = "write a number, yes or no, or leave it empty if it is unknown"
        if lenient is False and is_prose[row]:
            hint += f"; {spelled('lenient')} reads answers in prose"
        raise table.refuse(
            row, f"the score '{texts.iloc[row][:40]}' is not a number up to 1e30", hint
        )
    return numbers, is_prose


def _answer(text: str) -> float:
    """Return the answer in prose, 1 or 0; NaN if two parts disagree, or none answers."""
    parts = _BETWEEN_PARTS.split(text.casefold().translate(_MARKUP))
    answers = {part[1] is not None for part in map(_PROSE.fullmatch, parts) if part}
    if len(answers) != 1:
        return np.nan
    return 1.0 if True in answers else 0.0


def _check_names(names: Iterable[object], place: str) -> tuple[str, str]:
    pair = pair_names(map(str, names))
    if pair is None:
        raise _KIND.refuse(place, "the header or first line names no two mentions")
    return pair


def _read(
    path: str, *, lenient: bool | None
) -> tuple[pd.DataFrame, list[Notice], Fields]:
    """Return the rows of a file, notices on what is left out, and what was read leniently."""
    source = TextFile(path, _KIND.read_text(Path(path)))
    try:
        frame, notices = _rows(source)
    except FormatError as error:
        (frame, notices), left_out = read_complete(
            source, error, _rows, lenient=lenient
        )
        return frame, [left_out, *notices], {"lenient": "truncated"}
    return frame, notices, {}


def _rows(source: TextFile) -> tuple[pd.DataFrame, list[Notice]]:
    """Return the rows of a list, and notices on what is left out."""
    path = source.name
    parts = [source]
    notices: list[Notice] = []
    if ANSWER.match(source.text):
        parts, of_answer = without_answer(source)
        notices += of_answer
    tables = []
    for part in parts:
        if part.text.lstrip().startswith(("{", "[")):
            tables.append(_records(part.text, path))
        else:
            notices += cut_row(part)
            tables.append(_cells(part))
    if len(tables) == 1:
        return tables[0], notices
    return pd.concat(tables), notices


def _cells(source: TextFile) -> pd.DataFrame:
    """Return the cells of a table by line, without a last row that was cut."""
    path = source.name
    text = source.text
    if is_last_row_cut(source):
        text = text.removesuffix(source.lines[-1])
    table = text.lstrip()
    lines_before = text.count("\n", 0, len(text) - len(table))
    head = table.partition("\n")[0]
    separator = separator_of(source)
    header = map(str.strip, head.replace('"', "").split(separator))
    dtypes: defaultdict[Hashable, Literal["str", "category"]] = defaultdict(
        lambda: "str"
    )
    for name in _check_names(header, path):
        dtypes[name] = "category"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "error", pd.errors.ParserWarning
            )  # a row with more cells
            cells = pd.read_csv(
                io.StringIO(table),
                sep=separator,
                dtype=dtypes,
                index_col=False,
                keep_default_na=False,
                skip_blank_lines=False,
                skipinitialspace=True,
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
        raise _KIND.refuse(path, f"invalid table: {str(error).strip()}") from None
    first_line = lines_before + 2
    cells.index = pd.RangeIndex(first_line, first_line + len(cells))
    # Most rows have a first cell; of the others, blank ones are dropped.
    without_first = cells[cells.iloc[:, 0].isin(["", np.nan])]
    is_blank = (without_first.isna() | (without_first == "")).all(axis=1)
    return cells.drop(without_first.index[is_blank])


def _records(text: str, path: str) -> pd.DataFrame:
    """Return the records of JSON lines by line, or of one array by number.

    The array may be the only value of an object, such as ``{"pairs": […]}``.
    """

    def fail(_code: str, line: int, message: str, _hint: str) -> CdecError:
        return _KIND.refuse(f"{path}:{line}" if line else path, message)

    value = None
    try:
        value = parse(text)
    except ValueError:  # JSON Lines, or an error that has a place
        if text.lstrip().startswith("["):
            value = parse_at(text, 1, fail, last=True)
    if isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    if isinstance(value, list):
        records = dict(enumerate(value, start=1))
    else:
        records = {
            number: parse_at(line, number, fail)
            for number, line in enumerate(text.split("\n"), start=1)
            if line.strip()
        }
    for number, record in records.items():
        if not isinstance(record, dict):
            raise _KIND.refuse(f"{path}:{number}", "the row has no two mentions")
    return pd.DataFrame(list(records.values()), index=list(records), dtype=object)


def _unread(columns: pd.DataFrame, *, has_scores: bool) -> Iterator[Notice]:
    """Yield the notice of columns that are not read: a warning if one may be the scores."""
    if columns.empty:
        return
    names = ", ".join(f"'{name}'" for name in columns.columns)
    message = (
        f"{counted(len(columns.columns), 'column is', 'columns are')} not read: {names}"
    )
    numeric = []
    if not has_scores:
        numbers = columns.head(1000).apply(pd.to_numeric, errors="coerce")
        numeric = [name for name in numbers if numbers[name].notna().any()]
    if numeric:
        message += f"; the list has no column '{SCORE}': rename '{numeric[0]}' if it has the scores"
    yield Notice(
        "reading-assumed", len(columns.columns), message, warning=bool(numeric)
    )


def _mention(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | np.integer):
        return None
    return str(value).strip() or None


# ---- on a corpus ----


@dataclass(frozen=True, eq=False)
class MentionPairs:
    """Distinct pairs of mentions of ``corpus``, in text order of the first mention, then second.

    ``all_pairs``: ``first`` < ``second``, positions in ``corpus.selected``, and ``score``, which is
    NaN for a pair without one. Mentions that are not scored have the positions after those of the
    corpus: chains are made of all pairs, then restricted. All else is of the pairs ``inside``.
    ``notices`` says what was inferred or left out; ``unknown`` what became of mentions that the
    corpus does not have. ``log_odds``: whether any score of the table,
    before directions are combined, is outside [0, 1]; ``directions``: "mean" if any pair has a
    score in both directions, for the signature; ``reading``: what was read leniently, for it, too.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> a, b, c = corpus.selected.index[:3]
    >>> pairs = MentionPairs.of({(a, b): 0.5, (b, a): 0.7, (a, c): 0.2}, corpus)
    >>> pairs.first.tolist(), pairs.second.tolist(), pairs.scores.round(2).tolist()
    ([0, 0], [1, 2], [0.6, 0.2])
    """

    name: str
    corpus: Corpus = field(repr=False)
    all_pairs: pd.DataFrame = field(repr=False)
    has_scores: bool = False
    log_odds: bool = False
    directions: str = ""
    notices: Notices = ()
    unknown: str = "error"
    reading: Fields = field(default_factory=dict)

    @classmethod
    def of(
        cls, list_: PairList, corpus: Corpus, unknown: str = "error"
    ) -> MentionPairs:
        """Return the pairs of a list, as ``pair_table`` reads it.

        ``unknown``: with ``drop``, pairs of a mention that the corpus does not have are left out.
        Raises ScoringError for such a mention otherwise, FormatError for one direction of a pair
        with two scores, each with its place; UsageError for ``twinless``, which pairs cannot be.
        """
        table = pair_table(list_)
        log = Log()
        position = _positions(corpus, table, unknown, log)
        low, high = np.sort(position, axis=0)
        row = np.flatnonzero((low >= 0) & (low < high))
        size = len(corpus.selected) + position.size
        pair, group = np.unique(low[row] * size + high[row], return_inverse=True)
        direction = (position[0, row] == high[row]).astype(np.int64)
        rows = table.rows.iloc[row].assign(pair=group, direction=direction)
        is_repeat = rows.duplicated(["pair", "direction"])
        by_direction = np.full((2, len(pair)), np.nan)
        if SCORE in rows:
            differs = is_repeat & ~rows.duplicated(["pair", "direction", SCORE])
            if differs.any():
                raise table.refuse(
                    int(row[differs][0]),
                    "the pair has another score in an earlier line",
                    "keep one of them",
                )
            by_direction[direction, group] = rows[SCORE]
        has_score = ~np.isnan(by_direction)
        # The score of a pair in one direction counts for both.
        score = np.where(has_score, by_direction, by_direction[::-1]).mean(axis=0)
        first, second = np.divmod(pair, size)
        scores = table.rows.get(SCORE, pd.Series(dtype=float)).dropna()
        pairs = cls(
            name=table.name,
            corpus=corpus,
            all_pairs=pd.DataFrame({"first": first, "second": second, SCORE: score}),
            has_scores=SCORE in rows,
            log_odds=not scores.between(0, 1).all(),
            directions="mean" if has_score.all(axis=0).any() else "",
            unknown=unknown,
            reading=table.reading,
        )
        log += _on_rows(low, high, len(corpus.selected), int(is_repeat.sum()))
        log += _on_log_odds(scores)
        if pairs.has_scores:
            is_hole = np.isnan(score) & (second < len(corpus.selected))
            log += _on_holes(table.name, rows[is_hole[group]])
        covered = {*corpus.selected["doc"].iloc[np.union1d(pairs.first, pairs.second)]}
        warn_of_other_part(corpus, covered, log)
        return replace(pairs, notices=(*table.notices, *log))

    @cached_property
    def inside(self) -> pd.DataFrame:
        """The pairs of two mentions that are scored."""
        return self.all_pairs[self.all_pairs["second"] < len(self.corpus.selected)]

    @property
    def first(self) -> Ints:
        """The positions of the first mentions."""
        return self.inside["first"].to_numpy()

    @property
    def second(self) -> Ints:
        """The positions of the second mentions."""
        return self.inside["second"].to_numpy()

    @property
    def scores(self) -> Floats:
        """The scores; of a list without them, NaN."""
        return self.inside[SCORE].to_numpy()

    @property
    def gold(self) -> Bools:
        """Whether each pair is a link of the key."""
        chains = pd.factorize(self.corpus.gold.labels)[0]
        return np.asarray(chains[self.first] == chains[self.second])

    def __len__(self) -> int:
        return len(self.inside)

    def scored(self) -> MentionPairs:
        """Return the pairs that have a score."""
        return replace(self, all_pairs=self.all_pairs.dropna(subset=[SCORE]))

    def probabilities(self, scores: Floats) -> Floats:
        """Return scores in [0, 1]: as they are, or the sigmoid of log-odds."""
        return np.asarray(expit(scores), np.float64) if self.log_odds else scores

    @property
    def size(self) -> int:
        """The number of mentions, of the corpus and those of the pairs that are not scored."""
        last = self.all_pairs["second"].to_numpy().max(initial=-1)
        return max(len(self.corpus.selected), int(last) + 1)

    def clustering(self, chains: Any) -> Clustering:
        """Return the chains of the mentions of the corpus; ``chains`` has those of all mentions."""
        ids = self.corpus.selected.index
        return Clustering(pd.Series(chains[: len(ids)], ids))

    def closed(self, first: Any, second: Any) -> Clustering:
        """Return the chains that these links make."""
        graph = coo_array(
            (np.ones(len(first)), (first, second)), (self.size, self.size)
        )
        return self.clustering(connected_components(graph, directed=False)[1])

    @property
    def about(self) -> dict[str, object]:
        """The fields of the signature: the digest is the same for every format of the file."""
        columns = (
            self.all_pairs[name].to_numpy() for name in ("first", "second", SCORE)
        )
        digest = sha256(b"".join(column.tobytes() for column in columns)).hexdigest()[
            :12
        ]
        fields: dict[str, object] = {"pairs": digest}
        if self.directions:
            fields["directions"] = self.directions
        if self.unknown != "error":
            fields["unknown"] = self.unknown
        if self.reading:
            fields["reading"] = dict(self.reading)
        return fields


def _on_rows(low: Ints, high: Ints, number: int, repeats: int) -> Iterator[Notice]:
    """Yield notices on rows that are left out; ``number``: mentions that are scored."""
    is_unknown = low == _UNKNOWN
    has_place = low >= 0
    joins = has_place & (high >= number)
    is_itself = has_place & (low == high) & (high < number)
    counts = {
        "of mentions that the corpus does not have left out": is_unknown.sum(),
        "of mentions that are not scored left out": (~has_place & ~is_unknown).sum(),
        "of mentions that are not scored, but can join others": joins.sum(),
        "of a mention with itself left out": is_itself.sum(),
        "that repeat an earlier one left out": repeats,
    }
    for case, count in counts.items():
        if count:
            message = f"{counted(int(count), 'pair')} {case}"
            warning = case.startswith("of mentions that the corpus does not have")
            yield Notice("pairs-left-out", int(count), message, warning=warning)


def _on_log_odds(scores: pd.Series[float]) -> Iterator[Notice]:
    """Yield the notice on scores outside [0, 1]: a warning if they are unusual log-odds."""
    outside = int((~scores.between(0, 1)).sum())
    if outside:
        message = (
            f"{outside:,} of {counted(len(scores), 'score')} outside [0, 1]: "
            "all are read as log-odds (divide per cent by 100)"
        )
        is_unusual = bool(scores.min() >= 0) or 2 * outside < len(scores)
        yield Notice("reading-assumed", outside, message, warning=is_unusual)


def _on_holes(name: str, rows: pd.DataFrame) -> Iterator[Notice]:
    """Yield the notice on pairs without a score."""
    if len(rows):
        count = rows["pair"].nunique()
        message = f"{counted(count, 'pair has', 'pairs have')} no score; they are never linked"
        lines = tuple(f"{name}:{line}" for line in rows.index[:EXAMPLES])
        yield Notice("pairs-left-out", count, message, lines)


def _positions(corpus: Corpus, table: PairTable, unknown: str, log: Log) -> Ints:
    """Return the positions of both mentions in ``corpus.selected``, shape (2, pairs).

    A mention that the variant of the key leaves out has −1, one that the corpus does not have −2.
    Others that are not scored, removed by a patch or outside the part, follow by name.
    """
    if one_of("policy", unknown, ("error", "drop", "twinless")) == "twinless":
        raise UsageError(
            "option-conflict",
            "pairs of mentions that the corpus does not have cannot be twinless",
            place=table.name,
            hint=f"{spelled('unknown', 'drop')} leaves them out",
        )
    mentions = union_categoricals([table.rows["a"], table.rows["b"]])
    codes = mentions.codes.astype(np.int64).reshape(2, -1)
    names = [str(name) for name in mentions.categories]
    # The first row of each name, for errors.
    row = np.unique(codes.T.reshape(-1), return_index=True)[1] // 2
    docs = [name.rpartition("/")[0] for name in names]
    no_place = [-1] * len(names)
    lines: Ints = table.rows.index[row].to_numpy(np.int64)
    annotation = Annotation(
        table.name,
        "pairs",
        mention_table(docs, no_place, no_place, names, mention=names, line=lines),
        dict.fromkeys(docs),
    )
    ids = ids_in_corpus(annotation, corpus, log)
    by_id = pd.Index(
        [ids.get(code) or name for code, name in enumerate(names)], dtype=object
    )
    position: Ints = corpus.selected.index.get_indexer(by_id).astype(np.int64)
    is_outside = position < 0
    in_corpus = annotated(corpus)
    unscored = in_corpus[in_corpus.index.isin(by_id[is_outside])]
    dropped = leave_out(corpus, unscored, log)
    of_other_part = [names[code] for code, id_ in ids.items() if id_ == ""]
    is_lost = is_outside & ~by_id.isin([*dropped, *of_other_part])
    if is_lost.any() and (is_lost.all() or unknown == "error"):
        lost = np.flatnonzero(is_lost)
        lost = lost[np.argsort(row[lost], kind="stable")]
        raise _lost_error(
            [names[code] for code in lost], f"{table.name}:{lines[lost[0]]}", unknown
        )
    if of_other_part and is_outside.all():
        raise ScoringError(
            "mention-unknown",
            f"the mentions are of {_home(corpus, of_other_part)}, not of '{corpus.part}'",
            place=f"{table.name}:{lines[0]}",
            hint="choose the part that the pairs are of",
        )
    # The variant says what the mentions of the corpus are: no pair of another one counts.
    follows = is_outside & ~is_lost & ~by_id.isin(corpus.mentions.index)
    rank = np.unique(by_id[follows], return_inverse=True)[1]
    position[follows] = len(corpus.selected) + rank
    position[is_lost] = _UNKNOWN
    return position[codes]


def _lost_error(names: list[str], place: str, unknown: str) -> ScoringError:
    """Return the error for mentions that the corpus does not have."""
    number = counted(len(names), "mention is", "mentions are")
    examples = ", ".join(f"'{name}'" for name in names[:EXAMPLES])
    message = f"{number} not in the key: {examples}"
    if len(names) > EXAMPLES:
        message += ", …"
    hint = "use mention ids of the corpus, or doc/start-end"
    if unknown == "error":
        hint += f"; {spelled('unknown', 'drop')} leaves out the pairs of such mentions"
    return ScoringError("mention-unknown", message, place=place, hint=hint)


def _home(corpus: Corpus, names: list[str]) -> str:
    """Return the part that most mentions of another part are of, for a message."""
    split_name = (named_part(corpus.part) or "").rpartition("/")[0]
    split = split_of(corpus, split_name or None)
    unit_of = split.units(corpus.elsewhere)
    units = pd.Series(names, dtype=str).str.rpartition("/")[0].map(unit_of)
    counts = {
        part: int(units.isin(of_part).sum()) for part, of_part in split.parts.items()
    }
    part = max(counts, key=lambda part: counts[part], default="")
    return f"'{split.name}/{part}'" if counts.get(part) else "another part"
