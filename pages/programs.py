"""Programs: let them write demonstrations of queries with known answers, or answer questions."""

from pages.common.frame.page import open_page, show_caution, shown_errors
from pages.common.frame.run_mark import mark_end
from pages.common.programs.bootstrap import draw_bootstrap
from pages.common.programs.passages import draw_passages
from pages.common.programs.trial import draw_trial
from pages.common.programs.trial_choosing import ANSWER
from pages.common.programs.widgets import IMPORT, PAGE
from pages.common.state.segments import choose_segment

WRITE = "write"
TASKS = {WRITE: "Write demonstrations", ANSWER: "Answer questions", IMPORT: "Passages"}

frame = open_page("Programs", "Let programs write demonstrations, or compare how they answer.")
show_caution(frame)
with shown_errors():
    task = choose_segment(PAGE, "do", "What for", TASKS, WRITE, labelled=False)
    if task == ANSWER:
        draw_trial(frame)
    elif task == IMPORT:
        draw_passages(frame)
    else:
        draw_bootstrap(frame)
mark_end()
