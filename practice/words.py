"""The words of the task: values by kind, parts of names, syllables."""

VALUES: dict[str, tuple[str, ...]] = {
    kind: tuple(words.split())
    for kind, words in {
        "item": "shoes boots sandals jacket coat shirt sweater jeans skirt dress hat scarf gloves "
        "socks belt backpack watch sunglasses umbrella",
        "colour": "red blue green black white brown grey pink purple orange yellow beige",
        "material": "leather cotton wool linen silk denim suede nylon",
        "price": "40 50 60 70 80 90 100 120 150 200 250 300",
        "size": "36 37 38 39 41 42 43 44 46",
        "city": "Paris London Rome Berlin Madrid Lisbon Vienna Prague Dublin Oslo Athens Warsaw "
        "Tokyo Boston Chicago Denver Seattle Austin Toronto Lima",
        "cabin": "economy premium business",
        "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday tomorrow today",
        "count": "two three four five six seven eight",
        "nights": "2 3 4 6 7 8 9",
        "time": "noon midnight 6pm 7pm 8pm 9pm 9am 10am 11am",
        "cuisine": "Italian Thai Indian Mexican Greek Korean French Turkish Lebanese Vietnamese",
        "genre": "jazz rock pop blues folk techno metal soul reggae classical",
        "mood": "calm happy sad upbeat dark romantic energetic dreamy",
        "decade": "fifties sixties seventies eighties nineties",
        "minutes": "5 10 15 20 25 30 35 45",
        "comfort": "budget standard luxury boutique",
        "meal": "breakfast lunch dinner brunch",
        "person": "Anna Ben Carla David Emma Felix Grace Hugo Ines Jack Karen Leo Maria Nadia "
        "Oscar Paul",
        "errand": "groceries laundry homework dentist rent report passport meeting taxes interview",
        "car": "sedan van convertible pickup hatchback limousine minibus roadster",
        "gearbox": "automatic manual",
        "film": "comedy thriller horror drama western animation documentary musical",
        "dish": "soup salad pasta curry stew pizza pie omelette risotto cake",
        "diet": "vegan vegetarian keto halal kosher paleo",
        "ingredient": "chicken tofu mushrooms spinach beans lentils salmon potatoes tomatoes "
        "cheese",
        "product": "laptop smartphone printer router tablet monitor keyboard camera headset "
        "speaker",
        "fault": "broken slow noisy overheating frozen offline cracked leaking",
        "urgency": "high low medium critical",
        "channel": "email chat text letter fax",
        "account": "savings checking joint holiday household",
        "measure": "rain wind humidity temperature snow pollen",
        "unit": "celsius fahrenheit kelvin",
        "subject": "history physics poetry cooking travel chess gardening astronomy",
        "language": "English German Spanish Japanese Arabic Polish Dutch Portuguese",
        "format": "paperback hardcover audiobook ebook",
        "sport": "yoga pilates boxing spinning swimming judo climbing dancing",
        "level": "beginner intermediate advanced",
    }.items()
}
"""What a request may name, by kind; almost every word belongs to one kind only."""

_VALUE_WORDS = {word for words in VALUES.values() for word in words}

_FIRST = """
    sku tint fabric fit cap arrive goods fetch dest leave tier seat limit flavor town party eve
    slot tune vibe era span lodge rank stay guest board memo topic hour mate meteo gauge spot
    scale ride paint hub gear show kind row venue menu plate rule base prep pay sum payee vault
    due fix defect grade via tome theme tongue cover train skill gym op act run job call do get
    put set new old net max min top sub pre key tag ref idx num val arg opt cfg env src dst tmp
    buf ptr map list node leaf root edge path link port host user team role plan goal step stage
    phase cycle round turn mode form shape area zone line point mark sign code name note page
    file data info fact rate cost fee tax bill cash bank fund loan gain loss risk view look scan
    seek pick drop lift push pull hold keep save load send take give make bake brew mix cut chop
    slice grind press mold cast forge weld bolt nail screw clamp wire cable pipe tube hose tank
    pump valve motor wheel axle brake clutch lever pedal crank shaft rotor blade wing tail nose
    deck hull mast sail rope knot buoy dock pier quay reef tide wave storm cloud mist frost ice
    hail sleet alpha beta gamma delta sigma omega zeta kappa quark boson lepton atom ion flux
    coil lens prism laser radar sonar probe relay diode chip core cache stack queue heap tree
    graph mesh grid cell tile brick stone slate clay sand loam peat moss fern pine oak elm ash
    birch cedar maple willow
    find order book plan table trip rent hire play song sound music room hotel remind event
    forecast weather sky vehicle ticket cinema recipe kitchen money transfer support help device
    library read lesson course class article budget fare landing style playlist length start
    target partner place reading branch screen crowd eating main cooking amount receiver source
    issue urgent reply subject paper price film cabin join reserve open sport learn teach town
    branch pickup colour cuisine
"""

_SECOND = """
    id code ref no key tag val name type kind opt arg set list idx x y z a b c q t v max min lim
    cap eur usd iso utc lvl pos cnt qty len str num dt ts loc geo src to by for at of in on up
    hi lo new raw std ext alt api v2 do get put run req job call go
    table goods trip music room event weather car seats recipe money issue book lesson date time
    day place town size style class count limit price level group format person rule unit colour
    nights with from language topic item model
"""


def _distinct(text: str) -> list[str]:
    return list(dict.fromkeys(text.split()))


FIRST_PARTS = tuple(word for word in _distinct(_FIRST) if word not in _VALUE_WORDS)
"""A name is one of these, or one of these with a second part."""

SECOND_PARTS = tuple(f"_{word}" for word in _distinct(_SECOND))
"""With the dash that joins them to the first."""

SYLLABLES = tuple(onset + vowel for onset in "bdfgklmnprstvz" for vowel in "aeiou")
"""What invented words are made of."""
