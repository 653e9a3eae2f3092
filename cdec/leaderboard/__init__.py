"""The page of `cdec report`: several saved results."""

from cdec.verbs import callable_package

callable_package(__name__)
