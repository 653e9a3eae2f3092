"""Decisions whose corrections exclude each other, or have effects that no decision names."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain as flat
from itertools import combinations, pairwise

from scipy.cluster.hierarchy import DisjointSet

from cdec.auditing.review.decisions import ERROR, Decision, Known

_Node = tuple[str, str]  # a chain of the key, a group of moved mentions, or one mention
_LARGE = 3  # mentions; two chains of this size are fused only by a case that names both


@dataclass(frozen=True)
class Conflict:
    """Corrections that exclude each other: the cases to leave out, and why."""

    cases: tuple[str, ...]
    text: str


def conflicts(
    decisions: Sequence[Decision], chains: Mapping[str, str] | None = None
) -> list[Conflict]:
    """Return all conflicts between the operations of errors, and with cases that are none.

    Without the cases of all conflicts, the rest has no conflict. ``chains`` maps mentions to their
    chains in the key: merges that return a moved mention to its chain, and large chains that are
    fused through others, are found only with these.
    """
    found: list[Conflict] = []
    rest = list(decisions)
    while new := _conflicts(rest, chains or {}):
        found += new
        left_out = {case for conflict in new for case in conflict.cases}
        rest = [decision for decision in rest if decision.case not in left_out]
    return found


def _conflicts(decisions: Sequence[Decision], chains: Mapping[str, str]) -> list[Conflict]:
    errors = [decision for decision in decisions if decision.verdict == ERROR]
    links = Links(errors, chains)
    return [
        *_given_twice(errors, "move"),
        *_removed(errors),
        *_anchored(errors),
        *(conflict for name in ("span", "tag", "add") for conflict in _given_twice(errors, name)),
        *_kept_apart(decisions, links),
        *_undone(links),
        *_fused(links),
    ]


def _given_twice(errors: list[Decision], name: str) -> Iterator[Conflict]:
    """Yield the mentions with two spans, tags or chains, or moved with two groups or targets."""
    values: dict[str, dict[object, list[str]]] = defaultdict(dict)
    for decision in errors:
        operation = decision.operation
        target = (frozenset(operation.move), frozenset(operation.merge))
        moved = dict.fromkeys(operation.move, target)
        given = moved if name == "move" else getattr(operation, name)
        for mention, value in given.items():
            values[mention].setdefault(value, []).append(decision.case)
    for mention, chosen in values.items():
        cases = tuple(flat.from_iterable(chosen.values()))
        text = f"give '{mention}' different values of {name}"
        text = f"move the mention '{mention}' differently" if name == "move" else text
        if len(chosen) > 1:
            yield Conflict(cases, f"{listed(cases)} {text}")


def _removed(errors: list[Decision]) -> list[Conflict]:
    """Mentions that one case removes, and another links or changes."""
    removing: dict[str, list[str]] = defaultdict(list)
    using: dict[str, list[str]] = defaultdict(list)
    for decision in errors:
        removed = set(decision.operation.remove)
        for mention in decision.operation.mentions:
            (removing if mention in removed else using)[mention].append(decision.case)
    return [
        Conflict(
            (*removing[mention], *using[mention]),
            f"the mention '{mention}' is removed by {listed(removing[mention])}, but linked or "
            f"changed by {listed(using[mention])}",
        )
        for mention in removing
        if mention in using
    ]


def _anchored(errors: list[Decision]) -> Iterator[Conflict]:
    """Yield the links to the chain of a mention that another case moves out of it."""
    movers = {mention: decision for decision in errors for mention in decision.operation.move}
    for decision in errors:
        linked = set(decision.operation.merge)
        for mention in sorted(linked & movers.keys() - set(decision.operation.move)):
            mover = movers[mention]
            if not linked <= set(mover.operation.merge):  # else both say the same
                text = (
                    f"case {decision.case} links others to the chain of '{mention}', which case "
                    f"{mover.case} moves out of it: name another mention of this chain, or apply "
                    "one case and decide the other on the corrected key"
                )
                yield Conflict((decision.case, mover.case), text)


class Links:
    """The chains that the operations of errors merge, after all moves, as a graph.

    A mention whose chain is unknown stands for a chain of its own.
    """

    def __init__(self, errors: list[Decision], chains: Mapping[str, str]) -> None:
        self._chains = chains
        self._moved: dict[str, _Node] = {}
        self.movers: dict[_Node, dict[str, tuple[str, ...]]] = defaultdict(dict)
        self._next: dict[_Node, dict[_Node, dict[str, None]]] = defaultdict(dict)
        for decision in errors:
            if group := decision.operation.move:
                node = ("group", min(group))
                self._moved |= dict.fromkeys(group, node)
                self.movers[node][decision.case] = group
        self.merges = {d.case: [self.node(m) for m in d.operation.merge] for d in errors}
        nodes = dict.fromkeys(node for merged in self.merges.values() for node in merged)
        self._joined = DisjointSet(nodes)
        for case, merged in self.merges.items():
            for one, two in pairwise(merged):
                self._next[one].setdefault(two, {})[case] = None
                self._next[two].setdefault(one, {})[case] = None
                self._joined.merge(one, two)

    def node(self, mention: str) -> _Node:
        """Return the chain, the group of moved mentions or the mention itself."""
        return self._moved.get(mention) or self.home(mention) or ("mention", mention)

    def joined(self, node: _Node) -> _Node | None:
        """Return one node for all that are merged with ``node``; None if it is not merged."""
        return self._joined[node] if node in self._next else None

    def large(self) -> dict[_Node, int]:
        """Return the merged chains of three or more mentions, and their sizes after all moves."""
        sizes = Counter(self.node(mention) for mention in {**self._chains, **self._moved})
        return {node: sizes[node] for node in self._joined if sizes[node] >= _LARGE}

    def home(self, mention: str) -> _Node | None:
        """Return the chain of a mention in the key, without what is moved; None if unknown."""
        return ("chain", self._chains[mention]) if mention in self._chains else None

    def between(self, one: str, two: str) -> tuple[str, ...]:
        """Return the cases that bring two mentions into one chain; none if they are in two."""
        ends = self.node(one), self.node(two)
        same = ends[0] == ends[1]
        return tuple(self.movers.get(ends[0], ())) if same else self.path(*ends)

    def path(self, start: _Node, end: _Node) -> tuple[str, ...]:
        """Return the cases on a shortest path, the last step first; none if there is no path."""
        paths: dict[_Node, tuple[str, ...]] = {start: ()}
        waiting = deque([start])
        while waiting and end not in paths:
            node = waiting.popleft()
            new = {n: c for n, c in self._next.get(node, {}).items() if n not in paths}
            paths |= {near: (*cases, *paths[node]) for near, cases in new.items()}
            waiting.extend(new)
        return tuple(dict.fromkeys(paths.get(end, ())))


def _kept_apart(decisions: Sequence[Decision], links: Links) -> list[Conflict]:
    """Mentions that a decision keeps separate, and that other cases bring into one chain."""
    found = []
    for decision in decisions:
        separate = decision.operation.merge
        if decision.verdict == ERROR or decision.operation.move or len(separate) < 2:
            continue
        paths = [links.between(separate[0], mention) for mention in separate[1:]]
        if all(paths):
            cases = tuple(dict.fromkeys(case for path in paths for case in path))
            text = (
                f"case {decision.case} keeps the chains of {', '.join(separate)} separate, but "
                f"they are merged by {listed(cases)}"
            )
            found.append(Conflict(cases, text))
    return found


def _undone(links: Links) -> list[Conflict]:
    """Mentions that one case moves, and others return to the chain that they leave."""
    found = []
    for node, movers in links.movers.items():
        for mention in next(iter(movers.values())):
            home = links.home(mention)
            path = links.path(node, home) if home else ()
            if path:
                text = (
                    f"the mention '{mention}' is moved out of its chain by "
                    f"{listed(tuple(movers))}, but returned to it by {listed(path)}"
                )
                found.append(Conflict(tuple(dict.fromkeys((*movers, *path))), text))
                break
    return found


def _fused(links: Links) -> list[Conflict]:
    """Large chains that cases fuse through other chains, without a case that merges both."""
    sizes = links.large()
    named = DisjointSet(sizes)
    for nodes in links.merges.values():
        for one, two in pairwise(node for node in nodes if node in sizes):
            named.merge(one, two)
    found: list[Conflict] = []
    first: dict[_Node | None, _Node] = {}
    for node, size in sizes.items():
        one = first.setdefault(links.joined(node), node)
        if not named.connected(one, node):
            cases = links.path(one, node)
            text = (
                f"{listed(cases)} fuse the chains '{one[1]}' and '{node[1]}' ({sizes[one]} and "
                f"{size} mentions) through others, but no case merges both"
            )
            found.append(Conflict(cases, text))
    return found


def joined_sentences(decisions: Sequence[Decision], known: Known) -> list[Conflict]:
    """Return the pairs of mentions of one sentence that corrections bring into one chain.

    Pairs that a single decision names are left out.
    """
    errors = [decision for decision in decisions if decision.verdict == ERROR]
    links = Links(errors, known.chains)
    removed = {mention for decision in errors for mention in decision.operation.remove}
    groups: dict[tuple[object, str], list[str]] = defaultdict(list)
    for mention, sentence in known.sentences.items():
        if mention not in removed and (chain := links.joined(links.node(mention))):
            groups[chain, sentence].append(mention)
    named = {pair for d in errors for pair in combinations(sorted(d.operation.merge), 2)}
    pairs = (pair for mentions in groups.values() for pair in combinations(sorted(mentions), 2))
    return [
        Conflict(cases, f"'{one}' and '{two}' ({listed(cases)})")
        for one, two in pairs
        if (one, two) not in named and links.node(one) != links.node(two)
        if (cases := links.between(one, two))
    ]


def listed(cases: Sequence[str]) -> str:
    """Return the cases in words."""
    return f"{'case' if len(cases) == 1 else 'cases'} {', '.join(cases)}"
