"""Records of running applications (traces): each becomes a question with an answer, and knows the way back.

A file's records are read into spans (spans.py, by one module for each program), gathered by trace (spool.py), and made
an answer (trace.py); format.py is what the four formats have in common.
"""
