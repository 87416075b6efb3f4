"""The four APIs from the client's side: a request in each dialect, and checks of its responses."""

import json

from harness import check, report_of
from peers import post
from streams import parse_sse


class Dialect:
    """One dialect. first, second: names of its two providers."""

    def __init__(self, name, first, second, overloaded, terminator):
        self.name, self.first, self.second = name, first, second
        self.overloaded = overloaded    # The key and the value that identify the error of an overloaded server.
        self.terminator = terminator    # The event that ends a complete stream.

    def request(self, model, is_stream, prompt, has_usage=True, extra=b""):
        """Returns a request. has_usage: a stream of Chat Completions reports its usage; all other responses always
        do."""
        message = [{"role": "user", "content": prompt}]
        path, body = f"/v1/{self.name}", {"model": model, "stream": is_stream}
        if self.name == "chat/completions":
            body["messages"] = message
            if is_stream and has_usage:
                body["stream_options"] = {"include_usage": True}
        elif self.name == "responses":
            body["input"] = message if is_stream else prompt
        elif self.name == "messages":
            body.update(messages=message, max_tokens=1000, system=prompt[:4])
        else:
            way = "streamGenerateContent?alt=sse" if is_stream else "generateContent"
            path = f"/v1beta/models/{model}:{way}"
            body = {"contents": [{"role": "user", "parts": [{"text": prompt}]}]}
        return post(path, json.dumps(body).encode(), extra=extra)

    def is_overloaded(self, body):
        """Returns whether the body is this dialect's error for an overloaded server, with a report."""
        body = json.loads(body)
        key, value = self.overloaded
        check((body.get("type") == "error") == (self.name == "messages"), body)
        return body["error"][key] == value and report_of(body)["error_code"] == "Overloaded"

    def is_whole(self, body, is_stream):
        if is_stream:
            return self.terminator in body and not self.has_error(body)
        body = json.loads(body)
        return "error" not in body or body["error"] is None

    def has_error(self, body):
        """Returns whether the stream contains an error of this dialect."""
        events = [json.loads(data) for _, data in parse_sse(body)[0] if data != "[DONE]"]
        return any("error" in event and event["error"] for event in events)


DIALECTS = [
    Dialect("chat/completions", "oa", "ob", ("code", "server_is_overloaded"), b"data: [DONE]"),
    Dialect("responses", "oa", "ob", ("code", "server_is_overloaded"), b"event: response.completed"),
    Dialect("messages", "ca", "cb", ("type", "overloaded_error"), b"event: message_stop"),
    Dialect("gemini", "ga", "gb", ("status", "UNAVAILABLE"), b'"finishReason":"STOP"'),
]
