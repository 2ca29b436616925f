"""Texts by `transformers` alone: its own `generate`, one prompt at a time."""

from tests.support.reference_log_probs import reference_model


def reference_opening(folder, prompt):
    """The prompt's token ids; of an empty one the token that begins a text."""
    _, tokenizer = reference_model(folder)
    return tokenizer(prompt)["input_ids"] or [tokenizer.bos_token_id]


def reference_generation(folder, prompt, most):
    """The greedy token ids after the prompt, and whether a token that ends a text came."""
    import torch

    model, _ = reference_model(folder)
    opening = torch.tensor([reference_opening(folder, prompt)])
    with torch.no_grad():
        whole = model.generate(
            opening,
            attention_mask=torch.ones_like(opening),
            do_sample=False,
            max_new_tokens=most,
            pad_token_id=0,
        )[0].tolist()
    tokens = whole[opening.shape[1] :]
    ended = bool(tokens) and tokens[-1] == model.generation_config.eos_token_id
    return tokens[:-1] if ended else tokens, ended
