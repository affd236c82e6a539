"""Long work and what leaves the platform: one queue of rows, and mail, for the workers."""
