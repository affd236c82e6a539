"""What the outside is told once a transaction has committed: mail. Webhooks would stand beside it."""
