"""`python -m fusion COMMAND`."""

import sys

from .main import main

sys.exit(main())
