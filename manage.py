#!/usr/bin/env python
"""Django's command line for the annotation platform."""

import sys

from annotation_platform.command_line import main

if __name__ == "__main__":
    sys.exit(main(sys.argv))
