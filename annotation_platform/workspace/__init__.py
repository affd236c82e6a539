"""The researcher's pages around a study: each page is a module or a folder, complete."""
