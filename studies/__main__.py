"""`python -m studies STUDY`."""

import sys

from .main import main

sys.exit(main())
