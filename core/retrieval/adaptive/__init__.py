"""The method that takes, for each query, the setting that did best on its neighbours."""
