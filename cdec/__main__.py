"""``python -m cdec`` is ``cdec``."""

from cdec.cli.app import main

if __name__ == "__main__":
    main()
