"""The explorer: what is known of single items, indexed by a worker, found and shown by pages."""
