"""When two queries are the same, and the hash under which content is cached."""

import hashlib
import unicodedata


def normalised(text: str) -> str:
    """The text after NFKC, casefold and white space: two queries are the same when these agree."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def content_hash(*parts: str) -> str:
    """32 hex digits that stand for the parts; different splits of the same letters differ."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()[:32]
