"""The page of `cdec report`: several saved results."""
