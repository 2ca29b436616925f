"""Files of objects: JSON, JSON lines and YAML."""
