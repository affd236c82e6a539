"""What the outside is told once a transaction has committed: mail, and one POST for webhooks."""
