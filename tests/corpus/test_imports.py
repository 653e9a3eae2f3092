"""Imports of the package cdec.corpus, including those inside functions."""

from __future__ import annotations

import subprocess
import sys

import grimp


def test_there_are_no_import_cycles() -> None:
    graph = grimp.build_graph("cdec", exclude_type_checking_imports=True, cache_dir=None)
    cycles = {
        (module, imported)
        for module in graph.find_descendants("cdec.corpus")
        for imported in graph.find_modules_directly_imported_by(module)
        if graph.find_shortest_chain(imported, module)
    }
    assert cycles == set()


def test_two_clusterings_are_scored_without_the_schemas_of_files() -> None:
    code = (
        "import sys, cdec; cdec.score({'a': 1}, {'a': 1})['muc']; print('pydantic' in sys.modules)"
    )
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
