"""Agreement as a whole: every coefficient of an aspect, and the aspects beside each other."""
