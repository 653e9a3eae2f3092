"""Measure the house: ``python -P .ci/house.py [CHECKOUT] [--json]``, where cdec is installed.

Code lines a room beside the budgets of budgets.toml, and what one number enters; with CHECKOUT
(default: the folder that it runs in) also tests and docs. Imports are those of the statements of
the installed package, also inside functions, without those under TYPE_CHECKING. The walk comes from
running a command twice in one process on the sample and counting, in the second call, the functions
of cdec that are entered (lambdas included, comprehensions not; caches on disk warm, ``lru_cache``
cleared). Exit 1 if a figure is over its limit: that of the design, or the one that it has risen to.
A smoke alarm, not a goal: what pleases a figure and not a reader is a defect.
"""

import ast
import collections
import importlib.util
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tokenize
import tomllib

BUDGETS = tomllib.loads(
    (pathlib.Path(__file__).resolve().parent / "budgets.toml").read_text(encoding="utf8")
)
HUNG = tuple(BUDGETS["hung"])
METRICS = ("muc", "b3", "ceafm", "ceafe", "lea", "blanc_coref", "blanc_noncoref")
DETECTORS = ("no-event", "copies", "companions", "duplicate", "held-out", "svm")


def roots() -> dict[str, pathlib.Path]:
    """Package name → its folder, wherever it is installed."""
    found = {}
    for name in ("cdec", "cdec.baselines", "cdec.settings"):
        spec = importlib.util.find_spec(name)
        if spec is None or not spec.submodule_search_locations:
            sys.exit(f"{name} is not installed as a package")
        found[name] = pathlib.Path(next(iter(spec.submodule_search_locations))).resolve()
    return found


def files_of(packages: dict[str, pathlib.Path]) -> dict[str, pathlib.Path]:
    """Module name → file, each once."""
    found: dict[str, pathlib.Path] = {}
    for package, root in packages.items():
        for file in sorted(root.rglob("*.py")):
            parts = (*package.split("."), *file.relative_to(root).with_suffix("").parts)
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found.setdefault(name, file)
    return found


class Imports(ast.NodeVisitor):
    """The names that a module imports, absolute."""

    def __init__(self, name: str, is_package: bool) -> None:
        self.names: list[str] = []
        self.base = name.split(".") if is_package else name.split(".")[:-1]

    def visit_If(self, node: ast.If) -> None:
        test = node.test
        if getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING":
            for other in node.orelse:
                self.visit(other)
        else:
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        self.names += [alias.name for alias in node.names]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = self.base[: len(self.base) - node.level + 1] if node.level else []
        prefix = ".".join([*base, *([node.module] if node.module else [])])
        self.names += [f"{prefix}.{alias.name}" for alias in node.names]


def graph_of(files: dict[str, pathlib.Path], trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {name: set() for name in files}
    for name, file in files.items():
        visitor = Imports(name, file.name == "__init__.py")
        visitor.visit(trees[name])
        for imported in visitor.names:
            target = imported
            while target and target not in files:
                target = target.rpartition(".")[0]
            if target and target != name and target.startswith("cdec"):
                graph[name].add(target)
    if sum(map(len, graph.values())) < len(graph):
        sys.exit(
            "fewer imports than modules: they are made in a way that this script does not read"
        )
    return graph


def components(graph: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components (Tarjan 1972); what is used comes first."""
    sys.setrecursionlimit(20000)
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    out: list[list[str]] = []

    def go(v: str) -> None:
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in graph[v]:
            if w not in index:
                go(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            at = stack.index(v)
            out.append(stack[at:])
            del stack[at:]

    for v in graph:
        if v not in index:
            go(v)
    return out


def height(graph: dict[str, set[str]]) -> int:
    comps = components(graph)
    where = {v: i for i, comp in enumerate(comps) for v in comp}
    tall: dict[int, int] = {}
    for i, comp in enumerate(comps):
        tall[i] = 1 + max(
            (tall[where[w]] for v in comp for w in graph[v] if where[w] != i), default=0
        )
    return max(tall.values())


def room(name: str, files: dict[str, pathlib.Path]) -> str:
    """The room of a module: a child of cdec that is a package or has a budget, baselines.sac, or cdec itself."""
    if name.startswith("cdec.baselines.sac"):
        return "cdec.baselines.sac"
    child = ".".join(name.split(".")[:2])
    return (
        child
        if child in BUDGETS["hung"]
        or (files.get(child, pathlib.Path()).name == "__init__.py" and child != "cdec")
        else "cdec"
    )


def code_lines(text: str, tree: ast.Module) -> int:
    """Lines with code: without comments, blank lines and docstrings."""
    skip = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in skip:
            code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and body
        ):
            first = body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                code.difference_update(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(code)


def worst_home(
    ids: tuple[str, ...], files: dict[str, pathlib.Path], trees: dict[str, ast.Module]
) -> int:
    """The greatest number of modules in which one of the ids is a string of the code (docstrings aside)."""
    homes: collections.Counter[str] = collections.Counter()
    for tree in trees.values():
        bodies = (getattr(n, "body", None) for n in ast.walk(tree))
        starts = (body[0] for body in bodies if isinstance(body, list) and body)
        docs = {id(start.value) for start in starts if isinstance(start, ast.Expr)}
        strings = {
            n.value
            for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docs
        }
        homes.update(strings & set(ids))
    return max(homes.values(), default=0)


WALK = r"""
import contextlib, functools, gc, io, json, os, sys
homes = tuple(json.loads(sys.argv[1])); args = json.loads(sys.argv[2])
sys.argv = ['cdec', *args]
import cdec.cli.start
seen = set(); deepest = 0; real_path = functools.lru_cache(None)(os.path.realpath)
def count(frame, event, arg):
    global deepest
    if event == 'call':
        file = real_path(frame.f_code.co_filename)
        if file.startswith(homes):
            seen.add((file, frame.f_code.co_qualname, frame.f_code.co_firstlineno))
            depth, up = 0, frame
            while up:
                depth += real_path(up.f_code.co_filename).startswith(homes); up = up.f_back
            deepest = max(deepest, depth)
def once():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try: cdec.cli.start.main()
        except SystemExit as end:
            if end.code: raise RuntimeError(f'exit {end.code}')
once()
imported = sum(name == 'cdec' or name.startswith('cdec.') for name in sys.modules)
for one in gc.get_objects():
    if type(one).__name__ == '_lru_cache_wrapper' and str(getattr(one, '__module__', '')).startswith('cdec'): one.cache_clear()
sys.setprofile(count); once(); sys.setprofile(None)
real = {x for x in seen if not any(y in x[1] for y in ('<module>', '<genexpr>', '<listcomp>', '<dictcomp>', '<setcomp>'))}
print(json.dumps([len(real), len({x[0] for x in real}), deepest, imported]))
"""


def walks(packages: dict[str, pathlib.Path]) -> dict[str, list[int]]:
    homes = sorted({f"{os.path.realpath(root)}{os.sep}" for root in packages.values()})
    run = [sys.executable, "-P"]
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "CDEC_CACHE": f"{folder}/cache", "CDEC_DATA": f"{folder}/data"}
        env.pop("CDEC_ECBPLUS", None)

        def cdec(*args: str) -> None:
            subprocess.run(
                [*run, "-m", "cdec", *args, "-q"], check=True, env=env, capture_output=True
            )

        key, response = f"{folder}/key.conll", f"{folder}/response.conll"
        cdec("predict", "--corpus", "sample", "--system", "lemma", "-o", response)
        cdec("corpus", "export", "--from", "sample", "-o", key)
        calls = {
            "eval FILE": [
                "eval",
                response,
                "--corpus",
                "sample",
                "--setting",
                "pure",
                "--metric",
                "conll",
                "-q",
            ],
            "score KEY RESPONSE": [
                "score",
                key,
                response,
                "--scope",
                "corpus",
                "--metric",
                "conll",
                "-q",
            ],
        }
        out = {}
        for name, args in calls.items():
            done = subprocess.run(
                [*run, "-c", WALK, json.dumps(homes), json.dumps(args)],
                check=True,
                env=env,
                capture_output=True,
                text=True,
            )
            out[name] = json.loads(done.stdout.strip().splitlines()[-1])
    return out


def codes(packages: dict[str, pathlib.Path], trees: dict[str, ast.Module]) -> int:
    """The greater of the codes that the table declares and those that errors and notices are made with."""
    declared: set[str] = set()
    for table in packages["cdec"].rglob("*codes*.toml"):
        stack = list(tomllib.loads(table.read_text(encoding="utf8")).items())
        while stack:
            name, value = stack.pop()
            if isinstance(value, dict):
                (declared.add(name) if "meaning" in value else stack.extend(value.items()))
    used = set()
    for tree in trees.values():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and node.args
                and isinstance(node.args[0], ast.Constant)
                and isinstance(node.args[0].value, str)
            ):
                called = (
                    node.func.attr
                    if isinstance(node.func, ast.Attribute)
                    else getattr(node.func, "id", "")
                )
                if called.endswith("Error") or called == "Notice":
                    used.add(node.args[0].value)
    return max(len(declared), len(used))


def outside(checkout: pathlib.Path) -> dict[str, int]:
    """Code lines of tests and studies, words of the docs, and test functions that name what is not public."""

    def lines(folder: pathlib.Path) -> int:
        texts = (
            [f.read_text(encoding="utf8") for f in sorted(folder.rglob("*.py"))]
            if folder.is_dir()
            else []
        )
        return sum(code_lines(text, ast.parse(text)) for text in texts)

    docs = [
        f
        for f in [checkout / "README.md", *sorted((checkout / "docs").rglob("*.md"))]
        if "studies" not in f.parts
    ]
    inner = re.compile(
        r"^\s*(?:from cdec\.(?!metrics\b|settings\b|formats\b|corpus\b|baselines\b|auditing\b|errors\b)\S+ import|from cdec\.\w+\.\S+ import|import cdec\.)",
        re.M,
    )
    tests = sorted((checkout / "tests").rglob("*.py")) if (checkout / "tests").is_dir() else []

    def count(name: str) -> int:
        file = checkout / name
        return len(file.read_text(encoding="utf8").splitlines()) if file.exists() else 0

    return {
        "tests: code lines": lines(checkout / "tests"),
        "tests: files that import what is not public": sum(
            bool(inner.search(f.read_text(encoding="utf8"))) for f in tests
        ),
        "studies: code lines": lines(checkout / "docs" / "studies"),
        "docs: words": sum(len(f.read_text(encoding="utf8").split()) for f in docs if f.exists()),
        "docs: pages": len(docs),
        "README: lines": count("README.md"),
        "CHANGELOG: lines": count("CHANGELOG.md"),
    }


def measure(
    checkout: pathlib.Path,
) -> tuple[dict[str, tuple[int, int | None]], dict[str, tuple[int, int]]]:
    """Return figures and rooms: name → (value, at most)."""
    packages = roots()
    files = files_of(packages)
    texts = {name: file.read_text(encoding="utf8") for name, file in files.items()}
    trees = {name: ast.parse(text) for name, text in texts.items()}
    graph = graph_of(files, trees)
    home = {name: room(name, files) for name in files}
    rooms: dict[str, set[str]] = {one: set() for one in home.values()}
    for name, targets in graph.items():
        rooms[home[name]] |= {
            home[t] for t in targets if home[t] != home[name] and home[t] != "cdec"
        }
    lines = {name: code_lines(texts[name], trees[name]) for name in files}
    by_room: collections.Counter[str] = collections.Counter()
    for name in files:
        by_room[home[name]] += lines[name]
    budget = {**BUDGETS["rooms"], **BUDGETS["hung"]}
    shown = {
        name: (by_room.get(name, 0), round(1.2 * budget.get(name, 0)))
        for name in sorted({*by_room, *budget})
    }
    web = sum(
        len(f.read_text(encoding="utf8").splitlines())
        for f in {
            f.resolve()
            for root in packages.values()
            for end in ("js", "html", "css")
            for f in root.rglob(f"*.{end}")
        }
    )
    stubs = sum(
        len(f.read_text(encoding="utf8").splitlines())
        for f in {f.resolve() for root in packages.values() for f in root.rglob("*.pyi")}
    )
    walked = walks(packages)
    first = walked["eval FILE"]
    limit = BUDGETS["all"]
    of_walk = BUDGETS["walk"]
    out = outside(checkout)
    figures: dict[str, tuple[int, int | None]] = {
        "code lines": (sum(lines.values()), limit["most"]),
        "code lines of the core": (
            sum(n for name, n in by_room.items() if name not in HUNG),
            limit["core"],
        ),
        "modules": (len(files), None),
        "js, html, css: lines": (web, limit["web"]),
        "stubs: lines": (stubs, 0),
        "imports of a hung-on room by another room": (
            sum(
                home[t] in HUNG and home[t] != home[n]
                for n in files
                for t in graph[n]
                if home[n] != "cdec" and home[t] != "cdec.pairs"
            ),
            0,
        ),
        "circles of rooms": (sum(len(c) > 1 for c in components(rooms)), 0),
        "circles of modules": (sum(len(c) > 1 for c in components(graph)), 0),
        "floors": (height(rooms), None),
        "eval FILE: functions": (first[0], of_walk["functions"]),
        "eval FILE: modules": (first[1], of_walk["modules"]),
        "eval FILE: depth": (first[2], None),
        "eval FILE: modules imported": (first[3], None),
        "score KEY RESPONSE: functions": (walked["score KEY RESPONSE"][0], of_walk["functions"]),
        "homes of a metric id (files, worst)": (worst_home(METRICS, files, trees), 2),
        "homes of a detector id (files, worst)": (worst_home(DETECTORS, files, trees), 2),
        "codes": (codes(packages, trees), 60),
        "tests: code lines": (out["tests: code lines"], limit["tests"]),
        "tests: files that import what is not public": (
            out["tests: files that import what is not public"],
            0,
        ),
        "studies: code lines": (out["studies: code lines"], limit["studies"]),
        "docs: words": (out["docs: words"], limit["words"]),
        "docs: pages": (out["docs: pages"], 36),
        "README: lines": (out["README: lines"], limit["readme"]),
        "CHANGELOG: lines": (out["CHANGELOG: lines"], limit["changelog"]),
    }
    return figures, shown


if __name__ == "__main__":
    named = [one for one in sys.argv[1:] if not one.startswith("-")]
    measured = measure(pathlib.Path(named[0] if named else "."))
    held = BUDGETS["risen"]
    over = []
    if "--json" in sys.argv:
        print(json.dumps(dict(zip(("figures", "rooms"), measured, strict=True))))
    for figures in measured:
        for name, (value, design) in figures.items():
            most = held.get(name, design)
            line = f"{name:52} {value:>7}"
            if most is not None:
                line += f"   at most {most:>6}" + (f"   design {design}" if name in held else "")
            if most is not None and value > most:
                over.append(name)
                line += "   over"
            if "--json" not in sys.argv:
                print(line)
    if over:
        sys.exit(f"over what .ci/budgets.toml allows: {', '.join(over)}")
