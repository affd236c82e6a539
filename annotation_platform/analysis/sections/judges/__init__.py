"""All judging models side by side, and how far each is biased against these people."""
