"""The annotator's pages."""
