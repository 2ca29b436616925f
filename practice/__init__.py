"""What made the practice model and reader: their task, training, pools, and the checks of both.

A package beside `core`, which knows nothing of it: using the model needs only its folder in `data`.
"""
