"""A sentence-transformers folder of five words, whose rows can be worked by hand."""

import numpy as np
import pytest

WORDS = {
    "[UNK]": (0.0, 0.0),
    "north": (0.0, 2.0),
    "east": (3.0, 0.0),
    "south": (0.0, -1.0),
    "west": (-1.0, 0.0),
}


@pytest.fixture(scope="session")
def word_encoder_folder(tmp_path_factory):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    vocabulary = {word: place for place, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    weights = np.array(list(WORDS.values()), dtype=np.float32)
    folder = tmp_path_factory.mktemp("encoders") / "compass"
    module = StaticEmbedding(tokenizer, embedding_weights=weights)
    SentenceTransformer(modules=[module], device="cpu").save(str(folder))
    return folder
