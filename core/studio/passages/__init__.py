"""Collections of passages: importing, embedding, searching and removing them."""
