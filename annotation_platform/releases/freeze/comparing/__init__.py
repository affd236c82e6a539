"""Two releases beside each other: compared by the worker, once, and shown."""
