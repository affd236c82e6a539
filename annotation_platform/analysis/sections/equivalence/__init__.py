"""Answer-equivalence runs beside people's verdicts."""
