"""The requests of the benchmark as bytes: head and body."""
import json

KEY = "sk-bench-0123456789abcdef0123456789"
SENTENCE = "The quick brown fox \u201cjumps\u201d over the lazy dog;\nit says \"so\" at 100 %. "


def body(model, about, stream=False):
    """A chat of several turns with about that many bytes, as a client library writes it."""
    chat = {"model": model, "stream": stream, "temperature": 0.7,
            "messages": [{"role": "system", "content": "You answer briefly."}]}

    def text():
        return json.dumps(chat, ensure_ascii=False, separators=(",", ":")).encode()

    while len(text()) < about:
        left = about - len(text()) - 40
        turn = ("user", "assistant")[(len(chat["messages"]) + 1) % 2]
        content = SENTENCE * max(1, min(20, left // 85))
        chat["messages"].append({"role": turn, "content": content})
    return text()


def request(path, port, content, headers=()):
    lines = [f"POST {path} HTTP/1.1", f"host: 127.0.0.1:{port}", f"authorization: Bearer {KEY}",
             "content-type: application/json", "accept: application/json",
             "user-agent: bench/1.0", f"content-length: {len(content)}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + content
