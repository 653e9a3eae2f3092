"""Fit the probabilities of cases: ``python docs/studies/calibrate.py JUDGED.csv --corpus ecb+``.

JUDGED has the columns ``ranking`` (the kind of the case, or the list that it was drawn from),
``verdict`` (error, error-this-fix, error-other-fix, not-error, unsure) and ``mentions`` (ids; the
mention in question, or the ``document/tokens`` of a missing one, first). Missing links and spurious
members get a ridge regression on the columns of the learned order that a list of cases shows;
other groups get the number of errors among their judged cases. ``--output`` writes the numbers in
the format of cdec/auditing/ecbplus.json, where ``cdec audit run`` reads them.

That file was also fitted to columns that no list shows (words around the mentions, spelling of the
heads, rivals) and to planted errors. On ECB+ its AUC on other topics is .86 for links and .68 for
members; with the columns of this script it is .77 and .51. So keep that file for ECB+.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from planted import asked, audit
from scipy.special import logit
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cdec

KINDS = {"members": "spurious-member", "contradicting": "contradicting-members"}
KINDS |= {"copies": "copies-differ", "unmarked": "unmarked-mention", "no-event": "no-event"}


def keys(kind: str, chains: Sequence[str], first: str) -> list[Any]:
    """Return what identifies a case: a chain, the mention in question, or pairs of chains."""
    if kind in KINDS.values():
        return [(kind, chains[0] if kind == "contradicting-members" else first)]
    return [frozenset(pair) for pair in combinations(chains, 2)]


def table_of(case: dict[str, Any]) -> str:
    """Return ``links``, ``members``, or the group of cases with one probability."""
    (detector, *_), reason = case["detectors"], case["reasons"][0]
    groups = {"copies": "copies", "no-event": "no-event", "unmarked": "unmarked"}
    groups["duplicate"] = "duplicate" if "are identical" in reason else "near-duplicate"
    groups["tags"] = "shared-chain" if "also has mentions" in reason else "shared-descriptor"
    return groups.get(detector, "members" if case["kind"] == "spurious-member" else "links")


def columns(case: dict[str, Any], mentions: pd.DataFrame, sizes: Sequence[int]) -> dict[str, Any]:
    """Return the columns of the learned order; the ``sizes`` of the chains ascend."""
    score = np.clip(case["detectors"].get("svm", np.nan), 1e-6, 1 - 1e-6)  # a list has 6 digits
    outside = (~mentions["reviewed"]).mean()
    if table_of(case) == "members":
        return {"svm": -logit(score) / 2, "size": np.log(sizes[0] - 1), "outside": outside}
    shapes = {"clusters": sizes[0] > 1, "smaller": np.log(sizes[0]), "larger": np.log(sizes[-1])}
    shapes |= {"crossing": len({*mentions["subtopic"]}) > 1, "inside": len({*mentions["doc"]}) == 1}
    share = case["detectors"].get("companions", 0.0)  # count / (count + 1); not shown below 2
    return {"svm": logit(score) / 2, "companions": -np.log1p(-share), **shapes, "outside": outside}


def matched(judged: pd.DataFrame, cases: list[dict[str, Any]], events: pd.DataFrame) -> Any:
    """Return the table, columns, verdict and unit (topic) of each judged case that is listed."""
    chain, sizes = events["chain"].to_dict(), events.groupby("chain").size()
    unit = next((u for u in ("topic", "subtopic") if len({*events[u]}) > 1), "doc")
    places: dict[Any, dict[str, Any]] = {}
    for case in reversed(cases):
        chains = [side["chain"] for side in case["sides"] if not side.get("evidence")]
        places |= dict.fromkeys(keys(case["kind"], chains, asked(case)[0]), case)
    rows: dict[Any, dict[str, Any]] = {}
    clear = judged.loc[judged["verdict"] != "unsure", ["ranking", "verdict", "mentions"]]
    for ranking, verdict, text in clear.to_numpy():
        ids = [id_ for id_ in text.split() if id_ in chain]
        known = {chain[id_]: id_ for id_ in reversed(ids)}
        chains = list(dict.fromkeys(chain[id_] for id_ in ids))
        possible = keys(KINDS.get(ranking, ranking), chains, text.split()[0]) if ids else []
        for key in [key for key in possible if key in places][:1]:
            case, table = places[key], table_of(places[key])
            ends = [known[one] for one in key] if table == "links" else ids[:1]
            row = {"table": table, "error": verdict != "not-error", "unit": events[unit][ids[0]]}
            near = sorted(sizes[chain[id_]] for id_ in ends)
            row |= columns(case, events.loc[ends], near) if table in {"links", "members"} else {}
            rows.setdefault((table, key if "svm" in row else case["case"]), row)
    return pd.DataFrame(list(rows.values()))


def fitted(x: pd.DataFrame, error: Any, unit: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the regression, its covariance robust to topics, and its quality on other topics."""
    ridge = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000)
    model = make_pipeline(StandardScaler(), SimpleImputer(strategy="constant", fill_value=0), ridge)
    folds = GroupKFold(min(10, len({*unit})))
    p = cross_val_predict(model, x, error, groups=unit, cv=folds, method="predict_proba")[:, 1]
    about: Any = {"judged": len(x), "errors": int(error.sum()), "topics": len({*unit})}
    scores = {"auc": roc_auc_score(error, p), "brier": ((p - error) ** 2).mean()}
    about |= {name: round(float(value), 4) for name, value in scores.items()}
    z = np.column_stack([model.fit(x, error)[:-1].transform(x), np.ones(len(x))])
    p, penalty = model.predict_proba(x)[:, 1], np.diag([1.0] * x.shape[1] + [1e-6])
    bread = np.linalg.inv((z * (p * (1 - p))[:, None]).T @ z + penalty)
    sums = pd.DataFrame(z * (error - p)[:, None]).groupby(unit).sum().to_numpy()
    numbers = {"weights": np.append(ridge.coef_[0], ridge.intercept_), "scale": model[0].scale_}
    numbers |= {"mean": model[0].mean_, "covariance": bread @ sums.T @ sums @ bread}
    return {"names": list(x)} | {n: np.round(v, 6).tolist() for n, v in numbers.items()}, about


def main() -> None:
    """Audit with a low δ, as the SVM's margins are a column; match, fit, print."""
    parser = argparse.ArgumentParser(description="Fit the probabilities of cases to judged cases.")
    parser.add_argument("judged", nargs="+", help="CSV files of judged cases")
    parser.add_argument("--corpus", default="sample", help="as for cdec audit run")
    parser.add_argument("--key-patch", help="the patch of the key whose cases were judged")
    parser.add_argument("--output", type=Path, help="write the numbers as JSON")
    args = parser.parse_args()
    corpus = cdec.load_corpus(args.corpus, key_patch=args.key_patch)
    judged = pd.concat([pd.read_csv(path, dtype=str) for path in args.judged])
    patch = ["--key-patch", args.key_patch] if args.key_patch else []
    rows = matched(judged, audit(args.corpus, "--delta", "0.01", *patch), corpus.selected)
    about, models = dict[str, Any](corpus.about), dict[str, Any]()
    for table in ("links", "members"):
        part = rows[rows["table"] == table].dropna(axis=1, how="all")
        x = part.drop(columns=["table", "error", "unit"]).astype(float)
        error, unit = part["error"].to_numpy(bool), part["unit"].to_numpy()
        if min(error.sum(), (~error).sum()) < 5:
            sys.exit(f"judge at least 5 errors and 5 others among the {table}")
        models[table], about[table] = fitted(x, error, unit)
        print(table, about[table], list(x), models[table]["weights"], sep="\n")
    others = rows[~rows["table"].isin(models)].groupby("table")["error"].agg(["sum", "count"])
    rates = {str(name): [int(k), int(n)] for name, k, n in others.itertuples()}
    content = {"format": "cdec-audit-calibration/1", "about": about, **models, "rates": rates}
    print("rates", rates, sep="\n")
    if args.output:
        args.output.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
