"""The tables of all topics, where Django looks for them."""
