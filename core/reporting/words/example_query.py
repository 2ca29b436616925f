"""Why a query was chosen as the example, and how usual its effect is."""

from ..results.idea import Chosen, Opening


def why_chosen(shown: Opening, query: str) -> str:
    """What a reader must know of the query on the screen; empty where it was not chosen."""
    chosen = shown.chosen
    if chosen is None or query not in (shown.query, shown.typical):
        return ""
    if query == shown.query:
        first = (
            "An example chosen to show the effect: of the "
            f"{chosen.showing:,} queries whose most similar demonstrations say the same again and "
            "whose right answer wins only with a mix, this one gains most: "
            f"{nats(chosen.gain)} per triple (the median of all queries: "
            f"{nats(chosen.median_gain)})."
        )
    else:
        first = (
            f"A typical query: its gain from a mix, {nats(chosen.typical_gain)} per triple over "
            f"similarity alone, is nearest to the median of {chosen.queries:,} queries."
        )
    return f"{first} {turns(chosen)}"


def turns(chosen: Chosen) -> str:
    """How often the mix decides whether the right answer wins, both ways."""
    return (
        f"The mix turns the right answer from losing to winning in {chosen.turned:,} of "
        f"{chosen.queries:,} queries, and from winning to losing in {chosen.turned_back:,}."
    )


def nats(value: float) -> str:
    """A gain in words; no zero has a sign."""
    text = f"{value:.3f} nats"
    return text.lstrip("-") if float(f"{value:.3f}") == 0.0 else text
