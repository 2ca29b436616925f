from hypothesis import settings

# Laws are checked, not times: a busy machine must not fail a test.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
