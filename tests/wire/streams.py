"""A short sample stream of each dialect, and a reader for each.

The events of a sample are (bytes, is_content). The readers decide whether a stream is complete without using code of
the gateway."""

import json

from harness import check, report_of
from peers import chunk, chunks, post


def parse_sse(body):
    """Returns the events that a browser would dispatch, as (name, data), and the bytes after the last event."""
    text = body.decode("utf-8")
    if text.startswith("\ufeff"):
        text = text[1:]
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    events, name, data = [], "", []
    lines = text.split("\n")
    rest = lines.pop()
    for line in lines:
        if not line:
            if data:
                events.append((name, "\n".join(data)))
            name, data = "", []
            continue
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value
    return events, rest or "\n".join(data)


class Sample:
    """The stream of one dialect and the request for it."""

    def __init__(self, name, path, body, events, is_array=False, has_terminator=True):
        self.name = name
        self.path = path
        self.body = body
        self.events = events
        self.is_array = is_array
        self.has_terminator = has_terminator
        self.type = "application/json" if is_array else "text/event-stream"

    def pieces(self, mark=b""):
        """Returns the bytes of each event. mark: a text that shows which provider sent the event."""
        return [data.replace(b"@@", mark) for data, _ in self.events]

    def request(self, mark, extra=b""):
        return post(self.path, self.body, mark, extra)

    def content_end(self):
        """Returns the offset in the payload at which the first event with content ends."""
        end = 0
        for data, is_content in self.events:
            end += len(data.replace(b"@@", b""))
            if is_content:
                return end
        raise AssertionError("no content")

    def read(self, body):
        """Returns the events as a client reads them, as a list of (name, JSON or text), and the text that is no
        event."""
        if not self.is_array:
            events, rest = parse_sse(body)
            events = [(name, _json(data)) for name, data in events]
            # For older versions of Google's SDKs, the gateway repeats an error here in a form that is not an event.
            is_again = self.name == "gemini" and events and _json(rest) == events[-1][1]
            return events, "" if is_again and "error" in events[-1][1] else rest
        try:
            return [("", element) for element in json.loads(body)], ""
        except ValueError as error:
            return [], f"{error}: {body!r}"

    def check_error(self, answer, payload, is_exact=True):
        """Checks that the client received complete events of the sample, which are those within `payload` bytes (or
        fewer), and after them an error event. Returns the report's code."""
        check(answer.status == 200 and answer.end == "clean", answer)
        got, rest = self.read(answer.body)
        check(not rest, "half an event:", repr(rest), answer)
        check(got, "no event at all:", answer)
        error = self.take_error(got)
        # The events up to the error must be complete and equal to the sample's events.
        wanted = self.read(b"".join(self.pieces()))[0]
        check(got == wanted[:len(got)], "other events than the provider's:", got)
        whole = self.count_whole(payload)
        check(len(got) == whole or (len(got) < whole and not is_exact), "the provider sent", whole,
              "events, the client has", len(got))
        return report_of(error).get("error_code")

    def take_error(self, events):
        """Removes the error, in the dialect's form, from the end of the events and returns it."""
        name, error = events.pop()
        if self.name == "responses":
            check(name == "response.failed" and error["response"]["status"] == "failed", name, error)
            check(events, "nothing in front of it:", error)
            name, error = events.pop()
        check(isinstance(error, dict) and "error" in error, "no error at the end:", error)
        check(name == ("error" if self.name in ("anthropic", "responses") else ""), name)
        check(isinstance(report_of(error), dict), "no report:", error)
        return error

    def count_whole(self, payload):
        """Returns the number of events that end within this number of bytes."""
        count = end = 0
        for piece in self.pieces():
            end += len(piece)
            count += end <= payload
        return count


def _json(data):
    try:
        return json.loads(data)
    except ValueError:
        return data


def _data(*objects):
    return [(b"data: " + text.encode() + b"\n\n", is_content) for text, is_content in objects]


def _typed(*objects):
    events = []
    for text, is_content in objects:
        kind = json.loads(text)["type"]
        events.append((f"event: {kind}\ndata: {text}\n\n".encode(), is_content))
    return events


CHAT = Sample(
    "chat", "/v1/chat/completions", b'{"model":"two","stream":true,"messages":[]}', _data(
        ('{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}', False),
        ('{"choices":[{"index":0,"delta":{"content":"@@Gr\u00fc\u00df dich \U0001f600"}}]}', True),
        ('{"choices":[{"index":0,"delta":{"content":" you"}}]}', True),
        ('{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}', False),
        ('{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}', False),
        ('[DONE]', False)))

COMPLETIONS = Sample(
    "completions", "/v1/completions", b'{"model":"two","stream":true,"prompt":"Hi"}', _data(
        ('{"choices":[{"index":0,"text":""}]}', False),
        ('{"choices":[{"index":0,"text":"@@Hello"}]}', True),
        ('{"choices":[{"index":0,"text":" you"}]}', True),
        ('{"choices":[{"index":0,"text":"","finish_reason":"stop"}]}', False),
        ('[DONE]', False)))

RESPONSES = Sample(
    "responses", "/v1/responses", b'{"model":"two","stream":true,"input":"Hi"}', _typed(
        ('{"type":"response.created","response":{"id":"r"}}', False),
        ('{"type":"response.output_item.added","item":{"type":"message"}}', False),
        ('{"type":"response.output_text.delta","delta":"@@Hello"}', True),
        ('{"type":"response.output_text.delta","delta":" you"}', True),
        ('{"type":"response.completed","response":{"status":"completed"}}', False)))

ANTHROPIC = Sample(
    "anthropic", "/v1/messages",
    b'{"model":"claude","stream":true,"max_tokens":9,"messages":[]}', _typed(
        ('{"type":"message_start","message":{"content":[],"usage":{"input_tokens":1}}}', False),
        ('{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
         False),
        ('{"type":"ping"}', False),
        ('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"@@Hi"}}',
         True),
        ('{"type":"content_block_stop","index":0}', False),
        ('{"type":"message_delta","delta":{"stop_reason":"end_turn"}}', False),
        ('{"type":"message_stop"}', False)))

_GEMINI = ('{"candidates":[{"content":{"parts":[{"text":"@@Hello"}],"role":"model"}}]}',
           '{"candidates":[{"content":{"parts":[{"text":" you"}],"role":"model"}}]}',
           '{"candidates":[{"content":{"parts":[{"text":"!"}]},"finishReason":"STOP"}],'
           '"usageMetadata":{"promptTokenCount":1}}')
_ASK_GEMINI = b'{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}'

GEMINI = Sample(
    "gemini", "/v1beta/models/gemini:streamGenerateContent?alt=sse", _ASK_GEMINI,
    [(b"data: " + text.encode() + b"\r\n\r\n", True) for text in _GEMINI], has_terminator=False)

ARRAY = Sample(
    "array", "/v1beta/models/gemini:streamGenerateContent", _ASK_GEMINI,
    [(b"[" + _GEMINI[0].encode(), True), (b",\r\n" + _GEMINI[1].encode(), True),
     (b",\r\n" + _GEMINI[2].encode(), True), (b"\n]\n", False)], is_array=True)

SAMPLES = (CHAT, COMPLETIONS, RESPONSES, ANTHROPIC, GEMINI, ARRAY)


# ---- framings: a head, and a body of which any prefix can be sent ----


def _head(sample, framing):
    return b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\n%b\r\n" % (sample.type.encode(), framing)


def framed(sample, how, mark=b""):
    """Returns the head and the body of a complete response. how: "chunked", "length" or "close"."""
    pieces = sample.pieces(mark)
    whole = b"".join(pieces)
    if how == "chunked":
        return _head(sample, b"Transfer-Encoding: chunked\r\n"), chunks(pieces)
    if how == "length":
        return _head(sample, b"Content-Length: %d\r\n" % len(whole)), whole
    return _head(sample, b"Connection: close\r\n"), whole


def payload_of(sample, how, sent):
    """Returns the number of payload bytes in the first `sent` bytes of the body."""
    if how != "chunked":
        return sent
    payload = 0
    for piece in sample.pieces():
        size_line = len(chunk(piece)) - len(piece) - 2
        payload += max(0, min(len(piece), sent - size_line))
        sent -= len(chunk(piece))
    return payload
