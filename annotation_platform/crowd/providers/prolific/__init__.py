"""*Prolific*: people arrive by the study's address there and go back by a code; orders go through its REST API."""
