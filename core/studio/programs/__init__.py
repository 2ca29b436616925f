"""Programs over the pools and passages of a workspace: what they write, and how they do."""
