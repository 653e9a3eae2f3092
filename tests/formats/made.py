"""Small annotations and a small corpus, and strategies for random annotations."""

import io
from typing import Any

import pandas as pd
from hypothesis import strategies as st

from cdec.corpus import Corpus, Document
from cdec.formats import FORMATS, Annotation, mention_table, parse_source, write
from cdec.formats.annotation import TokenNumbers
from cdec.io import decode
from cdec.matching import Matched

# The formats that keep every mention as it is, and the names of documents.
EXACT = [name for name in FORMATS.own if FORMATS[name].lost is None]


def parse(text: str | bytes, name: str = "file", format_: str | None = None) -> Annotation:
    """Return the Annotation of a file with this content."""
    data = text.encode() if isinstance(text, str) else text
    return parse_source(decode(name, data), format_)


def written(annotation: Annotation, format_: str) -> str:
    stream = io.StringIO()
    write(annotation, stream, format_)
    return stream.getvalue()


def conll(*documents: tuple[str, list[str]], name: str = "file") -> Annotation:
    """Annotation of documents (name, cells), with tokens a, b, c, …"""
    lines = []
    for doc, cells in documents:
        lines.append(f"#begin document ({doc}); part 000")
        lines += [f"{doc}\t0\t{n}\t{chr(97 + n)}\t{cell}" for n, cell in enumerate(cells)]
        lines.append("#end document")
    return parse("\n".join(lines) + "\n", name)


def rows(annotation: Annotation) -> set[tuple[Any, ...]]:
    """The mentions as (doc, start, end, tokens, chain)."""
    names = ["doc", "start", "end", "tokens", "chain"]
    return set(annotation.mentions[names].itertuples(index=False, name=None))


def mention_rows(annotation: Annotation) -> list[tuple[Any, ...]]:
    """The mentions as (doc, start, end, mention, chain), in the order of the file."""
    names = ["doc", "start", "end", "mention", "chain"]
    return list(annotation.mentions[names].itertuples(index=False, name=None))


def partition(annotation: Annotation) -> set[frozenset[Any]]:
    """The chains as sets of (doc, start, end, tokens, mention), whatever their labels."""
    names = ["doc", "start", "end", "tokens", "mention"]
    return {
        frozenset(group[names].itertuples(index=False, name=None))
        for _, group in annotation.mentions.groupby("chain", sort=False)
    }


def kinds(matched: Matched) -> dict[str, int]:
    return {notice.code: notice.count for notice in matched.notices}


def mention(
    doc: Document, number: str, tokens: list[int], chain: str, event: bool = True
) -> dict[str, Any]:
    return {
        "id": f"{doc.id}/{number}",
        "doc": doc.id,
        "topic": doc.topic,
        "subtopic": doc.subtopic,
        "sentence": 0 if tokens[0] < 5 else 1,
        "start": tokens[0],
        "end": tokens[-1],
        "tokens": tuple(tokens),
        "text": " ".join(doc.tokens[t] for t in tokens),
        "tag": "ACTION_OCCURRENCE" if event else "HUMAN_PART_PER",
        "kind": "event" if event else "entity",
        "state": "annotated",
        "chain": chain,
        "relation": "cross_doc",
        "descriptor": "",
        "reviewed": True,
    }


def corpus() -> Corpus:
    """Two topics, three documents of two sentences with five tokens; one mention with a gap."""
    sentence = ("Police", "took", "the", "man", "in")
    documents = {
        id_: Document(id_, id_.split("_")[0], id_.split("_")[0] + "ecb", (sentence, second))
        for id_, second in {
            "1_1ecb": ("He", "was", "set", "free", "."),
            "1_2ecb": ("Half", "7 ½", "", "-", "#end document"),
            "2_1ecb": ("He", "was", "set", "free", "."),
        }.items()
    }
    one, two, three = documents.values()
    table = [
        mention(one, "10", [0], "HUM1", event=False),
        mention(one, "11", [1, 4], "ACT1"),
        mention(one, "12", [2, 3], "HUM2", event=False),
        mention(one, "13", [7, 8], "ACT2"),
        mention(two, "11", [1], "ACT1"),
        mention(two, "12", [6], "ACT3"),
        mention(three, "11", [1, 4], "ACT4"),
        mention(three, "12", [7, 8], "ACT5"),
        mention(three, "13", [8], "ACT5"),
    ]
    return Corpus("made", "0" * 64, documents, pd.DataFrame(table).set_index("id"), "all")


# Characters with a meaning in one of the formats are frequent.
ODD = "()|+&#;*_-\\/\"',.:[]{}09 \t\u2009\u00a0\u3000\ufeff\u2028½é"
TEXT = st.text(st.sampled_from(ODD) | st.characters(exclude_categories=["Cs"]), max_size=8)
HOSTILE = (
    "x; part 003", "x); part 001", "#begin document (x)", "#end document", "(1)", "12+3", "&#40;",
    "&#;", "-", "_", "*", "=1+1", "@x", "+1", "-1", "007", "1e5", "nan", "NA", "null", "None",
    "true", "\0", "a\rb", "a\r\nb", "a\n\nb", "a\vb", "\x1b[31m", "\ufeff", "\u202e", " x ",
    "x.xml", "a/b", "../a", "C:\\a", '"', '""', "'", "a,b", "a;b", "a\tb", "{}", '[{"', "chain",
    "doc", "<script>", "a|b", "\\N", "\\n",
)  # fmt: skip
NAME = (TEXT | st.sampled_from(HOSTILE)).filter(str.strip)
TOKEN = TEXT | st.sampled_from(
    ["#begin document (x)", "#end document", "-", "_", "(1)", "Awards\t"]
)


def _nested(spans: list[tuple[int, int]]) -> bool:
    """Whether no two spans cross or touch, as required for brackets with one label."""
    longer = [(s, e) for s, e in spans if s < e]
    return not any(a < c <= b < d for a, b in longer for c, d in longer)


@st.composite
def annotations(
    draw: st.DrawFn, gaps: bool = False, texts: bool = True, brackets: bool = True
) -> Annotation:
    """Annotations with up to three documents and odd names, labels and tokens.

    ``brackets``: only mentions that brackets can express.
    """
    documents: dict[str, tuple[str, ...] | None] = {}
    mentions: list[tuple[str, int, int, TokenNumbers, str]] = []
    for doc in draw(st.lists(NAME, min_size=1, max_size=3, unique=True)):
        tokens = tuple(draw(st.lists(TOKEN, min_size=1, max_size=7)))
        documents[doc] = tokens if texts else None
        index = st.integers(0, len(tokens) - 1)
        places = draw(st.lists(st.tuples(index, index), max_size=6, unique=True))
        spans = {(min(p), max(p)) for p in places}
        for start, end in sorted(spans):
            chain = draw(NAME)
            same = [m[1:3] for m in mentions if m[0] == doc and m[4] == chain]
            if brackets and not _nested([*same, (start, end)]):
                continue
            inside = range(start + 1, end)
            kept = draw(st.sets(st.sampled_from(inside))) if gaps and inside else set(inside)
            whole = len(kept) == len(inside)
            mentions.append((doc, start, end, () if whole else (start, *sorted(kept), end), chain))
    table = mention_table(
        [doc for doc, *_ in mentions],
        [start for _, start, *_ in mentions],
        [end for _, _, end, *_ in mentions],
        [chain for *_, chain in mentions],
        tokens=[gap for *_, gap, _ in mentions],
    )
    return Annotation("made", "made", table, documents)


@st.composite
def with_ids(draw: st.DrawFn, names: st.SearchStrategy[str] = NAME) -> Annotation:
    """Annotations of mentions with tokens, with an id, or with both, in any order; maybe none."""
    rows = []
    for _ in range(draw(st.integers(0, 5))):
        doc, mention = draw(names | st.just("")), draw(names | st.just(""))
        placed = not mention or (doc and draw(st.booleans()))
        if placed and not doc:
            continue
        tokens = (
            sorted(draw(st.sets(st.integers(0, 9), min_size=1, max_size=3))) if placed else [-1]
        )
        span = tokens[0], tokens[-1]
        gap = () if len(tokens) > span[1] - span[0] else tuple(tokens)
        home = doc or mention.rpartition("/")[0]
        rows.append((home, *span, gap, draw(names), mention))
    doc_, start, end, gaps, chain, ids = zip(*rows, strict=True) if rows else ((),) * 6
    table = mention_table(doc_, start, end, chain, tokens=gaps, mention=ids)
    return Annotation("made", "made", table, dict.fromkeys(doc_))
