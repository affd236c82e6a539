"""The sentences that judgments cite."""
