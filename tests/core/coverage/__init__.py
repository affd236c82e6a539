"""How often intervals hold what was planted, and how often tests reject what is true: simulated studies."""
