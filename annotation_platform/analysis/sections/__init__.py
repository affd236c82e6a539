"""The topics of the dashboard, each complete in a folder of its own; ``analysis/topics.py`` lists them."""
