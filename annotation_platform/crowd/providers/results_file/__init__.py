"""*Results file*: what a marketplace for small tasks gave out about a batch: workers, times, answers, approvals."""
