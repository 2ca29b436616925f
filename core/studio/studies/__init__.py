"""The papers' own tables, repeated on a pool and on models of one's own: a module a paper."""
