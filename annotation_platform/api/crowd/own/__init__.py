"""What annotators do about themselves: consent, languages, rounds, submissions, words, leaving a study."""
