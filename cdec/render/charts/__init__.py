"""Charts as SVG, readable on small screens and in print, with a description in words."""
