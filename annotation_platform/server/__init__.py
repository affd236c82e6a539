"""Between the web server and Django: a request is taken in whole, within limits, before it costs a thread."""
