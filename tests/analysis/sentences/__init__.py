"""Every sentence about figures says no more than they do: a table of rows for each function that makes one.

Rows are made by hand: nothing measured, one of a kind, undefined, without an interval, an interval below 0, around it
and above it, ends that round to zero, and ties for the first place.
"""
