"""REV: how much new information a free-text rationale gives for its answer, beyond question and answer."""
