"""Write docs/settings-decide.md and its picture: how far the setting decides the order of systems.

    python docs/studies/setting_study.py

Scores under the six settings are the saved results of the board. What the board does not save is in
two tables beside this file:

* scores.csv: CoNLL F under all 18 combinations of the three choices. ``--responses`` scores the
  responses again, those of ``cdec leaderboard fetch`` or those in a folder; ``--only NAME`` (repeat
  it for several) scores some systems.
* tests.csv: p of each pair of systems under YCF and PURE-CDEC, by a t test over topics and runs.
  ``--tests`` makes it again with ``cdec.compare``, which takes hours for all pairs. That has this
  test unless both systems have a single run; p of such pairs is from randomisation tests.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path
from string import Template
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import false_discovery_control

import cdec

HERE = Path(__file__).resolve().parent
PAGE, PICTURE = HERE.parent / "settings-decide.md", HERE.parent / "settings-decide.svg"
SCORES, TESTS = HERE / "scores.csv", HERE / "tests.csv"
SYSTEMS = HERE.parents[1] / "configs" / "leaderboard" / "systems"
PARTS = {"ecb+": "cybulska/test", "gvc": "test"}
SETTINGS = ("pure", "simple", "bh", "st", "is", "ycf")
HEADS = ("PURE-CDEC", "SIMPLE-CDEC", "B&H", "S.T.", "I.S.", "YCF")
CHOICES = {
    "scope": ("subtopic", "topic", "corpus"),
    "ignore_singletons": ("no", "key", "own"),
    "reduce_within_document": ("no", "yes"),
}
NAMED: dict[tuple[str, ...], str] = {  # the six settings by their choices
    ("corpus", "no", "yes"): "pure",
    ("corpus", "no", "no"): "simple",
    ("topic", "no", "no"): "bh",
    ("subtopic", "no", "no"): "st",
    ("corpus", "key", "no"): "is",
    ("subtopic", "key", "no"): "ycf",
}
TWINS = ("cattan-bbc-gold", "cattan-ecbp-bbc-gold")
UNTOUCHED = "cattan-ecbp-gold"  # never saw HyperCoref-BBC
LABELLED = 12  # lines of the picture with a label, besides TWINS
EQUAL = 5e-7  # scores.csv has six digits
Floats = npt.NDArray[np.float64]
PROSE = Template("""\
# The setting decides which of two systems is better

**Choose YCF and the system trained on HyperCoref-BBC only beats its twin by $ahead points; choose
PURE-CDEC and it loses by $behind. Same outputs, both differences significant.** The two settings
order $share_ycf % of all pairs of systems differently. So a CoNLL F cannot be compared unless its
setting is known: which links between mentions are counted ([settings](settings.md)).

| Better under YCF | than | YCF | p | PURE-CDEC | p |
| --- | --- | ---: | ---: | ---: | ---: |
| $twin_a | $twin_b | $twin_ycf | $twin_ycf_p | $twin_pure | $twin_pure_p |

Both are the system of Cattan et al. (2021) on the same gold mentions and gold document clusters;
only the training data differ. Corrected for the number of pairs, p is $twin_ycf_bh and
$twin_pure_bh. CoNLL F in percent, mean ± standard deviation of three runs:

| System | $heads |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| $twin_a | $row_a |
| $twin_b | $row_b |

![Ranks of $n systems on ECB+ under six settings, the best at the top. Most lines cross from S.T. to
I.S., where the singletons of the key are removed: $rise systems rise from below rank 40 to the top
ten.](settings-decide.svg)

Each line is one of the $n ranked systems of the [leaderboard](leaderboard.md) on the validated
sentences of the test part of ECB+. Rows of people, and a row whose candidates contain gold links of
test, are not ranked.

## Results

* Pairs that PURE-CDEC and another setting order differently: SIMPLE-CDEC $share_simple %,
  B&H $share_bh %, S.T. $share_st %, I.S. $share_is %, YCF $share_ycf %.
* Of $certain pairs with p < 0.05 under both YCF and PURE-CDEC, $turned are reversed; with p
  corrected for the number of pairs (Benjamini and Hochberg 1995), $turned_bh of $certain_bh.
* A setting is three choices. If one changes and the other two stay, these pairs are reversed on
  average (for each choice, the change with the greatest effect; singletons: none are removed, those
  of the key, or each side's own):
  * ECB+: $ecb;
  * GVC, $n_gvc systems: $gvc.
* Not every reversal is significant. $twin_a against $other, which never saw
  HyperCoref-BBC, is $other_ycf points under YCF (p = $other_ycf_p) and $other_pure under
  PURE-CDEC (p = $other_pure_p).

Report the signature of a score, and at least SIMPLE-CDEC and PURE-CDEC. A system that links too
much loses little under YCF, because wrong links to a gold singleton are not counted there.

## Limits

All systems cluster gold mentions of validated sentences, so most singletons of ECB+ are not
scored, and a system that detects mentions may be ordered differently. Of the $n systems (of
$families families) $same are one architecture with other training data and share its errors: the
shares describe this collection, not a population of systems. p is from a t test over ten topics
and the runs and does not resample words; pairs are not independent, and GVC has one topic.

[setting_study.py](studies/setting_study.py) writes this page from the saved results of the board,
[scores.csv](studies/scores.csv) (all 18 combinations of the choices) and
[tests.csv](studies/tests.csv) (p of each pair), and can make both tables again.
""")


def systems() -> dict[str, dict[str, Any]]:
    """Return the ranked systems of the board: neither people nor given gold links of test."""
    entries = [tomllib.loads(path.read_text("utf-8")) for path in sorted(SYSTEMS.glob("*.toml"))]
    return {
        e["name"]: e for e in entries if not e.get("people") and e["uses"].get("pairs") != "gold"
    }


def spelled(choices: tuple[str, ...]) -> str:
    """Return the name of a setting, else its choices as ``cdec eval --setting`` takes them."""
    named = zip(CHOICES, choices, strict=True)
    return NAMED.get(choices) or ",".join(f"{name}={v}" for name, v in named if v != "no")


def saved(task: str) -> pd.DataFrame:
    """Return the saved CoNLL F of a task: columns system, setting, f1, f1_sd and others."""
    command = [sys.executable, "-m", "cdec", "leaderboard", "show", "--task", task]
    command += ["--folder", str(SYSTEMS.parent), "--format", "json", "--quiet"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    return pd.DataFrame(json.loads(shown.stdout)["rows"])


def responses(entry: dict[str, Any], task: str, folder: Path | None) -> Any:
    """Return the responses of a system: fetched ones by its name, else the files in a folder."""
    if folder is None:
        return f"leaderboard:{entry['name']}@{task}"
    runs = [run for run in entry["responses"] if run["task"] == task]
    files = [(folder / run["path"], run.get("pairs")) for run in runs]
    return [f"pairs:{path}@{pairs}" if pairs else path for path, pairs in files]


def rescored(only: Sequence[str], folder: Path | None) -> pd.DataFrame:
    """Return the CoNLL F of systems under all combinations of the choices."""
    settings = [spelled(choices) for choices in product(*CHOICES.values())]
    tables = []
    for task, split in PARTS.items():
        corpus = cdec.load_corpus(task, split)
        for name, entry in systems().items():
            if (only and name not in only) or not any(
                r["task"] == task for r in entry["responses"]
            ):
                continue
            given = {name: responses(entry, task, folder)}
            found = cdec.evaluate(corpus, given, setting=settings, metrics="conll").to_frame()
            tables.append(found.assign(task=task)[["task", "system", "setting", "f1"]])
    return pd.concat(tables)


def retested(only: Sequence[str], folder: Path | None) -> pd.DataFrame:
    """Return p of all pairs of systems on ECB+ under YCF and PURE-CDEC."""
    corpus = cdec.load_corpus("ecb+", PARTS["ecb+"])
    known = {n: e for n, e in systems().items() if any(r["task"] == "ecb+" for r in e["responses"])}
    given = {n: responses(e, "ecb+", folder) for n, e in known.items() if not only or n in only}
    tested = cdec.compare(corpus, given, setting=["ycf", "pure"], all_pairs=True).to_frame()
    tested[["a", "b"]] = np.sort(tested[["a", "b"]].to_numpy(str), axis=1)
    return tested.pivot(index=["a", "b"], columns="setting", values="p").reset_index()


def replaced(path: Path, found: pd.DataFrame, keys: list[str]) -> None:
    """Put rows into a table, in place of those with the same keys."""
    table = pd.concat([pd.read_csv(path), found])[pd.read_csv(path).columns]
    table = table.drop_duplicates(keys, keep="last").sort_values(keys, kind="stable")
    table.round(6).to_csv(path, index=False, lineterminator="\n")


def gaps(scores: pd.Series) -> Floats:
    """Return the difference of each pair of systems; equal scores have 0."""
    values = scores.to_numpy(np.float64)
    first, second = np.triu_indices(len(values), k=1)
    gap = values[first] - values[second]
    return np.where(np.abs(gap) < EQUAL, 0.0, gap)


def reversed_share(first: pd.Series, second: pd.Series) -> float:
    """Return the percentage of reversed pairs among the pairs that both settings order."""
    agree = np.sign(gaps(first)) * np.sign(gaps(second))
    return 100 * float((agree < 0).sum() / (agree != 0).sum())


def choices_alone(task: str, names: Sequence[str]) -> Iterator[tuple[str, str, float]]:
    """Yield the step of each choice that reverses most pairs, the others fixed: its mean share."""
    table = pd.read_csv(SCORES).query("task == @task and system in @names")
    f1 = table.pivot(index="system", columns="setting", values="f1")
    shares: dict[tuple[str, str], list[float]] = {}
    for one, other in combinations(product(*CHOICES.values()), 2):
        changed = [n for n, a, b in zip(CHOICES, one, other, strict=True) if a != b]
        if len(changed) == 1 and {spelled(one), spelled(other)} <= set(f1):
            place = list(CHOICES).index(changed[0])
            step = " ↔ ".join(sorted((one[place], other[place])))
            share = reversed_share(f1[spelled(one)], f1[spelled(other)])
            shares.setdefault((changed[0], step), []).append(share)
    means = {key: float(np.mean(values)) for key, values in shares.items()}
    for choice in CHOICES:
        less, step = min((-mean, step) for (name, step), mean in means.items() if name == choice)
        yield choice, step, -less


def sentence(task: str, names: Sequence[str]) -> str:
    """Return what each choice alone reverses, the most first, as the end of a sentence."""
    words = {"scope": "scope", "ignore_singletons": "singletons"}
    found = sorted(choices_alone(task, names), key=lambda row: -row[2])
    return "; ".join(f"{words.get(c, 'reduction')} ({s}) {m:.1f} %" for c, s, m in found)


def p_values(names: Sequence[str]) -> pd.DataFrame:
    """Return p of each pair in the order of ``gaps``: columns ycf and pure."""
    table = pd.read_csv(TESTS)
    both = pd.concat([table, table.rename(columns={"a": "b", "b": "a"})]).set_index(["a", "b"])
    return both[["ycf", "pure"]].reindex(list(combinations(names, 2)))


def certain_reversals(f1: pd.DataFrame, p: pd.DataFrame) -> tuple[int, int]:
    """Return how many pairs have p < 0.05 under YCF and PURE-CDEC, and how many are reversed."""
    agree = gaps(f1["ycf"]) * gaps(f1["pure"])
    certain = (p < 0.05).all(axis=1).to_numpy() & (agree != 0)
    return int(certain.sum()), int((certain & (agree < 0)).sum())


def labelled(f1: pd.DataFrame, families: pd.Series) -> list[str]:
    """Return the best system of each family, those that move most, and TWINS."""
    ranks = f1.rank(ascending=False)
    moves = (ranks["pure"] - ranks["ycf"]).abs().sort_values(ascending=False, kind="stable")
    first = f1.index[~families.loc[f1.index].duplicated()]
    return list(dict.fromkeys([*list(dict.fromkeys([*first, *moves.index]))[:LABELLED], *TWINS]))


def draw(f1: pd.DataFrame, shown: Sequence[str]) -> None:
    """Draw the rank of each system under each setting; those ``shown`` have a label."""
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "cdec", "font.size": 8})
    figure = Figure(figsize=(7, 6.5), layout="constrained")
    axes = figure.subplots()
    ranks = f1.rank(ascending=False, method="min")
    for name, row in ranks.drop(index=list(shown)).iterrows():
        axes.plot(row, color="#b8c0c8", linewidth=0.7, gid=str(name))
    place = -1.0
    for number, name in enumerate(ranks.loc[list(shown)].sort_values("ycf").index):
        row = ranks.loc[name].to_numpy()
        (line,) = axes.plot(row, marker="osD^v"[number % 5], markersize=4, linewidth=2, gid=name)
        line.set_linestyle(("-", "--", ":", "-.")[number // 4 % 4])
        place = max(row[-1], place + 2)
        ends = (len(HEADS) - 1, row[-1]), (len(HEADS) - 0.7, place)
        axes.annotate(name, *ends, va="center", arrowprops={"arrowstyle": "-", "linewidth": 0.5})
    axes.set_xticks(range(len(HEADS)), HEADS)
    axes.xaxis.tick_top()
    axes.set_yticks([1, *range(10, len(ranks), 10), len(ranks)])
    axes.invert_yaxis()
    axes.set_ylabel("rank")
    axes.spines[:].set_visible(False)
    figure.savefig(
        PICTURE, metadata={"Date": None, "Creator": None, "Title": "Ranks under six settings, ECB+"}
    )


def page() -> str:
    """Return the page; draw its picture."""
    known = systems()
    rows = saved("ecb+").query("system in @known")
    f1 = rows.pivot(index="system", columns="setting", values="f1")[list(SETTINGS)]
    f1 = f1.sort_values("pure", ascending=False, kind="stable")
    families = pd.Series({name: entry["family"] for name, entry in known.items()})
    draw(f1, labelled(f1, families))
    names = [str(name) for name in f1.index]
    ranks = f1.rank(ascending=False, method="min")
    p = p_values(names)
    corrected = p.apply(false_discovery_control)
    counts = (*certain_reversals(f1, p), *certain_reversals(f1, corrected))
    gvc = set(pd.read_csv(SCORES).query("task == 'gvc'")["system"]) & set(known)
    facts: dict[str, Any] = {
        f"share_{s}": f"{reversed_share(f1[s], f1['pure']):.1f}" for s in SETTINGS
    }
    facts |= {"n": len(names), "families": families[names].nunique(), "n_gvc": len(gvc)}
    facts |= {"same": families[names].value_counts().max()}
    facts |= dict(zip(("certain", "turned", "certain_bh", "turned_bh"), counts, strict=True))
    facts |= {"rise": int(((ranks["st"] > 40) & (ranks["is"] <= 10)).sum())}
    facts |= {"ecb": sentence("ecb+", names), "gvc": sentence("gvc", sorted(gvc))}
    facts |= {"twin_a": TWINS[0], "twin_b": TWINS[1], "other": UNTOUCHED}
    facts |= {"heads": " | ".join(HEADS)}
    cells = rows.set_index(["system", "setting"])
    cells["text"] = [
        f"{100 * f:.1f} ± {100 * sd:.1f}" for f, sd in cells[["f1", "f1_sd"]].to_numpy()
    ]
    facts |= {
        f"row_{key}": " | ".join(cells["text"].loc[[(name, s) for s in SETTINGS]])
        for key, name in zip("ab", TWINS, strict=True)
    }
    for key, pair in (("twin", TWINS), ("other", (TWINS[0], UNTOUCHED))):
        gap = 100 * (f1.loc[pair[0]] - f1.loc[pair[1]])
        at = [ends for ends in p.index if set(ends) == set(pair)]
        found, safer = p.loc[at].iloc[0], corrected.loc[at].iloc[0]
        facts |= {f"{key}_{s}": f"{gap[s]:+.1f}" for s in ("ycf", "pure")}
        facts |= {f"{key}_{s}_p": f"{found[s]:.4f}" for s in ("ycf", "pure")}
        facts |= {f"{key}_{s}_bh": f"{safer[s]:.4f}" for s in ("ycf", "pure")}
    facts |= {"ahead": facts["twin_ycf"].strip("+-"), "behind": facts["twin_pure"].strip("+-")}
    return PROSE.substitute(facts)


def main() -> None:
    """Write the page and its picture; first the stored tables, if asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--responses", nargs="?", const="", metavar="FOLDER")
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    given = parser.parse_args()
    folder = Path(given.responses) if given.responses else None
    if given.responses is not None:
        replaced(SCORES, rescored(given.only, folder), ["task", "system", "setting"])
    if given.tests:
        replaced(TESTS, retested(given.only, folder), ["a", "b"])
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
