"""The version of cdec, in one place for the package, the wheel and the signature."""

__version__ = "0.1.0"
