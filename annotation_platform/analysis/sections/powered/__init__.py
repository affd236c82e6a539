"""What people would say of all answers: people's judgments of a part, and a model's of all, at once."""
