"""A client as strict as the official SDKs: records what arrived and how a program would interpret
it."""
import http.client
import json
import socket
import time

TOKENS = 32  # number of tokens of a complete response; each word of the mock is one token

# The possible results of a request, as a client sees them.
ANSWER = "answer"
HUNG = "hung"
CUT = "cut"
PART = "part as whole"
ERROR_EVENT = "error event"
ERROR_BODY = "error in a 200"
BROKEN = "broken JSON"
# Results that look like success: no client library raises an error for them.
LOOKS_CLEAN = (PART, ERROR_BODY)


class Seen:
    """The part of a response that the client has received."""

    def __init__(self):
        self.status = None
        self.raw = b""
        self.is_cut = False
        self.is_hung = False
        self.seconds = 0.0


def ask(port, path, body, headers, patience_s, leave_after=None):
    """Sends one request and reads until the end, until patience_s have passed, or until
    leave_after tokens have come."""
    seen = Seen()
    since = time.monotonic()
    one = http.client.HTTPConnection("127.0.0.1", port, timeout=patience_s)
    try:
        one.request("POST", path, json.dumps(body), headers)
        answer = one.getresponse()
        seen.status = answer.status
        read(one, answer, seen, since + patience_s, leave_after)
    except (socket.timeout, TimeoutError):
        seen.is_hung = True
    except (http.client.HTTPException, OSError):
        seen.is_cut = True
    finally:
        one.close()
    seen.seconds = time.monotonic() - since
    return seen


def read(one, answer, seen, until, leave_after):
    while True:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if one.sock is not None:  # None after a response with "Connection: close"
            one.sock.settimeout(left)
        piece = answer.read1(65536)
        if not piece:
            break
        seen.raw += piece
        if leave_after is not None and len(text_of(seen)[0].split()) >= leave_after:
            return
    if answer.length:  # fewer bytes than Content-Length
        seen.is_cut = True


def read_value(value, found):
    """Reads one JSON value of a response and adds to `found` its text, its error, and whether it
    ends the response."""
    if not isinstance(value, dict):
        return
    if value.get("error") or value.get("type") == "error":
        found["error"] = True
    for choice in value.get("choices") or []:
        part = choice.get("delta") or choice.get("message") or {}
        found["text"] += part.get("content") or ""
        found["end"] = found["end"] or choice.get("finish_reason") is not None
    delta = value.get("delta") if isinstance(value.get("delta"), dict) else {}
    found["text"] += delta.get("text") or ""
    for block in value.get("content") or []:
        if isinstance(block, dict):
            found["text"] += block.get("text") or ""
    usage = value.get("usage") or {}
    found["tokens"] = usage.get("completion_tokens", found["tokens"])
    if value.get("type") == "message_stop" or value.get("stop_reason"):
        found["end"] = True


def text_of(seen):
    """Returns the text of the response and its other facts: whether it is complete, its error, its
    token count."""
    found = {"text": "", "end": False, "error": False, "damaged": False, "tokens": TOKENS}
    raw = seen.raw.decode(errors="replace")
    if "data:" not in raw[:200] and not raw.startswith(("event:", ":")):
        values = [raw] if raw.strip() else []
    else:
        values = [line[5:].strip() for line in raw.splitlines() if line.startswith("data:")]
    for value in values:
        if value == "[DONE]":
            continue
        try:
            read_value(json.loads(value), found)
        except ValueError:
            found["damaged"] = True
    return found["text"], found


def outcome(seen):
    """Returns the result in a few words and the number of tokens that the client has."""
    text, found = text_of(seen)
    tokens = len(text.split())
    is_stream = seen.raw.lstrip().startswith((b"data:", b"event:", b":"))
    if seen.status is not None and not 200 <= seen.status < 300:
        return f"error {seen.status}", 0
    if seen.is_hung:
        return HUNG, tokens
    if found["error"]:
        return (ERROR_EVENT if is_stream else ERROR_BODY), tokens
    if seen.is_cut:
        return CUT, tokens
    if found["damaged"]:
        return BROKEN, tokens
    if tokens == found["tokens"] and found["end"]:
        return ANSWER, tokens
    return PART, tokens
