"""Reproduction of the paper's tables and figure, compared with the published values.

Upadhyay, Gupta, Christodoulopoulos and Roth (2016), *Revisiting the Evaluation for Cross Document
Event Coreference*, COLING. This package computes numbers; ``cdec.reproduction.page`` renders them.
``literature`` has the numbers that other papers on ECB+ print.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
