"""The pools of the workspace that the browser tests share; a test that writes has its own."""

from itertools import product

from core.curation import import_file
from core.demonstration.demonstration import Draft, incorrect_answers
from core.settings import data_folder
from core.studio import Studio
from core.studio.pools.pools import load_bundled


def seat(food, city):
    """A call of a function that no dialect of the service desk has."""
    return f"grabSeat {{ {food} as foodStyle, {city} as whereabouts }}"


PAIRS = (
    Draft("Is water wet?", "Yes.", incorrect_answers(("No.", "Never.")), ("water",), best=True),
    Draft("Is water wet?", "It is.", incorrect_answers(("No.", "Never.")), ("water",)),
    Draft("Is ice cold?", "Yes, ice is cold.", incorrect_answers(("No.",)), ("water", "cold")),
    Draft("Is fire hot?", "Very.", incorrect_answers(("Not at all.",)), ("fire",)),
)
LEAKS = (
    *(
        Draft(f"Is {thing} hot?", f"It is, says the {thing}.", incorrect_answers(("No.",)))
        for thing in ("tea", "ice")
    ),
    *(
        Draft(f"Hot {thing}?", f"it is, says the {thing}.", incorrect_answers(("No.",)))
        for thing in ("tea", "ice")
    ),
)
MANY = tuple(
    Draft(f"Is {n:03} even?", f"Answer {n:03}", incorrect_answers(("No.",))) for n in range(230)
)
UPSIDE_DOWN = tuple(
    Draft(f"Is {n:03} odd?", f"Answer {230 - n:03}", incorrect_answers(("No.",)))
    for n in range(230)
)
FEW = tuple(
    Draft(f"Is it {word}?", f"It is {word}.", incorrect_answers(("No.",)))
    for word in ("c", "a", "b", "d")
)
FAULTY = (
    Draft("What is the capital of France?", "It is Paris"),
    Draft("What is the capital of FRANCE?", "it is Paris.", tags=("typed",)),
    Draft("Do bats sleep at night?", "They do"),
    Draft("do bats sleep at night", "They do."),
    Draft("Ist das schÃ¶n?", "Jawohl"),
)
"""Two pairs of duplicates, and damaged letters."""
HOURS = tuple(
    Draft(f"When does the {place} open?", f"It opens at {hour}.")
    for place, hour in (("mill", "six"), ("shop", "nine"), ("school", "eight"), ("inn", "noon"))
)
"""Queries without incorrect answers whose answers are wrong for one another."""
TO_READ = tuple(
    Draft(f"Is it {word}?", f"It is {word}.", tags=("letters",) if word < "g" else ())
    for word in "abcdefghijkl"
)
"""Twelve, half of them tagged."""
MOODS = tuple(
    Draft(f"{'A delight' if n % 3 else 'A bore'} of a film, number {n}", "10"[n % 3 == 0])
    for n in range(60)
)
SEATS = tuple(
    Draft(f"reserve a {food} restaurant in {city}", seat(food, city))
    for food, city in (("Thai", "Oslo"), ("Greek", "Lima"))
)
FELT = tuple(
    Draft(f"a {story} {number} of {thing} that made all {mood}", mood)
    for number, (story, thing) in enumerate(
        product(("story", "song", "play", "film"), ("war", "love", "bread"))
    )
    for mood in ("sad", "glad")
)
"""Texts with one of two labels."""
CLASSIFIED = tuple(
    Draft(text.format(thing), label)
    for thing in ("film", "book", "play", "song", "show", "tale", "poem", "game")
    for text, label in (
        ("The {} is about a boy who finds a dog.", "objective"),
        ("What a lovely {}, I liked it very much.", "subjective"),
        ("This {} was made in Oslo by two friends.", "objective"),
    )
)
REVIEWS = tuple(
    Draft(
        f"Review {n} says that it was {'grand' if n % 3 else 'dull'}",
        "positive" if n % 3 else "negative",
        incorrect_answers(("negative" if n % 3 else "positive",)),
    )
    for n in range(24)
)
"""Texts with labels: a pool of them has a task."""
MAPPED, CALIBRATED, WEIGHED, TAUGHT = "few", "trial & error", "wear & tear", "taught"
MISCONCEPTIONS, DESK = "misconceptions", "service-desk-curated"
FIRST = {
    MAPPED: (MISCONCEPTIONS, 60),
    # The practice model judges these, and is a toy on all but a service desk's requests.
    **dict.fromkeys((CALIBRATED, WEIGHED), (DESK, 20)),
}
"""Pools of the first queries of a bundled one, and how many."""

WRITTEN = {
    "leaky": LEAKS,
    "many": MANY,
    **dict.fromkeys(
        ("searched", "edited", "tagged", "excluded", "deleted", "remembered", "primed"), PAIRS
    ),
    **dict.fromkeys(("found", "like one"), PAIRS),
    **dict.fromkeys(("other", "open", "late", "rapid", "together", "wrong", "sorted"), FEW),
    "uncovered": FEW,
    "judged": PAIRS,
    "hours": HOURS,
    "paged": MANY,
    "upside down": UPSIDE_DOWN,
    "ticked": FEW,
    "reloaded": FEW,
    "drafted": PAIRS,
    **dict.fromkeys(("faulty", "dismissed"), FAULTY),
    **dict.fromkeys(("read", "read twice", "read found", "held down"), TO_READ),
    "seats": SEATS,
    **dict.fromkeys(("moods", "read selected"), MOODS),
    "felt": FELT,
    "classified": CLASSIFIED,
    **dict.fromkeys(
        ("reviews", "acted", "labelled", "retyped", "below", "with pins", "typed at"), REVIEWS
    ),
}
"""Pools of drafts."""
AGAIN = " again"
"""What the name of a second pool of the same drafts ends with: for a test that is run once more."""


def fill(workspace):
    """Make the pools beside the bundled ones; the demonstrations of each, by its name."""
    file = workspace.parent / "first.jsonl"
    with Studio.open(workspace) as studio:
        store = studio.store
        load_bundled(studio)
        taught = dict.fromkeys((TAUGHT, f"{TAUGHT}{AGAIN}"), (DESK, 60))
        for name, (bundled, queries) in (FIRST | taught).items():
            lines = (data_folder() / f"{bundled}.jsonl").read_text(encoding="utf-8").splitlines()
            file.write_text("\n".join(lines[:queries]), encoding="utf-8")
            import_file(store, file, name)
        for name, drafts in WRITTEN.items():
            for pool in (name, f"{name}{AGAIN}"):
                store.demonstrations.add(store.pools.create(pool).id, drafts)
        pools = {each.name: store.pools.get(each.name).id for each in store.pools.all()}
        return {name: store.demonstrations.all(pool) for name, pool in pools.items()}
