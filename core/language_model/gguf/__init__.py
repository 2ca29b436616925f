"""Models in GGUF files, as llama.cpp, LM Studio and Ollama use them: read once, then a folder."""
