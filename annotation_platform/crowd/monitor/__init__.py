"""Who does what at this moment, how it goes, and what in it is worth a look of a person."""
