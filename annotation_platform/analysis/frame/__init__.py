"""What every page of a study needs: who may enter, and how far the study and its scoring are."""
