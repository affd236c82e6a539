"""What the explanations say: words that set labels, systems and annotators apart, and themes."""
