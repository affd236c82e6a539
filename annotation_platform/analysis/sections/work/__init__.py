"""How people worked: time on task, vacuous explanations, drift."""
