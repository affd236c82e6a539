"""The systems whose answers were judged: mean of each, their order, which differ."""
