"""Claude Code with a provider that has only OpenAI's Chat Completions API: a tool runs, and its result arrives. Skipped
if there is no command `claude` (npm install @anthropic-ai/claude-code) in PATH or in RECOURSE_CLAUDE."""

import json
import os
import shutil
import subprocess
import tempfile
import threading

from harness import Gateway, Suite, check, main
from peers import Upstream, chunks, http

CLAUDE = os.environ.get("RECOURSE_CLAUDE") or shutil.which("claude")
WORD = "heliotrope"
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
RUN_S = 120

folder = tempfile.mkdtemp(prefix="recourse-claude-")
upstream = Upstream()
lock = threading.Lock()
seen = []


def event(delta, finish=None):
    return b"data: " + json.dumps({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5", "choices": [
        {"index": 0, "delta": delta, "finish_reason": finish}]}).encode() + b"\n\n"


END = [b"data: " + json.dumps({"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 9,
                                                         "total_tokens": 909}}).encode() + b"\n\n", b"data: [DONE]\n\n"]


def call(name, arguments):
    text = json.dumps(arguments)
    first = {"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": ""}}
    pieces = [{"index": 0, "function": {"arguments": part}} for part in (text[:5], text[5:])]
    return [event({"role": "assistant", "content": None, "tool_calls": [first]}),
            *[event({"tool_calls": [piece]}) for piece in pieces], event({}, "tool_calls"), *END]


def words(text):
    return [event({"role": "assistant", "content": ""}), event({"content": text}), event({}, "stop"), *END]


def respond(conn, request):
    """Calls the tool Read once; then repeats what the tool returned."""
    body = json.loads(request.body)
    with lock:
        seen.append(body)
    result = next((m for m in reversed(body["messages"]) if m["role"] == "tool"), None)
    has_read = any(tool["function"]["name"] == "Read" for tool in body.get("tools", []))
    if result:
        found = WORD if WORD in json.dumps(result) else "nothing"
        events = words(f"The file says {found}.")
    elif has_read:
        events = call("Read", {"file_path": os.path.join(folder, "note.txt")})
    else:
        events = words("A title")
    if body.get("stream"):
        conn.sendall(SSE + chunks(events))
    else:
        conn.sendall(http(json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "A title"}, "finish_reason": "stop"}]}).encode()))
    return True


upstream.on_stray = respond
gateway = Gateway({
    "providers": {"gpt": {"kind": "openai_compatible", "base_url": upstream.url("/v1"), "keys": ["env:KEY_1"]}},
    "routes": [{"model": "*", "chain": ["gpt/gpt-5"]}]})


def runs_a_tool():
    with open(os.path.join(folder, "note.txt"), "w", encoding="ascii") as file:
        file.write(f"The word is {WORD}.\n")
    home = os.path.join(folder, "home")
    os.mkdir(home)
    environment = {"PATH": os.environ["PATH"], "HOME": home, "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{gateway.port}",
                   "ANTHROPIC_AUTH_TOKEN": "any", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1",
                   "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1"}
    done = subprocess.run([CLAUDE, "-p", "--model", "claude-opus-4-8", "--allowedTools", "Read", "--output-format", "json",
                           f"Which word is in {folder}/note.txt?"],
                          cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=RUN_S, check=False)
    check(done.returncode == 0, done.stdout[-2000:], done.stderr[-2000:], [list(body) for body in seen])
    result = json.loads(done.stdout)
    check(WORD in result["result"] and not result["is_error"], result)
    with_tools = [body for body in seen if any(t["function"]["name"] == "Read" for t in body.get("tools", []))]
    check(len(with_tools) == 2, len(with_tools))
    check(any(m["role"] == "tool" and WORD in json.dumps(m) for m in with_tools[1]["messages"]), with_tools[1])
    check(result["usage"]["output_tokens"] > 0, result)


suite = Suite(threads=1)
if CLAUDE:
    suite.case("Claude Code runs a tool through an OpenAI-shaped provider", runs_a_tool)
else:
    suite.case("Claude Code runs a tool through an OpenAI-shaped provider # SKIP no command claude", lambda: None)


class Folder:
    @staticmethod
    def stop():
        shutil.rmtree(folder, ignore_errors=True)


main(suite, gateway, upstream, Folder)
