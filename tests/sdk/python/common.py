"""The tests of one SDK: runs recourse mock and recourse serve in front of it, and reports in TAP.

    TARGET = route("openai", "503")           a new model with a new provider
    @test("name", argument...)                passes unless it raises
    def name(argument...): ...
    main()                                    starts both, runs all tests, stops both

RECOURSE is the command under test. The current folder is a temporary one."""

import atexit
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import time
import traceback
import urllib.request
from concurrent.futures import ThreadPoolExecutor

TOKEN = "token-of-the-tests"
WAIT_S = 240
AT_ONCE = 4

_routes = []
_tests = []
_running = []
_ports = {}


class Route:
    """A model for a test. name: the model to request. target: the name in reports and headers."""

    def __init__(self, kind, behaviour, policy):
        number = len(_routes) + 1
        self.kind, self.policy, self.provider = kind, policy, f"p{number}"
        self.name, self.target = f"model-{number}", f"p{number}/mock/{behaviour}"
        self.key = f"key-of-provider-{number:04}"


def route(kind, behaviour, policy="once"):
    """Adds a model whose provider has the API of `kind` and the mock's `behaviour` (docs/mock.md)."""
    _routes.append(Route(kind, behaviour, policy))
    return _routes[-1]


def base(path=""):
    return f"http://127.0.0.1:{_ports['gate']}{path}"


def test(name, *args):
    def add(function):
        _tests.append((name, function, args))
        return function
    return add


def check(is_true, *what):
    if not is_true:
        raise AssertionError(" ".join(str(part) for part in what))


def thrown(function, *args):
    """Returns the exception that the function raises; fails if it raises none."""
    try:
        result = function(*args)
    except Exception as error:  # The test checks the class of the exception.
        return error
    raise AssertionError(f"nothing was raised; the result is {result!r:.300}")


def check_class(error, expected):
    """Checks the exact class, because a program that catches this class may not catch a subclass, and the other way
    round."""
    check(type(error) is expected, f"{type(error).__module__}.{type(error).__name__} is not",
          f"{expected.__name__}: {error!s:.400}")


def check_report(report, code, target):
    check(isinstance(report, dict), "no report:", report)
    check(re.fullmatch("rep_[0-9A-Z]{26}", report["report_id"]), report)
    check(report["error_code"] == code, report["error_code"], "is not", code)
    # A report of a request for which no target was called contains no target.
    check(f"{report.get('provider')}/{report.get('model')}" == target.target or target.target in report["message"],
          report)
    check(report["message"] and report["user_action"]["kind"], report)


def _ask_mock(path, method="GET"):
    request = urllib.request.Request(f"http://127.0.0.1:{_ports['mock']}{path}", method=method)
    with urllib.request.urlopen(request, timeout=WAIT_S) as response:
        return json.load(response)


def asked(target):
    """Returns the number of calls to the provider behind a route. The mock identifies a key by its hash and its
    end."""
    digest = hashlib.sha256(target.key.encode()).hexdigest()[:8]
    rows = _ask_mock("/mock/stats")["by_key"]
    check("(others)" not in rows, "the mock has counted more keys than it has rows for")
    return rows.get(f"{digest}-{target.key[-4:]}", {}).get("requests", 0)


def _configuration():
    def address(kind):
        return f"http://127.0.0.1:{_ports['mock']}" + ("/v1" if kind == "openai" else "")
    return {
        "listen": "127.0.0.1:0", "admin": {"listen": "off"}, "audit": {"durability": "async"},
        "clients": [{"name": "tests", "token": "env:TOKEN"}],
        # A target that cools down stays unavailable for longer than a test takes.
        "cooldown_ms": 600000, "retry_budget": {"ratio": 1, "floor_per_s": 1000},
        "policies": {"once": {"max_attempts": 1},
                     "fast": {"max_attempts": 3, "backoff": "fixed", "base_ms": 5, "jitter": "none"}},
        "providers": {one.provider: {"kind": one.kind, "base_url": address(one.kind),
                                     "keys": [f"env:KEY_{one.provider}"]} for one in _routes},
        "routes": [{"model": one.name, "policy": one.policy, "chain": [{"target": one.target}],
                    "timeouts": {"connect_ms": 60000, "first_byte_ms": 60000, "idle_ms": 60000}}
                   for one in _routes],
    }


def _start(name, *arguments, **environment):
    port_file = f"{name}.port"
    with open(f"{name}.log", "wb") as log:
        process = subprocess.Popen([os.environ["RECOURSE"], *arguments, "--port-file", port_file],
                                   env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=log)
    _running.append((name, process))
    end = time.monotonic() + WAIT_S
    while not os.path.exists(port_file) or os.path.getsize(port_file) == 0:
        check(process.poll() is None and time.monotonic() < end, f"recourse {name} did not start:",
              _log(name))
        time.sleep(0.02)
    with open(port_file, encoding="ascii") as file:
        _ports[name] = int(file.read())


def _log(name):
    with open(f"{name}.log", encoding="utf-8", errors="replace") as file:
        return file.read()[-4000:]


def _stop():
    """Stops a program, which must exit with status 0; otherwise its log is shown."""
    is_well = True
    for name, process in reversed(_running):
        process.terminate()
        try:
            status = process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        if status != 0:
            is_well = False
            print("".join(f"# {line}\n" for line in [f"{name}: status {status}", *_log(name).splitlines()]))
    _running.clear()
    return is_well


def _kill():
    for _, process in _running:
        process.kill()


def _run(function, args):
    try:
        function(*args)
    except Exception:  # The test has failed with any exception; the other tests continue.
        return traceback.format_exc()
    return None


def main():
    atexit.register(_kill)
    prefix = os.path.basename(sys.argv[0]).removeprefix("test_").removesuffix(".py")
    _start("mock", "mock", "--listen", "127.0.0.1:0", "--quiet")
    with open("recourse.yaml", "w", encoding="utf-8") as file:
        json.dump(_configuration(), file)  # JSON is valid YAML.
    _start("gate", "serve", "--config", "recourse.yaml", TOKEN=TOKEN,
           **{f"KEY_{one.provider}": one.key for one in _routes})
    print(f"1..{len(_tests)}")
    failed = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = [pool.submit(_run, function, args) for _, function, args in _tests]
        for number, (name, _, args), result in zip(itertools.count(1), _tests, results):
            trouble = result.result()
            failed += trouble is not None
            print(f"{'not ok' if trouble else 'ok'} {number} - python {prefix}: {name}")
            print("".join(f"# {line}\n" for line in (trouble or "").splitlines()), end="", flush=True)
    is_well = _stop()
    sys.stdout.flush()
    os._exit(1 if failed or not is_well else 0)  # Exits without waiting for threads of an SDK.
