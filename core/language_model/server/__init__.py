"""A language model behind a server that speaks the OpenAI protocol."""
