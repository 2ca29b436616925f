"""A step of a program whose texts are no answers: what the model did instead is shown."""

from streamlit.testing.v1 import AppTest


def page(several):
    from core.generation import EndedBy, Generation, GenerationRequest
    from core.programs.steps import Call, Completion, Step
    from pages.common.programs.trace import draw_step

    texts = (
        Generation("", (), (), ended_by=EndedBy.REFUSED, instead="I cannot say."),
        Generation("", (), (), ended_by=EndedBy.THOUGHTS, thoughts="Let me see"),
        *((Generation("Lima", (), (-1.0,), ended_by=EndedBy.END),) if several else ()),
    )
    call = Call(GenerationRequest("Q:", n=3, temperature=0.7), 1, texts)
    fields = [{"answer": text.text} for text in texts]
    completions = tuple(
        Completion(
            fields=row,
            last_field="answer",
            log_prob=-1.0,
            n_tokens=1,
            ended_by=text.ended_by,
            sample=place,
        )
        for place, (row, text) in enumerate(zip(fields, texts, strict=True))
    )
    draw_step(Step("qa", calls=(call,), completions=completions), ())


def test_what_is_no_answer_is_shown_as_what_it_is():
    app = AppTest.from_function(page, args=(False,)).run()
    assert [each.value for each in app.code] == ["I cannot say."]
    assert [each.value for each in app.caption] == ["No answer: 1 declined, 1 still thinking."]
    assert not app.exception


def test_answers_beside_them_keep_their_table():
    app = AppTest.from_function(page, args=(True,)).run()
    assert "Lima" in app.get("html")[1].proto.body
    assert [each.value for each in app.code] == ["I cannot say."]
    assert [each.value for each in app.caption] == ["No answer: 1 declined, 1 still thinking."]
