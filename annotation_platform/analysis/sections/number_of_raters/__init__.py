"""How many raters are needed, and what one more would buy."""
