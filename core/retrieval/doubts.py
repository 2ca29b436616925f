"""What a context's ranking cannot distinguish or lacks; how a pool's texts are read."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from ..embedding import Encoder, unread_share
from ..embedding.encoder import UNREAD, sampled
from ..selection.cosines import exact_redundancy
from ..settings import DEFAULT_ENCODER, MULTILINGUAL
from ..types import BoolArray, FloatArray
from .choosing import find_method
from .context import Context, Doubt
from .knobs import SettledKnobs
from .method import never_shown
from .pool_view import PoolView

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


SAME = 1 - 1e-6
"""Embeddings with at least this cosine are the same: float32 does not distinguish them."""
_APART = 1.5e-3
"""Rows with such a cosine are at most sqrt(2e-6) apart, and so are their cosines with a query."""

UNREAD_SHOWN = 0.05
"""The share of a pool's texts from which an encoder is reported as unable to read them."""
FOREIGN_SHOWN = 0.3
"""The same for texts in another language than English, though in letters that are known.

Measured on texts of our own: of 202 German questions 200 are found, of 90 in seven other languages
86. Of 1,000 texts of an English set at most 14 are taken for another language (TruthfulQA, SST-2,
TREC, Subj, MR, MPQA, HotPotQA, a service desk's calls), of short answers 28, of lines of code 41.
From 21 % of German queries on the multilingual encoder finds as many (docs/selection.md).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubts:
    """Cautions about a context of `chosen` demonstrations; the numbers are their ids.

    Attributes:
        asked: The k requested; more than `chosen` where no more could be chosen.
        chosen: How many there are.
        query_cut: Whether the encoder cuts the query at its window.
        cut: Those whose text it cuts.
        query_unread: Whether the encoder has no letters for a quarter of the query or more.
        same_embedding: Those whose embedding is that of another text: of the query, of another one
            in the context, or of one that could equally have been chosen. Their order is by id.
        without_word: Those that share no word with the query, where words are what is compared.
        labels_left_out: Answers that the model could not be asked about: they are longer than its
            window, or have no tokens.
        same_query: How many answer one and the same query, at most; 0 where each has its own.
    """

    asked: int
    chosen: int
    query_cut: bool = False
    cut: tuple[int, ...] = ()
    query_unread: bool = False
    same_embedding: tuple[int, ...] = ()
    without_word: tuple[int, ...] = ()
    same_query: int = 0
    labels_left_out: tuple[str, ...] = ()

    @property
    def kinds(self) -> frozenset[Doubt]:
        """What applies; that a context repeats a query is no doubt about it."""
        found = {
            Doubt.CUT: self.query_cut or self.cut,
            Doubt.UNREAD: self.query_unread,
            Doubt.SAME_EMBEDDING: self.same_embedding,
            Doubt.WITHOUT_WORD: self.chosen and len(self.without_word) == self.chosen,
            Doubt.TOO_FEW: self.chosen < self.asked,
            Doubt.LABELS_LEFT_OUT: self.labels_left_out,
        }
        return frozenset(kind for kind, applies in found.items() if applies)


def doubts_of(
    view: PoolView,
    query: str,
    query_vector: FloatArray,
    knobs: SettledKnobs,
    context: Context,
    encoder: Encoder,
    *,
    excluded: BoolArray | None = None,
) -> Doubts:
    """Cautions about a context from `choose_context` or from an index's candidates.

    Args:
        view: The pool as arrays.
        query: The query's text.
        query_vector: The query's unit vector, shape (d,).
        knobs: The knobs of the choice.
        context: What was chosen.
        encoder: The one that `view` was embedded with; it counts tokens and embeds nothing.
        excluded: Mask (n,) of what could not be chosen, such as the query's own demonstrations.
    """
    method = find_method(knobs.method)
    if not method.chooses:
        return Doubts(asked=0, chosen=0)
    view = view.embedded_by(knobs.embed)
    texts = [query, *(view.texts[place] for place in context.indices.tolist())]
    query_cut, *cut = encoder.cut(texts).tolist()
    groups = view.groups[context.indices]
    most = int(np.unique(groups, return_counts=True)[1].max(initial=0))
    same, unread = np.zeros(len(context), dtype=bool), False
    if method.by_embedding and (knobs.lambda_d, knobs.lambda_b) != (1.0, 0.0):
        closed = never_shown(view, knobs)
        closed = closed if excluded is None else closed | excluded
        same = _same_embedding(view, query, query_vector, context, closed)
        # Every vocabulary has the letters of ASCII: most queries need not be looked at.
        unread = not query.isascii() and unread_share(encoder, [query]) == 1.0
    return Doubts(
        asked=knobs.k if context.setting is None else context.setting.k,
        chosen=len(context),
        query_cut=query_cut,
        cut=tuple(context.ids[np.array(cut, dtype=bool)].tolist()),
        query_unread=unread,
        same_embedding=tuple(context.ids[same].tolist()),
        without_word=context.without_word,
        same_query=most if most > 1 else 0,
        labels_left_out=context.labels_left_out,
    )


def _same_embedding(
    view: PoolView, query: str, query_vector: FloatArray, context: Context, closed: BoolArray
) -> BoolArray:
    """Mask (k,) of the picks whose embedding is that of another text."""
    groups = view.groups[context.indices]
    same: BoolArray = (context.relevance >= SAME) & ~view.same_query(query)[context.indices]
    relevance = view.relevance(query_vector)
    others = ~closed
    others[context.indices] = True
    for place, (index, group) in enumerate(zip(context.indices, groups, strict=True)):
        near = others & (np.abs(relevance - relevance[index]) <= _APART) & (view.groups != group)
        rows = np.flatnonzero(near)
        cosines = exact_redundancy(view.matrix, rows, context.indices[place : place + 1])
        same[place] |= bool((cosines >= SAME).any())
    return same


@dataclass(frozen=True)
class PoolReading:
    """How far an encoder serves texts; of many, of a sample.

    Attributes:
        unread: The share of the texts that it has no letters for; see `unread_share`.
        foreign: For the English encoder the share in another language, else 0.
        language: What most of those are in; empty without `foreign`.
        offered: Whether enough of the texts are not served, and the multilingual encoder is another
            one and knows the language of most of those.
    """

    unread: float = 0.0
    foreign: float = 0.0
    language: str = ""
    offered: bool = False


def how_read(encoder: Encoder, texts: Sequence[str]) -> PoolReading:
    """Which share of the texts the encoder does not serve, and whether another one would."""
    some = sampled(texts)
    if not some:
        return PoolReading()
    unread = (encoder.unknown(some) >= UNREAD).tolist()
    languages = list(map(language_of, some))
    foreign = [name for name in languages if name not in ("", "English")]
    if encoder.name != DEFAULT_ENCODER:  # which may be for any language
        foreign = []
    found = PoolReading(
        sum(unread) / len(some),
        len(foreign) / len(some),
        Counter(foreign).most_common(1)[0][0] if foreign else "",
    )
    if found.unread < UNREAD_SHOWN and found.foreign < FOREIGN_SHOWN:
        return found
    concerned = foreign or list(compress(languages, unread))
    known = sum(name in OF_MULTILINGUAL for name in concerned)
    offered = encoder.name != MULTILINGUAL and 2 * known > len(concerned)
    return replace(found, offered=offered)
