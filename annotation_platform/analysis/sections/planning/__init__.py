"""Planning: how many articles, questions and annotators another study needs, from this one as its pilot."""
