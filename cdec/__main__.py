"""``python -m cdec`` is ``cdec``."""

from cdec.cli.start import main

if __name__ == "__main__":
    main()
