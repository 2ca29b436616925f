"""Generated texts in the store: kept once under all that decides them."""

from core.generation import Disagreement, EndedBy, Generation, ServerDoubt

TEXT = Generation(" Yes.\nQ", (4, 7), (-0.125, -3.5), ended_by=EndedBy.LENGTH)
OTHER = Generation("", (), (), ended_by=EndedBy.END)


def test_a_text_is_found_under_model_prompt_settings_and_number_alone(store):
    key = ("p", "s", 0)
    store.generations.put("m", {key: TEXT, ("p", "s", 1): OTHER})
    assert store.generations.get("m", [key, ("p", "s", 1)]) == {key: TEXT, ("p", "s", 1): OTHER}
    for other in (("q", "s", 0), ("p", "t", 0), ("p", "s", 2)):
        assert store.generations.get("m", [other]) == {}
    assert store.generations.get("another", [key]) == {}


def test_what_is_there_stays(store):
    store.generations.put("m", {("p", "s", 0): TEXT})
    store.generations.put("m", {("p", "s", 0): OTHER, ("p", "s", 1): OTHER})
    assert store.generations.get("m", [("p", "s", 0)]) == {("p", "s", 0): TEXT}
    assert store.generations.count("m") == 2


def test_many_prompts_and_none(store):
    rows = {(f"p{i}", "s", 0): TEXT for i in range(600)}
    store.generations.put("m", rows)
    store.generations.put("m", {})
    assert store.generations.get("m", list(rows)) == rows
    assert store.generations.get("m", []) == {}


def test_thoughts_what_came_instead_and_doubts_are_kept(store):
    doubts = (
        ServerDoubt(Disagreement.MODEL, "tiny", "other"),
        ServerDoubt(Disagreement.PROMPT, "60", "40"),
    )
    rows = {
        ("p", "s", 0): Generation(
            " Lima", (), (), ended_by=EndedBy.END, thoughts="It is\nLima.", doubts=doubts
        ),
        ("p", "s", 1): Generation("", (), (), ended_by=EndedBy.REFUSED, instead="I cannot say."),
    }
    store.generations.put("m", rows)
    assert store.generations.get("m", list(rows)) == rows
