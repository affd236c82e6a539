"""Figures for a paper: everything that a snapshot shows, as files that a LaTeX source takes as they are."""
