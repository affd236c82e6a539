"""Language-model raters by aspect."""
