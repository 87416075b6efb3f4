"""A gateway that can be killed, reloaded and started again with the same folder."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading

from harness import RECOURSE, WAIT_S, check, wait_until
from peers import CLEAN, Client

OUTCOMES = {1: "succeeded", 2: "failed", 3: "cancelled"}
CREDENTIAL = 1


def chat(model, *headers):
    body = json.dumps({"model": model, "messages": [{"role": "user", "content": "hi"}]})
    lines = ["POST /v1/chat/completions HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


class Lasting:
    """A gateway with a folder that survives the process. config: the configuration as a dict."""

    def __init__(self, config, environment=None):
        self.folder = tempfile.mkdtemp(prefix="recourse-lasting-")
        self.environment = dict(os.environ, KEY_1="key-1111", KEY_2="key-2222",
                                XDG_STATE_HOME=self.folder, **(environment or {}))
        self.talk = os.path.join(self.folder, "talk")
        self.database = os.path.join(self.folder, "audit.db")
        self.process = None
        self.port = 0
        self.said_before = 0
        self.write({"listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db",
                    **config})

    def write(self, config):
        """Writes the configuration. A rename replaces the file at once, as operators' tools do."""
        text = config if isinstance(config, str) else json.dumps(config, indent=1)
        path = os.path.join(self.folder, "recourse.yaml")
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(path + ".new", path)

    def start(self, *strace, is_plain=False, **more):
        """Starts the gateway and waits until it serves. is_plain: the log format of the configuration is used. more:
        arguments for Popen."""
        port_file = os.path.join(self.folder, "port")
        self.said_before = len(self.said()) if os.path.exists(self.talk) else 0
        if os.path.exists(port_file):
            os.unlink(port_file)
        command = [RECOURSE, "serve", "--config", "recourse.yaml", "--port-file", "port"]
        if not is_plain:
            command += ["--log", "human"]
        environment = self.environment
        if strace:
            # LeakSanitizer does not work in a traced process.
            options = environment.get("ASAN_OPTIONS", "")
            environment = dict(environment, ASAN_OPTIONS=options + ":detect_leaks=0")
            command = ["strace", "-f", "-qq", "-o", os.path.join(self.folder, "trace"), *strace,
                       "--", *command]
        with open(self.talk, "ab") as talk:
            more = {"stdin": subprocess.DEVNULL, "stdout": talk, "stderr": talk, **more}
            self.process = subprocess.Popen(command, cwd=self.folder, env=environment, **more)

        def is_there():
            check(self.process.poll() is None, "it did not start:", self.said())
            return os.path.exists(port_file) and os.path.getsize(port_file) > 0
        wait_until(is_there, "the port")
        with open(port_file, encoding="ascii") as file:
            self.port = int(file.read())
        return self

    def pid(self):
        """Returns the process id of the gateway itself, which may run under strace."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            children = file.read().split()
        return int(children[0]) if children else self.process.pid

    def signal(self, number):
        os.kill(self.pid(), number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait(WAIT_S)

    def said(self):
        """Returns the complete lines that the gateway has written. The last line may be incomplete."""
        with open(self.talk, encoding="utf-8", errors="replace") as talk:
            text = talk.read()
        return text[:text.rfind("\n") + 1]

    def logged(self, report_id):
        """Waits for the line of the JSON log with this report id and returns it."""
        found = []

        def is_there():
            found[:] = [line for line in self.said().splitlines() if f'"report_id":"{report_id}"' in line]
            return found
        wait_until(is_there, "a line of the log")
        return json.loads(found[0])

    def run(self, *command):
        """Runs another command of recourse in the folder of the gateway."""
        return subprocess.run([RECOURSE, *command], cwd=self.folder, env=self.environment, timeout=WAIT_S,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)

    def admin_port(self):
        """Returns the port of the admin interface since the latest start; waits for the log line that contains it."""
        def found():
            return re.findall(r"admin interface at \S+:(\d+)", self.said()[self.said_before:])
        wait_until(found, "the admin interface")
        return int(found()[-1])

    def page(self, path):
        """Returns a page of the admin interface."""
        with Client(self.admin_port()) as client:
            answer = client.ask(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        check(answer.status == 200, answer)
        return answer.body.decode()

    def post(self, path, body=b""):
        """Sends a POST to the admin interface. Returns the response, even if it is an error."""
        with Client(self.admin_port()) as client:
            return client.ask(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nx-recourse-admin: 1\r\n"
                              f"Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def end(self):
        """Sends SIGTERM and waits until the gateway has ended."""
        if self.process is None or self.process.poll() is not None:
            return
        self.signal(signal.SIGTERM)
        status = self.process.wait(WAIT_S)
        check(status == 0, "it ended with", status, "and said:", self.said()[-3000:])

    def stop(self):
        try:
            self.end()
        finally:
            if self.process is not None and self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            shutil.rmtree(self.folder, ignore_errors=True)

    def rows(self, question, *values):
        with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=30) as database:
            return database.execute(question, values).fetchall()

    def operations(self):
        """Returns a dict: request id -> the outcomes of the operations with this id in the audit."""
        found = {}
        for name, outcome in self.rows("SELECT id, outcome FROM operations"):
            found.setdefault("req" + name[3:], []).append(OUTCOMES.get(outcome, "open"))
        return found

    def is_sound(self):
        return self.rows("PRAGMA integrity_check") == [("ok",)]


def unwrapped(talk):
    """Returns the text of a panel in one line."""
    return " ".join(part for line in talk.decode().splitlines() for part in line.strip("│ ").split())


class Metrics:
    """The metrics of a page in Prometheus' text format."""

    def __init__(self, text):
        self.rows = []
        for name, labels, value in re.findall(r"^(\w+)(?:\{(.*)\})? (\S+)$", text, re.M):
            self.rows.append((name, dict(re.findall(r'(\w+)="([^"]*)"', labels)), float(value)))

    def sum(self, wanted, **labels):
        return sum(value for name, has, value in self.rows
                   if name == wanted and all(has.get(key) == label for key, label in labels.items()))

    def labels(self, wanted, key):
        return {has[key] for name, has, _ in self.rows if name == wanted}


class Load:
    """Clients that send requests continuously, each on its own connection. The responses are recorded."""

    def __init__(self, gateway, model, threads=8, headers=()):
        self.gateway = gateway
        self.data = chat(model, *headers)
        self.answered = []  # (request id, status)
        self.lost = []      # Incomplete responses.
        self.is_over = threading.Event()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self._run, daemon=True) for _ in range(threads)]
        for thread in self.threads:
            thread.start()

    def _ask(self, client):
        """Sends one request. Returns false if the connection cannot be used any more."""
        answer = client.ask(self.data)
        with self.lock:
            if answer.end == CLEAN and answer.head:
                self.answered.append((answer.get("x-recourse-request-id"), answer.status))
            else:
                self.lost.append(repr(answer))
        return answer.end == CLEAN and answer.get("connection") != "close"

    def _run(self):
        while not self.is_over.is_set():
            try:
                with Client(self.gateway.port) as client:
                    while not self.is_over.is_set() and self._ask(client):
                        pass
            except OSError:
                if self.is_over.wait(0.002):
                    return

    def count(self):
        with self.lock:
            return len(self.answered)

    def stop(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join(WAIT_S)
