"""State that must outlast a process or a configuration: records of completed requests, exhausted keys, and requests in
flight during a reload or shutdown."""

import json
import os
import signal
import socket
import subprocess
import time

from gateways import CREDENTIAL, Lasting, Load, Metrics, chat
from harness import IS_FEW, RECOURSE, WAIT_S, Suite, check, main, wait_until
from peers import CLEAN, OK_CHAT, Client, Upstream, http, say

DEMO = {"demo": {"kind": "demo"}}
FAST = {"fast": {"max_attempts": 3, "backoff": "fixed", "base_ms": 5, "jitter": "none"}}
OPEN = {"providers": DEMO, "policies": FAST,
        "routes": [{"model": "*", "policy": "fast", "chain": [{"target": "demo/*"}]}]}


def ask(gateway, model, *headers):
    with Client(gateway.port) as client:
        return client.ask(chat(model, *headers))


# ---- the record ----


def both_tries_are_on_record():
    gateway = Lasting(OPEN).start()
    try:
        for model, code in (("503@1", 202), ("529@1", 202), ("429-ms-300@1", 201)):
            before = time.monotonic()
            answer = ask(gateway, model)
            took_ms = (time.monotonic() - before) * 1000
            check(answer.status == 200 and answer.get("x-recourse-attempts") == "2", answer)
            name = "rep" + answer.get("x-recourse-request-id")[3:]
            op, outcome = gateway.rows("SELECT op, outcome FROM operations WHERE id = ?", name)[0]
            tries = gateway.rows("SELECT code, status, at_ms, wait_ms FROM records "
                                 "WHERE op = ? AND kind = 2 ORDER BY seq", op)
            check(outcome == 1 and len(tries) == 2, outcome, tries)
            check(tries[0][0] == code and tries[1][:2] == (0, 200), tries)
            if model.startswith("429"):  # The retry is never earlier than the provider stated.
                check(tries[1][2] - tries[0][2] >= 300 and took_ms >= 300, tries, took_ms)
    finally:
        gateway.stop()


def record_comes_first():
    """In the order of the system calls, the record is flushed before the response is sent."""
    gateway = Lasting({**OPEN, "threads": 1})
    gateway.start("-e", "trace=fdatasync,fsync,write,writev,sendto,sendmsg", "-s", "64")
    try:
        answer = ask(gateway, "ok")
        check(answer.status == 200, answer)
        gateway.end()
        with open(os.path.join(gateway.folder, "trace"), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        sent = [at for at, line in enumerate(lines) if "HTTP/1.1 200" in line]
        flushed = [at for at, line in enumerate(lines) if "fdatasync(" in line or "fsync(" in line]
        check(sent and flushed and any(at < sent[0] for at in flushed[-4:]), lines[-40:])
        opened = [at for at, line in enumerate(lines) if "listening at" in line]
        check(any(opened[0] < at < sent[0] for at in flushed), "nothing was flushed for the answer")
    finally:
        gateway.stop()


def killed_under_load():
    """Each request with a response has exactly one record, whenever the process is killed."""
    gateway = Lasting(OPEN)
    cycles = 5 if IS_FEW else 50
    answered = {}
    try:
        for cycle in range(cycles):
            gateway.start()
            load = Load(gateway, "ok", threads=4)
            wanted = 5 + cycle % 7 * 5
            wait_until(lambda: load.count() >= wanted, "answers")
            gateway.kill()
            load.stop()
            for name, status in load.answered:
                check(name not in answered, "an id twice", name)
                answered[name] = status
        recorded = gateway.operations()
        missing = [name for name in answered if name not in recorded]
        check(not missing, len(missing), "of", len(answered), "answers have no record")
        twice = [name for name, ends in recorded.items() if len(ends) != 1]
        check(not twice, "recorded more than once:", twice[:3])
        check(all(recorded[name] == ["succeeded"] for name in answered), "a wrong outcome")
        check(gateway.is_sound(), "the file is damaged")
    finally:
        gateway.stop()


def refused_and_killed():
    """A refusal with a recorded reason is also sent only after its record was flushed to a slow disk."""
    gateway = Lasting({**OPEN, "threads": 1, "routes": [{"model": "quota", "chain": [{"target": "demo/quota"}]}]})
    gateway.start("-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:delay_enter=100000")
    try:
        check(ask(gateway, "quota").status == 429)
        loads = [Load(gateway, "quota", threads=2), Load(gateway, "nowhere", threads=2),
                 Load(gateway, "quota", threads=2, headers=("x-recourse-policy: nowhere",))]
        wait_until(lambda: all(load.count() >= 6 for load in loads), "refusals")
        gateway.kill()
        statuses = []
        for load in loads:
            load.stop()
            statuses.append({status for _, status in load.answered})
        check(statuses == [{429}, {404}, {400}], statuses)
        recorded = gateway.operations()
        answered = [name for load in loads for name, _ in load.answered]
        missing = [name for name in answered if name not in recorded]
        check(not missing, len(missing), "of", len(answered), "refusals have no record")
        check(all(recorded[name] == ["failed"] for name in answered), "a wrong outcome")
        check(gateway.is_sound(), "the file is damaged")
    finally:
        gateway.stop()


def client_that_leaves_is_on_record():
    gateway = Lasting(OPEN).start()
    try:
        with Client(gateway.port) as client:
            client.send(chat("hang"))
            time.sleep(0.2)
        wait_until(lambda: "cancelled" in sum(gateway.operations().values(), []), "the record")
        kinds = [kind for kind, in gateway.rows("SELECT kind FROM records ORDER BY seq")]
        check(8 in kinds and 2 in kinds, kinds)
    finally:
        gateway.stop()


# ---- keys ----


def leaves_while_it_is_kept():
    """The client disconnects while the record is being written: the freed request is not accessed afterwards."""
    gateway = Lasting({**OPEN, "threads": 1})
    gateway.start("-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:delay_enter=300000")
    try:
        for _ in range(3):
            before = len(gateway.operations())
            with Client(gateway.port) as client:
                client.send(chat("ok"))
                time.sleep(0.1)
            wait_until(lambda: len(gateway.operations()) > before, "the record")
        check(ask(gateway, "ok").status == 200)
        gateway.end()
        check(set(map(str, gateway.operations().values())) <= {"['succeeded']", "['cancelled']"},
              gateway.operations())
        check("failed" not in gateway.said(), gateway.said())
    finally:
        gateway.stop()


def dead_key_stays_dead(suite_mock):
    """Of two keys, the first has no credit. After one call has shown this, no further call uses this key, also after a
    restart."""
    gateway = Lasting({
        "providers": {"up": {"kind": "openai", "base_url": suite_mock.url, "keys": ["env:KEY_1",
                                                                                 "env:KEY_2"]}},
        "policies": FAST, "routes": [{"model": "*", "policy": "fast", "chain": [{"target": "up/*"}]}]})
    try:
        for _ in range(2):
            gateway.start()
            for _ in range(6):
                answer = ask(gateway, "ok")
                check(answer.status == 200, answer)
            gateway.end()
        counts = suite_mock.by_key()
        check(counts.get("1") == 1, "the used-up key was asked", counts)
        check(counts.get("2") == 12, counts)
        marks = gateway.rows("SELECT kind, name, state, until_unix_ms FROM marks")
        check(len(marks) == 1 and marks[0][0] == CREDENTIAL and marks[0][2] == 2, marks)
        check("key-1111" not in repr(marks), marks)
    finally:
        gateway.stop()


def a_refusal_by_mistake_is_forgotten():
    """A key that a provider rejected once and accepts again: after the next restart nothing is saved about it, and no
    request is refused while the first one tries the key."""
    upstream = Upstream()
    refusal = http(b'{"error":{"message":"Incorrect API key provided.","code":"invalid_api_key"}}',
                   status="401 Unauthorized")
    is_bad = [True]
    upstream.on_stray = lambda conn, request: say(conn, refusal if is_bad[0] else OK_CHAT)
    gateway = Lasting({
        "providers": {"up": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": ["env:KEY_1"]}},
        "routes": [{"model": "*", "chain": [{"target": "up/*"}]}]})
    try:
        gateway.start()
        check(ask(gateway, "m").status == 401)
        check(len(gateway.rows("SELECT * FROM marks")) == 1)
        check(ask(gateway, "m").status == 401 and len(upstream.strays) == 1, "a dead key was asked")
        # A passthrough path does not change the state of a key; the gateway tries the key again after a restart.
        gateway.end()
        is_bad[0] = False
        gateway.start()
        with Client(gateway.port) as first, Client(gateway.port) as second:
            first.send(chat("m"))
            second.send(chat("m"))
            check(first.read().status == 200 and second.read().status == 200, "a good key was not asked")
        wait_until(lambda: not gateway.rows("SELECT * FROM marks"), "the mark's end")
        is_bad[0] = True
        with Client(gateway.port) as client:
            answer = client.ask(b"GET /p/up/files HTTP/1.1\r\nHost: x\r\n\r\n")
        check(answer.status == 401, answer)
        is_bad[0] = False
        check(ask(gateway, "m").status == 200, "a key was lost by a path that we know nothing of")
    finally:
        gateway.stop()
        upstream.stop()


def a_target_without_a_good_key_is_not_up():
    """A target without a usable key is not up, also after a restart, when the rejected keys were not tried yet. One
    usable key is enough."""
    upstream = Upstream()
    refusal = http(b'{"error":{"message":"Incorrect API key provided.","code":"invalid_api_key"}}',
                   status="401 Unauthorized")
    good = []
    upstream.on_stray = lambda conn, request: say(
        conn, OK_CHAT if request.get("authorization") in good else refusal)
    gateway = Lasting({
        "admin": {"listen": "127.0.0.1:0"},
        "providers": {"up": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": ["env:KEY_1", "env:KEY_2"]}},
        "routes": [{"model": "*", "chain": [{"target": "up/m"}]}]})

    def seen():
        state = json.loads(gateway.page("/admin/v1/state"))
        target = next(one for one in state["targets"] if one["target"] == "up/m")
        up = Metrics(gateway.page("/metrics")).sum("recourse_target_up", target="up/m")
        return target["state"], target["usable_keys"], up, [one["state"] for one in state["keys"]]

    try:
        gateway.start()
        check(seen() == ("up", 2, 1, ["healthy", "healthy"]), seen())
        check(ask(gateway, "m").status == 401 and ask(gateway, "m").status == 401)
        check(seen() == ("no_key", 0, 0, ["dead", "dead"]), seen())
        gateway.end()
        gateway.start()
        check(seen() == ("no_key", 0, 0, ["dead", "dead"]), seen())
        gateway.signal(signal.SIGUSR1)
        wait_until(lambda: "target up/m: no_key; breaker closed; 0 in flight; 0 of 2 keys usable" in gateway.said(),
                   "the state in the log")
        good.append("Bearer key-2222")
        check(ask(gateway, "m").status == 200)
        check(seen() == ("up", 1, 1, ["dead", "healthy"]), seen())
    finally:
        gateway.stop()
        upstream.stop()


def limits_are_the_models():
    """A rate limit of one model leaves the other model of the same key usable, and a daily quota survives a
    restart."""
    upstream = Upstream()
    rate = http(b'{"error":{"message":"Rate limit reached for model fast on requests per min (RPM): '
                b'Limit 3, Used 3.","type":"requests","code":"rate_limit_exceeded"}}',
                status="429 Too Many", extra=b"Retry-After: 40\r\n")
    day = http(b'{"error":{"message":"Rate limit reached for model daily on tokens per day (TPD): Limit '
               b'100000, Used 99990. Please try again in 9m38s.","code":"rate_limit_exceeded"}}',
               status="429 Too Many")
    said = {"fast": rate, "daily": day}

    def model_of(request):
        return json.loads(request.body)["model"]

    upstream.on_stray = lambda conn, request: say(conn, said.get(model_of(request), OK_CHAT))
    gateway = Lasting({
        "providers": {"up": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": ["env:KEY_1"]}},
        "routes": [{"model": name, "chain": [{"target": f"up/{name}"}, {"target": "up/spare"}]}
                   for name in said] + [{"model": "*", "chain": [{"target": "up/*"}]}]})
    try:
        for turn in range(2):
            gateway.start()
            for name in said:
                for _ in range(2):
                    answer = ask(gateway, name)
                    check(answer.status == 200 and answer.get("x-recourse-target") == "up/spare", answer)
            check(ask(gateway, "another").status == 200, "the key is closed for a model of its own")
            refused = ask(gateway, "up/daily")
            check(refused.status == 429 and int(refused.get("retry-after")) > 60, refused)
            gateway.end()
            asked = [model_of(request) for request in upstream.strays]
            check(asked.count("daily") == 1, "the used-up model was asked again", asked)
            check(asked.count("fast") == turn + 1, asked)
    finally:
        gateway.stop()
        upstream.stop()


# ---- the configuration ----


def reloaded_under_load():
    """Thousands of requests during twenty reloads and one shutdown: none is lost. The target fails every fifth
    request, so that all attempts of a client may fail; the last target of the chain then responds."""
    calm = {"breaker": {"min_calls": 0}, "retry_budget": {"burst": 0}, "cooldown_ms": 0}
    all_models = {"model": "*", "policy": "fast", "chain": [{"target": "demo/*"}, {"target": "demo/ok"}]}
    gateway = Lasting({**OPEN, **calm, "routes": [all_models]}).start()
    wanted = 600 if IS_FEW else 10000
    try:
        load = Load(gateway, "503@1/5")
        for turn in range(20):
            wait_until(lambda: load.count() >= wanted * (turn + 1) // 21, "answers")
            # Another provider, route and policy each time; the target of the requests stays the same.
            gateway.write({"listen": "127.0.0.1:0", "admin": {"listen": "off"},
                           "store": "sqlite:audit.db",
                           "providers": {**DEMO, f"other{turn}": {"kind": "demo"}},
                           "policies": {"fast": {**FAST["fast"], "max_attempts": 3 + turn % 2}}, **calm,
                           "routes": [{"model": f"other-{turn}", "chain": [{"target": f"other{turn}/ok"}]},
                                      all_models]})
            gateway.signal(signal.SIGHUP)
            wait_until(lambda: gateway.said().count("was reloaded") == turn + 1, "the reload")
            answer = ask(gateway, f"other-{turn}")
            check(answer.status == 200 and answer.get("x-recourse-target") == f"other{turn}/ok", answer)
        wait_until(lambda: load.count() >= wanted, "answers")
        gateway.signal(signal.SIGTERM)
        check(gateway.process.wait(WAIT_S) == 0, gateway.said()[-3000:])
        load.stop()
        wrong = [status for _, status in load.answered if status != 200]
        check(not wrong, len(wrong), "of", load.count(), "failed:", wrong[:5], gateway.said()[-500:])
        torn = [lost for lost in load.lost if not lost.startswith("<nothing")]
        check(not torn, torn[:3])
        recorded = gateway.operations()
        missing = [name for name, _ in load.answered if name not in recorded]
        check(not missing, len(missing), "have no record")
    finally:
        gateway.stop()


def bad_configuration_is_refused():
    gateway = Lasting(OPEN).start()
    try:
        gateway.write("listen: 127.0.0.1:0\nproviders: {demo: {kind: demo}}\nruotes: []\n")
        gateway.signal(signal.SIGHUP)
        wait_until(lambda: "the previous one stays in use" in gateway.said(), "the refusal")
        said = gateway.said()
        check("recourse.yaml:3:1" in said and "did you mean routes?" in said, said)
        check(ask(gateway, "ok").status == 200, "the old configuration is gone")
        gateway.write({**OPEN, "providers": {"up": {"kind": "openai", "keys": ["env:NOT_SET_ANYWHERE"]}},
                       "routes": [{"model": "*", "chain": [{"target": "up/*"}]}]})
        gateway.signal(signal.SIGHUP)
        wait_until(lambda: gateway.said().count("the previous one stays in use") == 2, "the refusal")
        check("NOT_SET_ANYWHERE is not set" in gateway.said(), gateway.said())
        check(ask(gateway, "ok").status == 200, "the old configuration is gone")
    finally:
        gateway.stop()


def a_pipe_is_not_waited_for():
    """A pipe, folder or device in place of a key file or of the configuration: the reload is refused at once, and
    requests, the admin interface and the shutdown work."""
    gateway = Lasting({**OPEN, "admin": {"listen": "127.0.0.1:0"},
                       "clients": [{"name": "app", "token": "file:key"}]})
    key = os.path.join(gateway.folder, "key")
    token = "Authorization: Bearer tok-12345678"

    def put_token():
        with open(os.open(key + ".new", os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write("tok-12345678\n")
        os.rename(key + ".new", key)

    def is_refused(times):
        gateway.signal(signal.SIGHUP)
        wait_until(lambda: gateway.said().count("the previous one stays in use") == times, "the refusal")
        check(ask(gateway, "ok", token).status == 200, "the old configuration is gone")
        check("recourse_build_info" in gateway.page("/metrics"), "the admin interface is gone")

    put_token()
    gateway.start()
    try:
        os.unlink(key)
        os.mkfifo(key)
        is_refused(1)
        os.unlink(key)
        os.symlink("/dev/zero", key)
        is_refused(2)
        os.unlink(key)
        os.mkdir(key)
        is_refused(3)
        os.rmdir(key)
        put_token()
        gateway.signal(signal.SIGHUP)
        wait_until(lambda: "was reloaded" in gateway.said(), "the reload")
        path = os.path.join(gateway.folder, "recourse.yaml")
        os.unlink(path)
        os.mkfifo(path)
        is_refused(4)
        check("it is a pipe" in gateway.said(), gateway.said())
        gateway.signal(signal.SIGTERM)
        check(gateway.process.wait(WAIT_S) == 0, gateway.said()[-3000:])
    finally:
        gateway.stop()


def what_is_known_survives_a_reload():
    """A target whose provider stated a retry time is not called earlier, also after a reload."""
    gateway = Lasting(OPEN).start()
    try:
        first = ask(gateway, "quota")
        check(first.status == 429, first)
        gateway.signal(signal.SIGHUP)
        wait_until(lambda: "was reloaded" in gateway.said(), "the reload")
        second = ask(gateway, "quota")
        check(second.status == 429 and second.get("x-recourse-error-code") == "QuotaExhausted", second)
        check(ask(gateway, "ok").status == 200, "another model is closed too")
    finally:
        gateway.stop()


def fresh_key_is_taken(suite_mock):
    """After a key in a file was rejected, the file is read again, once."""
    gateway = Lasting({"providers": {}})
    path = os.path.join(gateway.folder, "key")
    gateway.write({"listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db",
                   "providers": {"up": {"kind": "openai", "base_url": suite_mock.url,
                                        "keys": [f"file:{path}"]}},
                   "policies": FAST, "routes": [{"model": "*", "policy": "fast",
                                                 "chain": [{"target": "up/*"}]}]})
    with open(path, "w", encoding="ascii") as file:
        file.write("no-such-key\n")
    os.chmod(path, 0o600)
    try:
        gateway.start()
        answer = ask(gateway, "ok")
        check(answer.status == 401, answer)
        gateway.end()
        os.unlink(gateway.database)
        with open(path, "w", encoding="ascii") as file:
            file.write("also-no-key\n")
        gateway.start()
        with open(path, "w", encoding="ascii") as file:
            file.write("key-2222\n")
        answer = ask(gateway, "ok")
        check(answer.status == 200 and answer.get("x-recourse-attempts") == "2", answer)
    finally:
        gateway.stop()


# ---- the end ----


def keys_and_places_change():
    """A key is sent only to the address that it was configured for. A model that was first named by a request of the
    old configuration is served by the new one."""
    old, other = Upstream(), Upstream()
    busy = http(b'{"error":{"message":"busy"}}', status="503 Busy")
    old.on_stray = lambda conn, request: say(conn, busy if b"busy" in request.body else OK_CHAT)

    def config(upstream, key):
        return {"listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db",
                "threads": 1, "cooldown_ms": 0, "policies": {"slow": {**FAST["fast"], "base_ms": 300}},
                "providers": {"a": {"kind": "openai", "base_url": upstream.url("/v1"),
                                    "keys": ["env:" + key]}},
                "routes": [{"model": "*", "policy": "slow", "chain": [{"target": "a/*"}]}]}
    gateway = Lasting(config(old, "KEY_1")).start()
    data = chat("fresh")
    try:
        with Client(gateway.port) as busy_one, Client(gateway.port) as slow_one:
            slow_one.send(data[:-5])
            busy_one.send(chat("busy"))
            wait_until(lambda: old.strays, "the first try")
            gateway.write(config(other, "KEY_2"))
            gateway.signal(signal.SIGHUP)
            wait_until(lambda: "was reloaded" in gateway.said(), "the reload")
            slow_one.send(data[-5:])
            check(slow_one.read().status == 200)
            check(busy_one.read().status == 503)
        check(ask(gateway, "fresh").status == 200)
        said = {request.get("authorization") for request in old.strays}
        check(said == {"Bearer key-1111"}, said)
        check(other.strays[0].get("authorization") == "Bearer key-2222", other.strays[0].raw)
    finally:
        gateway.stop()
        old.stop()
        other.stop()


def drained_with_a_word():
    """At shutdown, requests that cannot finish in time get an error in their dialect and are recorded."""
    gateway = Lasting({**OPEN, "limits": {"drain_ms": 2000}}).start()
    try:
        stream = chat("trickle-50+tokens-2000").replace(b'{"model"', b'{"stream": true, "model"')
        length = len(stream.split(b"\r\n\r\n", 1)[1])
        stream = stream.replace(b"Content-Length: ", b"Content-Length: %d\r\nx-was: " % length)
        with Client(gateway.port) as streaming, Client(gateway.port) as waiting, Client(gateway.port) as limited:
            streaming.send(stream)
            waiting.send(chat("hang"))
            limited.send(chat("429-retry-after-50"))
            streaming.source.more()
            gateway.signal(signal.SIGTERM)
            first, second, third = streaming.read(), waiting.read(), limited.read()
        check(third.status == 503 and int(third.get("retry-after")) > 30, "not before the provider says:", third)
        check(first.status == 200 and first.end == CLEAN, first)
        check(b"StreamInterrupted" in first.body and b"[DONE]" not in first.body, first)
        check(second.status == 503 and b"shutting down" in second.body, second)
        check(gateway.process.wait(WAIT_S) == 0, gateway.said()[-2000:])
        check(sorted(sum(gateway.operations().values(), [])) == ["failed"] * 3, gateway.operations())
    finally:
        gateway.stop()


# ---- sockets that were passed ----


def passed_socket():
    """The gateway accepts a listening socket as systemd passes it; the socket is open before and after the process."""
    gateway = Lasting(OPEN)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    port = listener.getsockname()[1]
    try:
        for _ in range(2):
            # The descriptor 3 may be in use in this process; the child moves the socket there.
            script = 'exec 3<&"$1"; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$0" serve --config recourse.yaml'
            with open(gateway.talk, "ab") as talk:
                gateway.process = subprocess.Popen(
                    ["bash", "-c", script, RECOURSE, str(listener.fileno())], cwd=gateway.folder,
                    env=gateway.environment, stdin=subprocess.DEVNULL, stdout=talk, stderr=talk,
                    pass_fds=(listener.fileno(),))
            gateway.port = port
            answer = ask(gateway, "ok")  # The request waits in the socket's queue until a process accepts it.
            check(answer.status == 200 and answer.end == CLEAN, answer)
            gateway.end()
    finally:
        listener.close()
        gateway.stop()


class Mock:
    """recourse mock with two keys, of which the first has no credit."""

    def __init__(self):
        self.home = Lasting(OPEN)
        with open(os.path.join(self.home.folder, "scenario.yaml"), "w", encoding="utf-8") as file:
            file.write('keys:\n  - {name: "1", ends: "1111", do: quota}\n'
                       '  - {name: "2", ends: "2222"}\nunknown_keys: refuse\n')
        self.process = subprocess.Popen(
            [RECOURSE, "mock", "--listen", "127.0.0.1:0", "--quiet", "--port-file", "port",
             "--scenario", "scenario.yaml"], cwd=self.home.folder, stderr=subprocess.DEVNULL)
        path = os.path.join(self.home.folder, "port")
        wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, "the mock's port")
        with open(path, encoding="ascii") as file:
            self.port = int(file.read())
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def by_key(self):
        """Returns the number of requests for each key."""
        with Client(self.port) as client:
            stats = json.loads(client.ask(b"GET /mock/stats HTTP/1.1\r\nHost: x\r\n\r\n").body)
        return {key: row["requests"] for key, row in stats["by_key"].items()}

    def stop(self):
        self.process.terminate()
        self.process.wait(WAIT_S)
        self.home.stop()


suite = Suite(threads=2)
mock = Mock()
second = Mock()
suite.case("a failure that passed: both tries are on record, the wait is not shorter than the hint",
           both_tries_are_on_record)
suite.case("the record is flushed before the answer leaves", record_comes_first)
suite.case("a client that leaves is on record", client_that_leaves_is_on_record)
suite.case("a client that leaves while its answer is kept", leaves_while_it_is_kept)
suite.case("keys and places change while requests run", keys_and_places_change)
suite.case("a key without credit is left alone, also after a restart", dead_key_stays_dead, mock)
suite.case("a refusal by mistake is forgotten", a_refusal_by_mistake_is_forgotten)
suite.case("a target without a good key is not up", a_target_without_a_good_key_is_not_up)
suite.case("a limit of one model leaves the key open for another", limits_are_the_models)
suite.case("a refused key in a file is read again", fresh_key_is_taken, second)
suite.case("a bad configuration is refused, and says where it is wrong", bad_configuration_is_refused)
suite.case("a pipe in the place of a file is not waited for", a_pipe_is_not_waited_for)
suite.case("what is known of a target survives a reload", what_is_known_survives_a_reload)
suite.case("a drain that takes too long ends with a word", drained_with_a_word)
suite.case("a socket that was passed outlives the process", passed_socket)
suite.case("killed under load: what was answered is on record, once", killed_under_load)
suite.case("killed under load: what was refused is on record too", refused_and_killed)
suite.case("reloaded under load, then ended: nothing is lost", reloaded_under_load)
main(suite, mock, second)
