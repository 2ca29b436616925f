"""The views of a context below the cockpit, of which one is shown at a time."""

CURVE, CONTEXT, ANSWERS = "curve", "context", "answers"
OWN_ANSWERS, TOKENS, PROMPT, WHY_NOT = "own", "tokens", "prompt", "why-not"
PATHS = {"path-d": "lambda_d", "path-b": "lambda_b"}
VIEWS = {
    CURVE: "Curve",
    CONTEXT: "Context",
    ANSWERS: "Answers",
    OWN_ANSWERS: "Model's answer",
    TOKENS: "Tokens",
    PROMPT: "Prompt",
    WHY_NOT: "Why not?",
    **{name: f"Path of {knob}" for name, knob in PATHS.items()},
}
"""The name of each in the link, and on the page."""
