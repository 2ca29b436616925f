"""When two queries are the same, the hash under which content is cached, and how a lambda reads."""

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


def lambda_text(value: float) -> str:
    """A lambda with two decimals, and with more where it has more: at most twelve."""
    whole, decimals = f"{value:.12f}".split(".")
    return f"{whole}.{decimals.rstrip('0'):0<2}"
