"""What a person decides about an item whose judgments lie apart: beside them, never over them."""
