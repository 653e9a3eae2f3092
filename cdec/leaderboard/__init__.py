"""Several saved results side by side."""
