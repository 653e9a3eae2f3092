"""Confidence intervals and paired significance tests, with whole topics as sampling units."""
