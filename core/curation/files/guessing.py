"""Which encoding some bytes are most likely in, and how sure that is."""

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

PLAUSIBLE = {
    "cp1252": "Western European, Windows",
    "cp1250": "Central European, Windows",
    "cp1251": "Cyrillic, Windows",
    "cp1254": "Turkish, Windows",
    "cp1257": "Baltic, Windows",
    "cp1253": "Greek, Windows",
    "cp1255": "Hebrew, Windows",
    "cp1256": "Arabic, Windows",
    "cp932": "Japanese, Shift-JIS",
    "euc_jp": "Japanese, EUC-JP",
    "euc_jis_2004": "Japanese, EUC-JP with more signs",
    "gb18030": "Chinese, GB18030 and GBK",
    "cp950": "Chinese, Big5",
    "big5hkscs": "Chinese, Big5 of Hong Kong",
    "cp949": "Korean, EUC-KR",
    "cp874": "Thai, Windows",
    "iso8859-2": "Central European, ISO",
    "iso8859-7": "Greek, ISO",
    "koi8-r": "Russian, KOI8-R",
    "koi8-u": "Ukrainian, KOI8-U",
    "cp850": "Western European, DOS",
    "cp852": "Central European, DOS",
    "cp866": "Cyrillic, DOS",
    "mac-roman": "Western European, Mac",
}
"""The encodings that are tried, with what each is for; of equal ones the first is taken."""

_LETTERS = (
    "àâæçèéêëîïôœùûüÿ",  # French
    "äöüß",  # German
    "áéíñóúü",  # Spanish
    "àèéìíîòóùú",  # Italian
    "áàâãçéêíóôõúü",  # Portuguese
    "àçéèíïóòúü·",  # Catalan
    "éëïóöüáè",  # Dutch
    "åäöé",  # Swedish and Finnish
    "æøåéó",  # Danish and Norwegian
    "áðéíóúýþæö",  # Icelandic
    "áčďéěíňóřšťúůýž",  # Czech
    "ąćęłńóśźż",  # Polish
    "áäčďéíĺľňóôŕšťúýž",  # Slovak
    "áéíóöőúüű",  # Hungarian
    "čćđšž",  # Croatian and Slovene
    "ăâîșțşţ",  # Romanian
    "âçğıîöşüûİ",  # Turkish
    "āčēģīķļņšūž",  # Latvian
    "ąčęėįšųūž",  # Lithuanian
    "äöõüšž",  # Estonian
    "абвгдежзийклмнопрстуфхцчшщъыьэюяё",  # Russian and Bulgarian
    "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",  # Ukrainian
    "абвгдђежзијклљмнњопрстћуфхцчџш",  # Serbian
    "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋΐΰ",  # Greek
)
"""The letters beyond a to z that one language writes: a wrong guess mixes those of several."""

_WESTERN = "".join(dict.fromkeys("".join(_LETTERS[:10])))
_WESTERN_COUNTS = 0.9
"""English holds names of all its neighbours; that counts a little less than one language does."""

_SCRIPTS = (
    re.compile("[\u05d0-\u05ea]"),  # Hebrew
    re.compile("[\u060c-\u06cc]"),  # Arabic and Persian
    re.compile("[\u0e01-\u0e5b]"),  # Thai
)
_COMMON = {
    "gb2312": (0xA1, 0xA3, *range(0xB0, 0xD8)),
    "big5": (0xA1, 0xA2, *range(0xA4, 0xC7)),
    "euc_jp": (0xA1, 0xA3, 0xA4, 0xA5, *range(0xB0, 0xD0)),
    "euc_kr": (0xA1, 0xA3, *range(0xB0, 0xC9)),
}
"""The first bytes of the punctuation and the commonest few thousand letters of Chinese, Japanese
and Korean: the standards sort them before the rare ones, which a wrong guess is full of."""
_TYPESET = "‘’“”–—…"
_TYPESET_COUNTS = 0.1
_ODD = (
    re.compile("[A-Za-z][\u0370-\u0e5b]|[\u0370-\u0e5b][A-Za-z]"),  # two scripts in a word
    re.compile("[\x80-\x9f]"),  # control characters
    re.compile("[^\\W\\d_][“„‚†‡•‰¿¡]|[”…†‡•‰][^\\W\\d_]"),
    re.compile("[^\\W\\d_][¹²³¼½¾µ¬±¦¨´¸¢¤¥¯¶×÷]|[¹²³¼½¾µ¬±¦¨´¸¢¤¥¯¶×÷][^\\W\\d_]"),
)
"""Signs where none are written, as other letters' bytes make them; the last beside a letter."""

_OUT_OF_USE = ("cp850", "cp852", "cp866", "mac-roman")
_OUT_OF_USE_COUNTS = 0.05
"""What no program has written by itself for twenty years has to fit better by so much."""

_MOST_MESS = 0.4
"""Above charset-normalizer's own 0.2, which rules accented Greek and Polish out."""
_COHERENCE_COUNTS = 0.2
_TIED = 0.01
_READS_WELL = 0.9
_MARGIN = 0.05
_FEWEST = 6
"""On tutorials in 24 languages, cut to 1 to 40 paragraphs, no guess that read as well, by this
margin, on so many letters beyond ASCII was wrong."""

_UNDEFINED_IN_WINDOWS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_FEW_DAMAGED = 0.05
_LONG_LINE = 4096


class Guess(NamedTuple):
    """An encoding with its name in Python and how well the text that it makes reads."""

    encoding: str
    fit: float


class Guesses(NamedTuple):
    """The encodings that fit, best first, and whether the first one is clearly the best."""

    ranked: tuple[Guess, ...]
    clear: bool


def guess(sample: bytes) -> Guesses:
    """The encodings in which the bytes make readable text; none when they do in none.

    charset-normalizer says how orderly each text is and how like a language. It cannot tell
    near relatives apart, in which only accented letters differ, so what counts beside is whether
    these letters are those of a single language, and stand where such letters stand.
    """
    from charset_normalizer import from_bytes  # most files are UTF-8 and need none of it

    matches = from_bytes(
        sample,
        steps=8,
        chunk_size=1024,
        cp_isolation=list(PLAUSIBLE),
        threshold=_MOST_MESS,
        enable_fallback=False,
        preemptive_behaviour=False,
    )
    scored = []
    for match in matches:
        name = _first_of(match.could_be_from_charset)
        fit = _readable(str(match)) - match.chaos + _COHERENCE_COUNTS * match.coherence
        scored.append(Guess(name, fit))
    if not scored:
        return Guesses((), False)
    best = max(map(_preferred, scored))
    order = list(PLAUSIBLE)
    scored.sort(key=lambda each: (max(best - _preferred(each), _TIED), order.index(each.encoding)))
    margin = scored[0].fit - max((each.fit for each in scored[1:]), default=-1.0)
    clear = scored[0].fit >= _READS_WELL and margin >= _MARGIN
    return Guesses(tuple(scored), clear and _letters_beyond_ascii(sample, scored[0]) >= _FEWEST)


def _preferred(each: Guess) -> float:
    return each.fit - _OUT_OF_USE_COUNTS * (each.encoding in _OUT_OF_USE)


def _first_of(names: Iterable[str]) -> str:
    """The name that is tried first, of those under which the bytes are the same text."""
    same = {codecs.lookup(name).name for name in names}
    return next(name for name in PLAUSIBLE if name in same)


def _readable(text: str) -> float:
    """The share, of the signs beyond ASCII, that one language would write where they stand."""
    signs = Counter(sign for sign in text if not sign.isascii())
    total = signs.total() or 1
    letters = {sign: count for sign, count in signs.items() if sign.isalpha()}
    misread = sum(letters.values()) - _letters_of_one_language(letters)
    misread += sum(len(pattern.findall(text)) for pattern in _ODD)
    misread += sum(
        before.islower() and sign.isupper() and not sign.isascii()
        for before, sign in pairwise(text)
    )
    typeset = sum(signs[sign] for sign in _TYPESET)
    return 1 - misread / total + _TYPESET_COUNTS * typeset / total


def _letters_of_one_language(letters: Mapping[str, int]) -> float:
    """How many of the letters the language writes that writes most of them."""
    alphabets = [
        sum(count for sign, count in letters.items() if sign in known or sign.lower() in known)
        for known in _LETTERS
    ]
    western = sum(count for sign, count in letters.items() if sign.lower() in _WESTERN)
    scripts = [
        sum(count for sign, count in letters.items() if script.match(sign)) for script in _SCRIPTS
    ]
    common = [
        sum(count for sign, count in letters.items() if _lead(sign, standard) in leads)
        for standard, leads in _COMMON.items()
    ]
    return max(_WESTERN_COUNTS * western, *alphabets, *scripts, *common)


def _lead(sign: str, standard: str) -> int | None:
    """The first byte of a letter of two bytes; None when the standard has it not or in one."""
    encoded = sign.encode(standard, "ignore")
    return encoded[0] if len(encoded) > 1 else None


def _letters_beyond_ascii(sample: bytes, best: Guess) -> int:
    text = sample.decode(best.encoding, "replace")
    return sum(not sign.isascii() for sign in text)


def sample_of(pieces: Sequence[bytes], most: int) -> bytes:
    """So many bytes at most, of pieces from the whole of the file, that hold what ASCII does not.

    Pieces with a byte that Windows leaves undefined are left out where they are few: one damaged
    letter is not to rule out the encoding of all the others.
    """
    cut = [part for piece in pieces for part in _parts(piece) if not part.isascii()]
    sound = [part for part in cut if not _UNDEFINED_IN_WINDOWS.search(part)]
    if len(cut) - len(sound) <= _FEW_DAMAGED * len(cut):
        cut = sound
    every = -(-sum(map(len, cut)) // most)
    taken = cut[::every]
    lengths = accumulate(len(part) for part in taken)
    whole = sum(length <= most for length in lengths)
    # Between two parts, for a cut through a letter would rule its encoding out.
    return b"\n".join(taken[:whole]) if whole else taken[0][:most]


def _parts(piece: bytes) -> Sequence[bytes]:
    """A line, or its quoted texts where it is as long as a whole JSON file."""
    return piece.split(b'"') if len(piece) > _LONG_LINE else (piece,)
