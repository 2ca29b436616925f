"""A pool of nine queries that evaluation's tests share; importable by the subprocess they kill."""

from core.demonstration.demonstration import Draft, incorrect_answers

ROWS = [
    ("Is water wet?", ["Yes, it is wet", "It is"], ["No, it is dry", "Only on Sunday"]),
    (" Is water\u00ad wet? ", ["People call it wet"], ["Only on Sunday"]),
    ("Who wrote the red house?", ["Nobody knows", "It is not known"], ["The king", "My aunt did"]),
    ("How many legs has a spider?", ["Eight legs", "Eight"], ["Six", "A hundred legs", "Four"]),
    ("How many legs has a beetle?", ["Six legs"], ["Eight", "Four"]),
    ("Where is the moon?", ["In the sky", "It is in the sky"], []),
    ("When is it wet?", ["There is no answer"], ["Never", "On a Sunday"]),
    ("What is the capital of France?", ["It is Paris", "Paris"], ["It is Rome", "Lyon"]),
    ("What is the capital of Italy?", ["Rome"], ["Paris is", "Milan"]),
    ("Why is the sky blue?", ["Air scatters blue light"], ["It mirrors the sea"]),
]


def drafts() -> list[Draft]:
    return [
        Draft(query, answer, incorrect_answers(tuple(incorrect)), best=place == len(answers) - 1)
        for query, answers, incorrect in ROWS
        for place, answer in enumerate(answers)
    ]
