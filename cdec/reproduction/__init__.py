"""The paper's tables and figure made again, beside the print, with the notes on the print.

Upadhyay, Gupta, Christodoulopoulos and Roth (2016), *Revisiting the Evaluation for Cross Document
Event Coreference*, COLING. Everything here is numbers; ``cdec.reproduction.page`` shows them.
"""
