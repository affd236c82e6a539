"""The annotator's home: what is open, under way and submitted, with a card of each topic that has something to say."""
