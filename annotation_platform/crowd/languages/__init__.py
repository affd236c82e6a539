"""Which languages a study asks of its annotators, and which each of them says they read."""
