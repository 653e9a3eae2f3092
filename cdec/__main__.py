"""``python -m cdec`` is ``cdec``."""

import os
import sys


def main() -> None:
    """Run the program without the working directory on the path, where ``python -m`` puts it.

    It stays there if cdec itself is loaded from it. ``python -P -m cdec`` never has it there.
    """
    own = f"{sys.path[0]}{os.sep}cdec{os.sep}__main__.py"
    if not sys.flags.safe_path and __file__ != own:
        del sys.path[0]
    from cdec.cli.start import main as run  # noqa: PLC0415  with the path as it is now

    run()


if __name__ == "__main__":
    main()
