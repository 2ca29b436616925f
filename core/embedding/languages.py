"""The language of a text, as far as its letters and most frequent words tell."""

import re
import unicodedata
from collections import Counter

_WORD = re.compile(r"[^\W\d_]+")
_COMMON = {
    "English": (
        "the of and to is are were be it for with by from as that this what which who how why "
        "where when does did can i you my your not have has if or there should",
        "",
    ),
    "German": (
        "der das und ist nicht ich wie wo wer wann warum wird werden kann kein keine mein meine "
        "eine einen einem ein mit für von auf zu im zum den dem sie wir es sich auch sind wenn bei "
        "nach mir",
        "äöüß",
    ),
    "French": (
        "le la les des est une du et que qui où comment pourquoi je vous ne pas dans quel quelle "
        "mon ma il elle au avec sont ce",
        "éèêàçœ",
    ),
    "Spanish": (
        "el la los las es una que qué del y cómo dónde por para mi mis se en puedo está cuál "
        "cuándo quién su al hay lo",
        "áíóúñ",
    ),
    "Italian": (
        "il la gli è una che di dove perché non mi del della posso sono per quanto quale quando "
        "chi le si nel ho mio mia",
        "àèìòù",
    ),
    "Portuguese": (
        "os é um uma que da em como onde não eu meu minha para posso qual quando quem por está na "
        "são se",
        "ãõçêá",
    ),
    "Dutch": (
        "de het een en ik niet wat hoe waar wie wanneer waarom mijn zijn voor te dat er naar bij "
        "je wordt heeft welke",
        "",
    ),
    "Polish": (
        "jest nie się na jak gdzie kto kiedy dlaczego czy mój moja co od po za mam mogę są jaki "
        "który dla",
        "ąćęłńśźż",
    ),
    "Turkish": (
        "bir ve bu ne nasıl nerede için mi mı mu mü ile değil neden var hangi zaman benim da kaç",
        "çğışöü",
    ),
}
"""Frequent words of languages in Latin letters, few of them English ones, and letters of theirs."""
_COMMON_SETS = {name: (set(words.split()), set(own)) for name, (words, own) in _COMMON.items()}
_SCRIPTS = {
    "CYRILLIC": "Cyrillic letters",
    "ARABIC": "Arabic letters",
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "THAI": "Thai",
}
OF_MULTILINGUAL = {*_COMMON, *_SCRIPTS.values()} - {"English"}
"""What else the multilingual encoder knows, as `language_of` names it."""
_JUDGED = 1000
"""So many characters of a text tell its language."""


def language_of(text: str) -> str:
    """The language of a text by its words, or what its letters are; empty where neither tells.

    In Latin letters it is the language with the most words that are frequent in it, or have a
    letter of its own, English where it has as many. Else most letters decide, such as "Chinese" or
    "Georgian letters".
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", text[:_JUDGED]).lower())
    scripts = Counter(unicodedata.name(c, "?").split()[0] for word in words for c in word)
    script = max(scripts, key=scripts.__getitem__, default="LATIN")
    if script != "LATIN":
        return _SCRIPTS.get(script, f"{script.capitalize()} letters")
    counts = {
        name: sum(word in common or not own.isdisjoint(word) for word in words)
        for name, (common, own) in _COMMON_SETS.items()
    }
    most = max(counts, key=counts.__getitem__)
    return most if counts[most] else ""
