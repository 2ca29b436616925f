"""Log-probabilities by `transformers` alone: its own loss, one answer at a time."""

from functools import lru_cache


@lru_cache(maxsize=16)
def reference_model(folder):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(folder, dtype="float32").eval()
    return model, AutoTokenizer.from_pretrained(folder)


def reference_pair(folder, prompt, answer):
    """P and W[len(P):], as design and lm-evaluation-harness have them."""
    _, tokenizer = reference_model(folder)
    opening = tokenizer(prompt)["input_ids"]
    continuation = tokenizer(prompt + answer)["input_ids"][len(opening) :]
    return opening or [tokenizer.bos_token_id], continuation


def reference_log_prob(folder, prompt, answer):
    """Minus the model's own loss on the answer's tokens, times their number, in nats."""
    import torch

    model, _ = reference_model(folder)
    opening, continuation = reference_pair(folder, prompt, answer)
    ids = torch.tensor([opening + continuation])
    labels = torch.tensor([[-100] * len(opening) + continuation])
    with torch.no_grad():
        return -model(input_ids=ids, labels=labels).loss.item() * len(continuation)
