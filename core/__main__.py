"""`python -m core COMMAND`."""

import sys

from .commands.parser import main

sys.exit(main())
