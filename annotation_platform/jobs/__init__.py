"""What leaves the platform after a request is over: mail, which the worker sends."""
