"""A leaderboard of systems in a folder, and the study of published ones."""

from cdec.verbs import callable_package

callable_package(__name__, "cdec.leaderboard.verb")
