"""What annotators agree to before their first task: texts by version, and who agreed to which, when."""
