"""The researcher's pages of a study. Researchers and admins of the study may enter; to others it is not there."""
