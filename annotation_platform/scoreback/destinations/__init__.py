"""The programs that scores go back to, one module each, behind one contract."""
