"""Which batches are opened when: so many every so many hours, as long as what is watched is within its limits."""
