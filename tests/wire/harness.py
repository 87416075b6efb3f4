"""The harness of the tests over sockets: a suite that runs cases and counts failures, and a gateway to send requests
to.

    suite = Suite()
    suite.case("name", function, argument...)    passes unless the function raises
    suite.run()                                  TAP on standard output

RECOURSE is the command under test. RECOURSE_WIRE=few runs fewer cases, for slow builds. No test waits for a fixed
time; WAIT_S only ends a test that hangs."""

import atexit
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

WAIT_S = 240.0
IS_FEW = os.environ.get("RECOURSE_WIRE") == "few"
RECOURSE = os.environ.get("RECOURSE", "recourse")
HERE = os.path.dirname(os.path.abspath(__file__))


def check(is_true, *what):
    """Works as assert, but the message contains the values in `what`."""
    if not is_true:
        raise AssertionError(" ".join(str(part) for part in what))


def report_of(page):
    """Returns the report in an error's body: at the top level or, in OpenAI's dialects, in the member "error"."""
    check(("recourse" in page) != ("recourse" in page["error"]), "not one report:", page)
    return page.get("recourse") or page["error"]["recourse"]


def wait_until(is_done, what):
    """Calls is_done until it returns true. what: describes the condition for the message."""
    end = time.monotonic() + WAIT_S
    while not is_done():
        check(time.monotonic() < end, "waited in vain:", what)
        time.sleep(0.005)


class Suite:
    """A suite of test cases. Several cases run at once; a case with is_alone runs without others, for tests of the
    whole process."""

    def __init__(self, threads=8):
        self.threads = threads
        self.cases = []
        self.failed = 0

    def case(self, name, function, *args, is_alone=False):
        self.cases.append((name, function, args, is_alone))

    def alone(self, name, function, *args):
        self.case(name, function, *args, is_alone=True)

    @staticmethod
    def _try(function, args):
        try:
            function(*args)
        except Exception:  # The case has failed with any exception; the other cases continue.
            return traceback.format_exc()
        return None

    def _tell(self, number, name, trouble):
        print(f"{'not ok' if trouble else 'ok'} {number} - {name}")
        if trouble:
            self.failed += 1
            print("".join(f"# {line}\n" for line in trouble.splitlines()), end="")
        sys.stdout.flush()

    def run(self):
        """Runs all cases. Returns the exit status."""
        print(f"1..{len(self.cases)}")
        with ThreadPoolExecutor(self.threads) as pool:
            waiting = []
            for number, (name, function, args, is_alone) in enumerate(self.cases, 1):
                if is_alone:
                    self._settle(waiting)
                waiting.append((number, name, pool.submit(self._try, function, args)))
                if is_alone:
                    self._settle(waiting)
            self._settle(waiting)
        return 1 if self.failed else 0

    def _settle(self, waiting):
        for number, name, future in waiting:
            self._tell(number, name, future.result())
        waiting.clear()


def _knows(extra):
    """Returns whether the command accepts these configuration keys, so that older versions can be tested, too."""
    result = subprocess.run([RECOURSE, "config", "check", "-"], input=json.dumps(extra).encode(),
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                            timeout=WAIT_S)
    return result.returncode == 0


_extras = None
_extras_lock = threading.Lock()


def _known_extras():
    global _extras
    with _extras_lock:
        if _extras is None:
            _extras = {}
            for extra in ({"admin": {"listen": "off"}}, {"threads": 1}):
                if _knows(extra):
                    _extras.update(extra)
        return _extras


_started = []


def _end_all():
    """Ends all gateways that this process started. Registered to run at the end of the process."""
    for gateway in _started:
        if gateway.process and gateway.process.poll() is None:
            gateway.process.kill()
        shutil.rmtree(gateway.folder, ignore_errors=True)


def _on_signal(number, _):
    _end_all()
    os._exit(128 + number)


atexit.register(_end_all)
for _number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(_number, _on_signal)


class Gateway:
    """A gateway in a folder of its own. config: the configuration as a dict; JSON is YAML."""

    def __init__(self, config, nofile=0):
        self.process = None
        self.folder = tempfile.mkdtemp(prefix="recourse-wire-")
        _started.append(self)
        whole = {"listen": "127.0.0.1:0", "audit": {"durability": "async"}}
        whole.update(_known_extras())
        whole.update(config)
        path = os.path.join(self.folder, "recourse.yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(whole, file, indent=1)
        self.port_file = os.path.join(self.folder, "port")
        self.talk = os.path.join(self.folder, "talk")
        environment = dict(os.environ, KEY_1="key-1111", XDG_STATE_HOME=self.folder)

        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (nofile, nofile))

        with open(self.talk, "wb") as talk:
            self.process = subprocess.Popen(
                [RECOURSE, "serve", "--config", path, "--port-file", self.port_file,
                 "--log", "human"],
                cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=talk,
                stderr=talk, preexec_fn=limit if nofile else None)
        self.pid = self.process.pid
        self.port = self._wait_for_port()

    def _wait_for_port(self):
        def is_there():
            if self.process.poll() is not None:
                with open(self.talk, encoding="utf-8", errors="replace") as talk:
                    raise AssertionError("the gateway did not start: " + talk.read())
            return os.path.exists(self.port_file) and os.path.getsize(self.port_file) > 0
        wait_until(is_there, "the port")
        with open(self.port_file, encoding="ascii") as file:
            return int(file.read())

    def rss_bytes(self):
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    def cpu_s(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def stop(self):
        """Sends SIGTERM and checks the exit status. A sanitizer reports memory leaks here."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        with open(self.talk, encoding="utf-8", errors="replace") as talk:
            said = talk.read()
        shutil.rmtree(self.folder, ignore_errors=True)
        check(status == 0, "the gateway ended with", status, "and said:", said[-4000:])


def main(suite, *ending):
    """Runs the suite. All objects in `ending` are stopped at the end, even after a failure; their stop is a case of
    its own."""
    def end():
        first = None
        for thing in ending:
            try:
                thing.stop()
            except Exception as error:  # The other objects must be stopped, too.
                first = first or error
        if first:
            raise first

    suite.alone("everything ends well when asked to", end)
    sys.exit(suite.run())
