"""A small server of the OpenAI protocol, around a real tiny model or around words.

It answers as the protocol documents: completions with `echo`, `logprobs`, `text_offset` and `seed`,
chat, streams, a list of models. What it does not offer is an argument, and so are the faults with
which it answers the next requests. As a program it serves words until it is killed, and prints its
port: `python -m tests.support.openai_server [PORT]`.
"""

import json
import socket
import sys
import threading
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate

from core.generation import GenerationRequest
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

NAME = "tiny"
KEY = "sk-never-shown-0123456789"
"""A key that a test looks for wherever it must not be."""


class Words:
    """Words for tokens, each with the space before it; the numbers of `FakeLanguageModel`."""

    window = 512

    def __init__(self):
        self._model = FakeLanguageModel()

    def read(self, text):
        """(text of each token, its offset, its log-probability), the first without one."""
        pieces, at = [], 0
        for place, letter in enumerate(text):
            if letter == " " and place > at:
                pieces.append(text[at:place])
                at = place
        pieces.append(text[at:])
        offsets = [0, *accumulate(map(len, pieces[:-1]))]
        values = [
            self._model.log_prob(text[:start], piece).total
            for start, piece in zip(offsets, pieces, strict=True)
        ]
        return pieces, offsets, [None, *values[1:]]

    def write(self, request):
        return self._model.generate([request])[0][0], ()


class Network:
    """A model of `transformers` in a folder; `local` is the same one as Shotlist runs it."""

    def __init__(self, folder, local):
        from tests.support.reference_log_probs import reference_model

        self.window = local.window
        self._local = local
        self._network, self._tokenizer = reference_model(folder)

    def read(self, text):
        import torch

        encoded = self._tokenizer(text, return_offsets_mapping=True)
        ids = encoded["input_ids"]
        with torch.no_grad():
            logits = self._network(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
        values = [logits[place, token].item() for place, token in enumerate(ids[1:])]
        pieces = self._pieces(ids)
        return pieces, [start for start, _ in encoded["offset_mapping"]], [None, *values]

    def write(self, request):
        found = self._local.generate([request])[0][0]
        return found, self._pieces(found.tokens)

    def _pieces(self, ids):
        return [self._tokenizer.decode([token]) for token in ids]


@dataclass
class Offer:
    """What the server has; `faults` answer the next requests instead of it, each one once.

    `asked` lists the bodies of what was asked, and `keys` the header that came with each.
    """

    completions: bool = True
    chat: bool = True
    models: bool = True
    echo: bool = True
    prompt_logprobs: bool = True
    log_probs: bool = True
    refused: dict = field(default_factory=dict)
    """What it says to a request with a field that it does not take, by the field."""
    faults: deque = field(default_factory=deque)
    asked: list = field(default_factory=list)
    keys: list = field(default_factory=list)
    after: dict = field(default_factory=dict)
    """What happens at the nth request for a text, counted from 1."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    backend, offer, lock = None, None, threading.Lock()

    def log_message(self, *words):
        """Nothing on standard error."""

    def do_GET(self):
        if not self.path.endswith("/models") or not self.offer.models:
            return self.refuse(404, "no such place")
        entry = {"id": NAME, "object": "model", "created": 1, "owned_by": "tests"}
        self.send(200, {"object": "list", "data": [entry | {"max_model_len": self.backend.window}]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.offer.asked.append(body)
        self.offer.keys.append(self.headers.get("authorization"))
        fault = self.offer.after.pop(len(self.offer.asked), None)
        if fault is None and self.offer.faults:
            fault = self.offer.faults.popleft()
        if fault is not None:
            return fault(self)
        chat = self.path.endswith("/chat/completions")
        refusal = self.refusal(body, chat)
        if refusal is not None:
            return self.refuse(*refusal)
        with self.lock:
            self.answer(body, chat)

    def refusal(self, body, chat):
        """Why the request is refused, as a status and a sentence; None where it is not."""
        offer = self.offer
        refused = [message for name, message in offer.refused.items() if name in body]
        cases = (
            (not (offer.chat if chat else offer.completions), 404, "no such place"),
            (body["model"] != NAME, 404, f"The model {body['model']} does not exist."),
            (body.get("echo") and not offer.echo, 400, "Only no echo is supported"),
            (most_tokens(body) == 0, 400, "max_tokens must be at least 1"),
            ("prompt_logprobs" in body and not offer.prompt_logprobs, 422,
             "Unexpected fields in the request: prompt_logprobs"),
            (body.get("logprobs") and not offer.log_probs, 400, "logprobs is not supported"),
            (bool(refused), 400, "".join(refused[:1])),
        )  # fmt: skip
        return next(((status, said) for holds, status, said in cases if holds), None)

    def answer(self, body, chat):
        prompt = body["messages"][0]["content"] if chat else body["prompt"]
        read = self.backend.read(prompt)
        if len(read[0]) + most_tokens(body) > self.backend.window:
            return self.refuse(400, f"maximum context length is {self.backend.window} tokens")
        written, pieces = self.write(prompt, body)
        usage = {"prompt_tokens": len(read[0]), "completion_tokens": len(pieces or written.text)}
        finish = "length" if written.ended_by == "length" else "stop"
        if chat:
            return self.answer_chat(body, written.text, finish, usage)
        text, logged = written.text, None
        if body.get("logprobs") is not None:
            starts = [len(prompt) + sum(map(len, pieces[:n])) for n in range(len(pieces))]
            logged = [pieces, starts, list(written.log_probs)]
            if body.get("echo"):
                logged = [[*a, *b] for a, b in zip(read, logged, strict=True)]
        if body.get("echo"):
            text = prompt + text
        choice = {"index": 0, "text": text, "finish_reason": finish, "logprobs": None}
        if logged is not None:
            names = ("tokens", "text_offset", "token_logprobs")
            choice["logprobs"] = dict(zip(names, logged, strict=True)) | {"top_logprobs": None}
        if "prompt_logprobs" in body:
            choice["prompt_logprobs"] = [
                None if value is None else {"7": {"logprob": value, "decoded_token": piece}}
                for piece, value in zip(read[0], read[2], strict=True)
            ]
        if not body.get("stream"):
            return self.send(
                200, {"object": "text_completion", "choices": [choice], "usage": usage}
            )
        parts = [text[at : at + 3] for at in range(0, len(text), 3)]
        rows = [{"index": 0, "text": part, "finish_reason": None} for part in parts]
        self.stream([*rows, choice | {"text": ""}])

    def answer_chat(self, body, text, finish, usage):
        if not body.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", "content": text}}
            row = choice | {"finish_reason": finish}
            return self.send(200, {"object": "chat.completion", "choices": [row], "usage": usage})
        parts = [text[at : at + 3] for at in range(0, len(text), 3)]
        rows = [{"index": 0, "delta": {"content": each}, "finish_reason": None} for each in parts]
        self.stream([*rows, {"index": 0, "delta": {}, "finish_reason": finish}])

    def write(self, prompt, body):
        request = GenerationRequest(
            prompt,
            temperature=body["temperature"],
            top_p=body.get("top_p", 1.0),
            stop=tuple(body.get("stop", ())),
            max_new_tokens=most_tokens(body),
            seed=body.get("seed", 0),
        )
        return self.backend.write(request)

    def stream(self, choices):
        self.begin_stream()
        for choice in choices:
            self.send_part({"object": "text_completion", "choices": [choice]})
        self.end_stream()

    def begin_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def send_part(self, row):
        self.wfile.write(f"data: {json.dumps(row)}\n\n".encode())
        self.wfile.flush()

    def end_stream(self):
        self.wfile.write(b"data: [DONE]\n\n")

    def refuse(self, status, message, **headers):
        self.send(status, {"error": {"message": message, "type": "x", "code": None}}, **headers)

    def send(self, status, row, **headers):
        content = json.dumps(row).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def most_tokens(body):
    """The most tokens that a request allows, by either of the protocol's names."""
    return body.get("max_completion_tokens", body.get("max_tokens"))


def status(code, message="no", **headers):
    """A fault: this status, with these headers."""
    return lambda handler: handler.refuse(code, message, **headers)


def answering(text, finish="stop", *, usage=None, model=NAME, pieces=None, **message):
    """A fault: this text with this end, as a whole or piece by piece, as it was asked for.

    `message` has what else a message has, such as `refusal`; `pieces` are the texts of tokens, each
    with a log-probability of -1, -2 and so on.
    """

    def answer(handler):
        body = handler.offer.asked[-1]
        chat, stream = "messages" in body, body.get("stream")
        beside = {"model": model, "usage": usage}
        logged = None
        if pieces is not None:
            values = [-1.0 - place for place in range(len(pieces))]
            logged = {"tokens": pieces, "token_logprobs": values}
            if chat:
                pairs = zip(pieces, values, strict=True)
                logged = {"content": [{"token": a, "logprob": b} for a, b in pairs]}
        if not stream:
            whole = {"message": {"role": "assistant", "content": text, **message}}
            choice = {"index": 0, **(whole if chat else {"text": text}), "logprobs": logged}
            return handler.send(200, {"choices": [choice | {"finish_reason": finish}], **beside})
        parts = [text[at : at + 5] for at in range(0, len(text or ""), 5)]
        key = "content" if chat else "text"
        rows = [{key: part} for part in parts]
        for name, value in message.items():
            whole = not isinstance(value, str)
            halves = [value] if whole else [value[:5], value[5:]]
            rows += [{name: half} for half in halves]
        choices = [{"delta": row} if chat else row for row in rows]
        end = {"delta": {}} if chat else {"text": ""}
        handler.begin_stream()
        for choice in [*choices, end | {"finish_reason": finish, "logprobs": logged}]:
            handler.send_part({"model": model, "choices": [{"index": 0, **choice}]})
        if usage is not None and body.get("stream_options"):
            handler.send_part({"model": model, "choices": [], "usage": usage})
        handler.end_stream()

    return answer


def error_in_place(message, code=None):
    """A fault: status 200, and an error where the answer should be."""

    def answer(handler):
        row = {"error": {"message": message, "code": code}}
        if not handler.offer.asked[-1].get("stream"):
            return handler.send(200, row)
        handler.begin_stream()
        handler.send_part(row)
        handler.end_stream()

    return answer


def half_an_answer(handler):
    """A fault: fewer bytes than were announced."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"te')
    handler.close_connection = True


def half_a_stream(handler):
    """A fault: a stream that ends without saying why."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(b'data: {"choices": [{"index": 0, "text": "hal"}]}\n\n')
    handler.close_connection = True


def no_json(handler):
    """A fault: a page of HTML with status 200."""
    content = b"<html>a proxy</html>"
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def bad_json(handler):
    """A fault: what is announced as JSON is none."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "9")
    handler.end_headers()
    handler.wfile.write(b'{"choices')


def reset(handler):
    """A fault: the connection is closed without an answer."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


class Hang:
    """A fault: no answer until `end` is set; `began` is set once somebody waits for it."""

    def __init__(self):
        self.began, self.end = threading.Event(), threading.Event()

    def __call__(self, handler):
        self.began.set()
        self.end.wait(60)
        reset(handler)


@contextmanager
def serving(backend, offer=None, port=0):
    """The base URL of such a server, as long as the context is open; and what it offers."""
    offer = offer or Offer()

    class Own(Handler):
        pass

    Own.backend, Own.offer = backend, offer
    server = ThreadingHTTPServer(("127.0.0.1", port), Own)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", offer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


if __name__ == "__main__":
    Handler.backend, Handler.offer = Words(), Offer()
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    program = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    sys.stdout.write(f"{program.server_address[1]}\n")
    sys.stdout.flush()
    program.serve_forever()
