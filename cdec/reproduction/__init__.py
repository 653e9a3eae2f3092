"""Reproduction of the paper's tables and figure, compared with the published values.

Upadhyay, Gupta, Christodoulopoulos and Roth (2016), *Revisiting the Evaluation for Cross Document
Event Coreference*, COLING. This package computes numbers; ``cdec.reproduction.page`` renders them.
``literature`` has the numbers that other papers on ECB+ print.
"""
