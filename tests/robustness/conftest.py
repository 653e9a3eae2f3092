from tests.cli.conftest import cdec, done

__all__ = ["cdec", "done"]
