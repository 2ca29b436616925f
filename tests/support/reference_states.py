"""Last hidden states by `transformers` alone: AutoModel, without a cache, whole sequences."""

import inspect
from functools import lru_cache


@lru_cache(maxsize=16)
def reference_base(folder):
    from transformers import AutoModel, AutoModelForCausalLM, AutoTokenizer

    model, report = AutoModel.from_pretrained(folder, dtype="float32", output_loading_info=True)
    if report["missing_keys"]:  # embeddings that are tied, and saved as the head's
        causal = AutoModelForCausalLM.from_pretrained(folder, dtype="float32")
        model.set_input_embeddings(causal.get_input_embeddings())
    return model.eval(), AutoTokenizer.from_pretrained(folder)


def reference_ids(folder, prefix, text):
    """P and W[len(P):] in one, as `log_probs` has them."""
    _, tokenizer = reference_base(folder)
    opening = tokenizer(prefix)["input_ids"]
    return (opening or [tokenizer.bos_token_id]) + tokenizer(prefix + text)["input_ids"][
        len(opening) :
    ]


def reference_state(folder, prefix, text):
    """The state of one text, alone in its pass."""
    import torch

    model, _ = reference_base(folder)
    with torch.no_grad():
        ids = torch.tensor([reference_ids(folder, prefix, text)])
        return model(input_ids=ids).last_hidden_state[0, -1].numpy()


def reference_states_padded(folder, prefix, texts, side):
    """The states of a batch that is padded with EOS on this side, by the attention mask."""
    import torch

    model, tokenizer = reference_base(folder)
    tokenizer.pad_token, tokenizer.padding_side = tokenizer.eos_token, side
    rows = [reference_ids(folder, prefix, text) for text in texts]
    batch = tokenizer.pad({"input_ids": rows}, return_tensors="pt")
    mask = batch["attention_mask"]
    given = {}
    if "position_ids" in inspect.signature(model.forward).parameters:
        given["position_ids"] = (mask.cumsum(1) - 1).clamp(min=0)
    with torch.no_grad():
        states = model(input_ids=batch["input_ids"], attention_mask=mask, **given).last_hidden_state
    last = (mask * torch.arange(mask.shape[1])).argmax(1)  # the last attended place
    return states[torch.arange(len(rows)), last].numpy()
