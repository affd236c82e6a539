"""Which system is better: ranks with how sure they are, from scales and from preferences."""
