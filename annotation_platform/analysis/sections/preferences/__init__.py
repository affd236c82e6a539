"""Which of two systems people prefer, where they chose the best of several answers."""
