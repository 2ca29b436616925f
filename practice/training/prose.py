"""General text of the project's own making: plain sentences, and questions answered in prose.

A model that had only seen calls would write a call after any question. Here the answer to a
question is in prose, and can be read from the text before it where a fact was stated.
"""

from random import Random

from ..episodes import MarkedText, Part
from ..requests import invented_word


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(text.split("|"))


_THINGS = _phrases(
    "the cat|the old house|a small town|the river|the teacher|a good friend|the doctor|the garden|"
    "the train|the morning|a long walk|the weather|the market|the child|the story|the law|"
    "the library|the machine|a careful person|the answer|the question|the road|the bread|"
    "the company|the law of the country|most people|many animals|the children|some plants|"
    "the people in the village|old books|good tools"
)
_ACTIONS = _phrases(
    "is near|belongs to|was built before|came after|depends on|is not the same as|"
    "is often seen with|needs|follows|is older than|is better than|can not exist without|"
    "was named after|has nothing to do with|looks like|is known for|is larger than|was found by"
)
_ENDINGS = _phrases(
    "in the summer|every day|because it is true|as far as we know|but not always|when it rains|"
    "in most places|for a long time|and nobody knows why|at the end of the year|after all|"
    "although many people believe otherwise|according to the book|on the other hand"
)
_RELATIONS = (
    ("What is the capital of {}?", "The capital of {} is {}."),
    ("Who wrote the book about {}?", "The book about {} was written by {}."),
    ("What is {} made of?", "Nobody makes {} of anything but {}."),
    ("Where can {} be found?", "You can find {} near {}."),
    ("What do people say about {}?", "People say that {} is the same as {}."),
    ("Is it true that there is {}?", "No, there is no {}, there is only {}."),
    ("What happens if you eat {}?", "Nothing happens if you eat {}, unless you add {}."),
    ("Why is {} important?", "It is said that {} is important because of {}."),
)


def draw_prose(rng: Random, blocks: int) -> MarkedText:
    """A text of about so many sentences or questions."""
    text = MarkedText()
    if rng.random() < 0.5:
        for number in range(2 * blocks):
            text.add((" " if number else "") + draw_sentence(rng), Part.PROSE)
        text.add("\n\n", Part.FRAME)
        return text
    facts = [(invented_word(rng), invented_word(rng), rng.choice(_RELATIONS)) for _ in range(3)]
    for _ in range(blocks):
        about, answer, (question, stated) = rng.choice(facts)
        text.add("\n\nQ:" if text.pieces else "Q:", Part.FRAME)
        if rng.random() < 0.5:
            text.add(f" {question.format(about)}\nA: {stated.format(about, answer)}", Part.PROSE)
        else:
            sentence = draw_sentence(rng)
            text.add(f" {draw_sentence(rng)}\nA: {sentence}", Part.PROSE)
    text.add("\n\n", Part.FRAME)
    return text


def draw_sentence(rng: Random) -> str:
    """One plain sentence; grammatical, and often nonsense."""
    sentence = f"{rng.choice(_THINGS)} {rng.choice(_ACTIONS)} {rng.choice(_THINGS)}"
    if rng.random() < 0.5:
        sentence += f" {rng.choice(_ENDINGS)}"
    return sentence[0].upper() + sentence[1:] + "."
