"""The demo: one command that prepares a small study and runs web server and worker until it is stopped."""
