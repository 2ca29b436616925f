"""One model's weights are read at a time, whoever reads them."""

import threading

ONE_AT_A_TIME = threading.RLock()
"""While `transformers` reads weights it changes state of the whole process (how modules are
initialised, which weights are tied): two threads that read at the same time spoil each other's
models, which then lack weights or have wrong ones."""
