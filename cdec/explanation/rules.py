"""Each metric as the contribution of one chain, written with the symbols of its paper.

The chain is K and those of the other side are R; for a response chain the letters change places.
Summed over the chains of a side, the contributions are the counts of ``cdec.metrics`` (the papers
are named there).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from cdec.explanation.contribution import Contribution, Share
from cdec.explanation.notation import braces, bracketed, brief, full, total
from cdec.explanation.sheet import Alignment, Chain, Sheet, phi_3, phi_4
from cdec.metadocument import OTHER, Side
from cdec.wording import counted

Rule = Callable[[Chain, Sheet], Contribution]
_LETTER: dict[Side, str] = {"key": "K", "response": "R"}


def muc(chain: Chain, sheet: Sheet) -> Contribution:
    """Count links less one for every cut: |K| − |p(K)| of |K| − 1."""
    x = _LETTER[chain.side]
    n = chain.size
    parts = [*(part.mentions for part in chain.parts), *((m,) for m in chain.twinless)]
    place = {mention: number for number, mention in enumerate(chain.mentions)}
    share = _share(n - len(parts), n - 1)
    sets = " ".join(map(braces, sorted(parts, key=lambda part: place[part[0]])))
    lone = "; a twinless mention is a part of its own" if chain.twinless else ""
    formula = f"|{x}| − |p({x})| = {n} − {len(parts)} = {n - len(parts)} of |{x}| − 1 = {n - 1}"
    return Contribution(chain, share, formula, (f"p({x}) = {sets}{lone}",))


def b_cubed(chain: Chain, sheet: Sheet) -> Contribution:
    """Count, mention by mention, the share of the chain that is right: Σ |K ∩ R| / |K| of |K|."""
    x = _LETTER[chain.side]
    n = chain.size
    shared = {mention: part.size for part in chain.parts for mention in part.mentions}
    terms = [shared.get(mention, 0) for mention in chain.mentions]
    share = _share(Fraction(sum(terms), n), n)
    formula = (
        f"Σ |K ∩ R| / |{x}| over the mentions = {total(f'{term}/{n}' for term in terms)} "
        f"= {full(share.numerator)} of |{x}| = {n}"
    )
    return Contribution(chain, share, formula)


def ceaf_m(chain: Chain, sheet: Sheet) -> Contribution:
    """Count the mentions shared with the aligned chain, of |K|."""
    x = _LETTER[chain.side]
    shared, other = _aligned(chain, sheet, sheet.aligned_m)
    share = _share(phi_3(shared, chain.size, other), chain.size)
    written = f"φ₃(K, R) = |K ∩ R| = {shared}" if shared else "0"
    formula = f"{written} of |{x}| = {chain.size}"
    return Contribution(chain, share, formula, _choice(chain, sheet, sheet.aligned_m))


def ceaf_e(chain: Chain, sheet: Sheet) -> Contribution:
    """Count the similarity φ₄ to the aligned chain, of 1."""
    shared, other = _aligned(chain, sheet, sheet.aligned_e)
    share = _share(phi_4(shared, chain.size, other), 1)
    sizes = (chain.size, other) if chain.side == "key" else (other, chain.size)
    written = (
        f"φ₄(K, R) = 2 |K ∩ R| / (|K| + |R|) = 2 · {shared} / ({sizes[0]} + {sizes[1]}) "
        f"= {full(share.numerator)}"
    )
    formula = f"{written if shared else '0'} of 1 (each chain counts 1)"
    return Contribution(chain, share, formula, _choice(chain, sheet, sheet.aligned_e))


def blanc_coref(chain: Chain, sheet: Sheet) -> Contribution:
    """Count the links inside the chain that the other side has, of all links inside it."""
    x = _LETTER[chain.side]
    n = chain.size
    terms = [_links(part.size) for part in chain.parts]
    share = _share(sum(terms), _links(n))
    formula = (
        f"Σ |K ∩ R| (|K ∩ R| − 1) / 2 = {_summed(terms)} right "
        f"of |{x}| (|{x}| − 1) / 2 = {n} · {n - 1} / 2 = {counted(_links(n), 'link')}, "
        f"{brief(share.denominator - share.numerator)} {_fault(chain)}"
    )
    return Contribution(chain, share, formula)


def blanc_noncoref(chain: Chain, sheet: Sheet) -> Contribution:
    """Count half of each link that leaves the chain: right ones, of all.

    A non-coreference link has two ends, in two chains: each chain counts half of it.
    """
    x, other = _LETTER[chain.side], _LETTER[OTHER[chain.side]]
    n, beyond = chain.size, sheet.mentions[chain.side, chain.meta] - chain.size
    common = sheet.common[chain.meta] - chain.common
    # Common mentions outside K, less those outside K that R holds.
    open_ends = [
        (part.size, common - (sheet.other(chain, part).common - part.size)) for part in chain.parts
    ]
    share = _share(Fraction(sum(a * b for a, b in open_ends), 2), Fraction(n * beyond, 2))
    formula = (
        f"½ Σ |K ∩ R| · (common mentions outside {x} and {other}) "
        f"= ½ · {bracketed(f'{a} · {b}' for a, b in open_ends)} = {full(share.numerator)} right "
        f"of ½ |{x}| · ({chain.side} mentions outside {x}) = ½ · {n} · {beyond} "
        f"= {full(share.denominator)}, {brief(share.denominator - share.numerator)} {_fault(chain)}"
    )
    return Contribution(chain, share, formula, ("a link between two chains counts half in each",))


def lea(chain: Chain, sheet: Sheet) -> Contribution:
    """Count importance times resolution: |K| × Σ link(|K ∩ R|) / link(|K|), of |K|."""
    x = _LETTER[chain.side]
    n = chain.size
    if n == 1:
        return _lea_singleton(chain, sheet)
    terms = [_links(part.size) for part in chain.parts]
    share = _share(Fraction(n * sum(terms), _links(n)), n)
    formula = (
        f"importance × resolution = |{x}| × Σ link(|K ∩ R|) / link(|{x}|) "
        f"= {n} × {bracketed(terms)}/{_links(n)} = {full(share.numerator)} of |{x}| = {n}"
    )
    return Contribution(chain, share, formula, ("link(n) = n (n − 1) / 2",))


def _lea_singleton(chain: Chain, sheet: Sheet) -> Contribution:
    x = _LETTER[chain.side]
    found = int(any(sheet.other(chain, part).size == 1 for part in chain.parts))
    other = OTHER[chain.side]
    why = f"a singleton of the {other}, too" if found else f"no singleton of the {other}"
    formula = f"importance × resolution = 1 × {found}/1 = {found} of |{x}| = 1"
    remark = f"{x} is a singleton, its one link is to itself; it is {why}"
    return Contribution(chain, _share(found, 1), formula, (remark,))


RULES: dict[str, Rule] = {
    "muc": muc,
    "b3": b_cubed,
    "ceafm": ceaf_m,
    "ceafe": ceaf_e,
    "blanc_coref": blanc_coref,
    "blanc_noncoref": blanc_noncoref,
    "lea": lea,
}


def _share(numerator: Fraction | int, denominator: Fraction | int) -> Share:
    return Share(Fraction(numerator), Fraction(denominator))


def _links(mentions: int) -> int:
    return mentions * (mentions - 1) // 2


def _summed(terms: list[int]) -> str:
    return f"{total(terms)} = {sum(terms)}" if len(terms) > 1 else total(terms)


def _fault(chain: Chain) -> str:
    return "missed" if chain.side == "key" else "wrong"


def _aligned(chain: Chain, sheet: Sheet, alignment: Alignment) -> tuple[int, int]:
    """Return (shared mentions, size) of the aligned chain; (0, 0) of none."""
    match = alignment.get((chain.side, chain.number))
    met = (part for part in chain.parts if part.other == match)
    return next(((part.size, sheet.other(chain, part).size) for part in met), (0, 0))


def _choice(chain: Chain, sheet: Sheet, alignment: Alignment) -> tuple[str, ...]:
    """Say which chain the best alignment gives to this one, and who has the others it meets."""
    match = alignment.get((chain.side, chain.number))
    pairs = [f"{_LETTER[chain.side]} ↔ {_name(sheet, OTHER[chain.side], match)}"]
    for part in chain.parts:
        if part.other != match:
            owner = alignment.get((OTHER[chain.side], part.other))
            rival = _name(sheet, OTHER[chain.side], part.other)
            pairs.append(f"{rival} ↔ {_name(sheet, chain.side, owner)}")
    return (f"best one-to-one alignment: {', '.join(pairs)}",)


def _name(sheet: Sheet, side: Side, number: int | None) -> str:
    return "none" if number is None else f"{side} {sheet.chains(side)[number].label}"
