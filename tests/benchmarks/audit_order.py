"""The figures of docs/audit.md on judged cases: ``python -m tests.benchmarks.audit_order``.

It audits ECB+ (``CDEC_ECBPLUS``), and prints the share of gold pairs that are compared, the judged
cases by verdict, the AUC of the order on other topics by the weight of planted errors, the AUC with
and without each column (of the fitted cases on other topics, of the others), the errors of each
file and how many were expected by models of other topics, and the share of
errors by range of ranks: of the present order on the cases that no model has seen, and of
an order in which no case is scored by a model that was fitted to its topic. Some five minutes.
Arguments are further CSV files, of readers of an earlier list: their columns are ``kind`` (SM: a
spurious member, CM: contradicting members, else a link), ``verdict`` and ``mentions``.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score

from cdec.api import load_corpus
from cdec.arrays import Ints
from cdec.auditing import (
    AuditConfig,
    Findings,
    Judged,
    Key,
    cross_validated,
    default_calibration,
    fitted,
    match,
    planted_samples,
    prepare,
    ranking,
    read_judged,
    sample,
)
from cdec.auditing.connected import Groups

DOCS = Path(__file__).parents[2] / "docs"
FITTED = DOCS / "audit-judgement.csv", DOCS / "audit-judgement-read.csv"
BLIND = DOCS / "audit-judgement-blind.csv"
RANKS = ((1, 1000), (1001, 2000), (2001, 3000), (1001, 3000), (3001, 10**6))
WEIGHTS = (0.0, 0.1, 0.3, 1.0)
FOLDS = 10


def by_ranks(title: str, table: pd.DataFrame, judged: pd.DataFrame) -> None:
    """Print the share of errors, with its Wilson interval, and the expected share, by ranks."""
    rows = judged.merge(table[["table", "row", "rank", "score"]], on=["table", "row"])
    print(title)
    for low, high in RANKS:
        part = rows[rows["rank"].between(low, high)]
        if len(part):
            errors, n = int(part["error"].sum()), len(part)
            ends = binomtest(errors, n).proportion_ci(method="wilson")
            shares = f"{errors / n:.0%} ({ends.low:.0%}-{ends.high:.0%})"
            print(f"  {low}-{high}: {errors} of {n}, {shares}, expected {part['score'].mean():.0%}")


def unseen(
    table: pd.DataFrame, features: pd.DataFrame, topics: Ints, fit: Judged, planted: Judged
) -> pd.Series[float]:
    """Return the score of each row from a model that was fitted to other topics, by row."""
    names = np.unique(topics)
    folds = pd.Series(np.random.default_rng(0).permutation(len(names)) % FOLDS, index=names)
    fold = {
        name: folds.reindex(codes, fill_value=-1).to_numpy()
        for name, codes in (("rows", topics), ("fit", fit.topics), ("planted", planted.topics))
    }
    score = pd.Series(np.nan, index=table.index)
    for number in range(FOLDS):
        rows = fit.take(fold["fit"] != number).with_planted(planted.take(fold["planted"] != number))
        here = fold["rows"] == number
        score[here] = fitted(rows).probabilities(features[here])
    return score


def of_reader(path: str) -> pd.DataFrame:
    """Return the verdicts of a reader of an earlier list, as ``read_judged`` returns them."""
    listed = pd.read_csv(path)
    listed = listed[listed["verdict"] != "unsure"]
    tables = {"SM": "spurious-member", "CM": "contradicting"}
    error = (listed["verdict"] != "not-error").astype(float)
    ranking = listed["kind"].map(tables).fillna("links")
    return pd.DataFrame(
        {"ranking": ranking, "error": error, "mentions": listed["mentions"].str.split()}
    )


def without(leave: list[str], every: dict[str, Judged], planted: Judged) -> str:
    """Return the AUC without some columns: of ``fit`` on other topics, and of the other files."""
    parts = {n: replace(one, table=one.table.drop(columns=leave)) for n, one in every.items()}
    also = replace(planted, table=planted.table.drop(columns=leave))
    fit = parts.pop("fit")
    model = fitted(fit.with_planted(also))
    values = [(fit.error, cross_validated(fit, also))]
    others = [(one.error, model.probabilities(one.table)) for one in parts.values()]
    errors, scores = zip(*others, strict=True)
    values += [*others, (np.concatenate(errors), np.concatenate(scores))]
    shown = [roc_auc_score(*v) if 0 < v[0].sum() < len(v[0]) else np.nan for v in values]
    return f"{', '.join(leave) or 'nothing'}: " + ", ".join(f"{auc:.4f}" for auc in shown)


def compared(key: Key) -> None:
    """Print the number of compared pairs and the share of the gold pairs among them."""
    linked, gold = int(key.linked.sum()), int((key.sizes * (key.sizes - 1) // 2).sum())
    pairs = f"{len(key.linked):,} pairs, {linked:,} linked"
    print(f"{key.corpus.name}: {pairs}: {linked / gold:.0%} of the key")


def main() -> None:
    """Audit ECB+ and print all figures."""
    corpus, config = load_corpus("ecb+"), AuditConfig()
    prepared = prepare(corpus, config)
    findings = Findings.of(key := Key(corpus, prepared, config))
    compared(key)
    table = ranking(findings, default_calibration()).table
    blind = read_judged([BLIND])
    # Cases of every kind were drawn: those with one mention ask whether it is an event.
    single = blind["mentions"].map(len) == 1
    blind["ranking"] = np.where(single, "no-event", blind["ranking"])
    by_ranks("blind", table, match(blind, findings))
    unfitted = [(BLIND, blind), *((path, of_reader(path)) for path in sys.argv[1:])]
    for path, verdicts in unfitted[1:]:
        by_ranks(str(path), table, match(verdicts, findings))
    listed = pd.concat(map(pd.read_csv, FITTED))
    print(listed.groupby(["ranking", "verdict"]).size().unstack(fill_value=0))
    judged = match(read_judged(FITTED), findings)
    planted = planted_samples(corpus, prepared, config)
    codes = pd.factorize(corpus.selected["topic"])[0]
    for one in findings.pairwise:
        name, features, rows = one.name, one.features(), one.rows
        every = {"fit": sample(judged, one)}
        every |= {str(n): sample(match(table_of, findings), one) for n, table_of in unfitted}
        print(f"{name} without …: AUC on other topics, on each file not fitted, on all of these")
        pairs = [list(p) for p in combinations(one.learned, 2)] if one.learned else []
        for leave in ([], *([str(c)] for c in every["fit"].table), *pairs, one.unordered):
            print(" ", without(leave, every, planted[name]))
        fit = every["fit"].ordered(one)
        planted[name] = planted[name].ordered(one)
        for weight in WEIGHTS:
            weights = np.full(len(planted[name].weights), weight)
            p = cross_validated(fit, replace(planted[name], weights=weights) if weight else None)
            print(f"{name}: weight {weight}, AUC {roc_auc_score(fit.error, p):.3f}")
        own = unseen(rows, features, codes[rows[one.subject].astype(int)], fit, planted[name])
        for path in FITTED:
            of_file = match(read_judged([path]), findings)
            of_file = of_file[of_file["table"] == name]
            errors, expected = int(of_file["error"].sum()), own[of_file["row"]].sum()
            print(f"{path.name}: {errors} of {len(of_file)} {name}, expected {expected:.1f}")
        mine = table["table"] == name
        table.loc[mine, "score"] = own[table.loc[mine, "row"]].to_numpy()
    again = table.sort_values("score", ascending=False, kind="stable")
    again["rank"] = Groups(findings, again).ranks
    for kinds in (["links"], ["links", "members"]):
        by_ranks(f"other topics: {', '.join(kinds)}", again, judged[judged["table"].isin(kinds)])


if __name__ == "__main__":
    main()
