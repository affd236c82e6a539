"""Where annotators come from: one folder or module for each provider, and one contract for all of them."""
