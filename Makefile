# What a laptop and CI run. PYTHON is an environment with the package and its test extra.
PYTHON ?= python

# The package as it is installed, for tools that look for modules in one folder.
HOUSE = rm -rf build/house && mkdir -p build/house && cp -r cdec build/house && \
	cp -r baselines settings configs build/house/cdec

ABSOLUTE = $(abspath $(shell command -v $(PYTHON)))

.PHONY: help check format test slow docs constraints

help:  ## show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

check:  ## lint, format, types, layers
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(HOUSE)
	MYPYPATH=build/house $(PYTHON) -m mypy -p cdec
	MYPYPATH=build/house $(PYTHON) -m mypy tests
	MYPYPATH=build/house $(PYTHON) -m mypy .ci/check_dist.py .ci/use_extras.py
	cd build/house && $(ABSOLUTE) -c "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(config_filename='../../pyproject.toml'))"

format:  ## fix the layout, and what the linter can fix by itself
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

test:  ## the tests, without the slow ones, on all cores
	$(PYTHON) -m pytest -n auto --maxprocesses 8 --dist worksteal

slow:  ## the slow tests, and those of Hypothesis with all their examples
	$(PYTHON) -m pytest -m "slow or hypothesis" --hypothesis-profile=thorough

docs:  ## the documentation as a static site in build/site (group `docs`); links are checked
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build --quiet --strict

constraints:  ## pin the newest dependencies as those that were tested
	rm -rf build/constraints && python3 -m venv build/constraints
	build/constraints/bin/pip install -q -U setuptools '.[test]'
	{ sed -n '/^#/p' constraints.txt; build/constraints/bin/pip freeze --all --exclude pip --exclude cdec; } \
	    > build/constraints.txt && mv build/constraints.txt constraints.txt
