"""REV runs: what rationales are worth, beside what people say of them."""
