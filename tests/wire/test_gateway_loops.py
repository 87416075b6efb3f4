"""A gateway whose provider is itself: a base URL with its own address is refused at the start and at a reload, and a
request loop through several gateways ends at the first gateway that finds its own name in Via."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile

from gateways import Lasting, chat
from harness import RECOURSE, WAIT_S, Suite, check, main, report_of, wait_until
from peers import Client

CONFIG = 78


def held_port(is_listening=False):
    """Binds a port so that no other process gets it. A gateway can bind it, too, as long as nobody listens."""
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    if is_listening:
        held.listen(16)
    return held, held.getsockname()[1]


def refused(config, *options, environment=None, passed=None):
    """Runs a gateway that must refuse to start and returns its message. A gateway that starts fails the test by the
    time limit."""
    folder = tempfile.mkdtemp(prefix="recourse-loops-")
    command = [RECOURSE, "serve", *options]
    variables = {"PATH": os.environ["PATH"], "HOME": folder, "KEY_1": "key-1111", **(environment or {})}
    more = {}
    if passed is not None:
        command = ["sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', "sh", *command]
        more = {"pass_fds": (3,), "preexec_fn": lambda: os.dup2(passed.fileno(), 3)}
    if config is not None:
        with open(os.path.join(folder, "recourse.yaml"), "w", encoding="utf-8") as file:
            json.dump({"admin": {"listen": "off"}, "store": "sqlite:audit.db", **config}, file)
    try:
        done = subprocess.run(command, cwd=folder, env=variables, timeout=WAIT_S, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **more)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    check(done.returncode == CONFIG, done)
    return done.stderr.decode()


def provider(url, **more):
    return {"kind": "openai", "base_url": url, "keys": ["env:KEY_1"], **more}


def to(url):
    return {"providers": {"me": provider(url)}, "routes": [{"model": "*", "deadline_ms": 20000, "chain": [{"target": "me/*"}]}]}


def listen_of_the_file(host):
    held, port = held_port()
    with held:
        said = refused({**to(f"http://{host}:{port}/v1"), "listen": f"127.0.0.1:{port}"})
    check("providers.me.base_url is the address of this gateway" in said, said)


def listen_of_the_command():
    held, port = held_port()
    with held:
        said = refused(to(f"http://127.0.0.1:{port}/v1"), "--listen", f"127.0.0.1:{port}")
    check("providers.me.base_url is the address of this gateway" in said, said)


def listen_of_a_passed_socket():
    held, port = held_port(is_listening=True)
    with held:
        said = refused(to(f"http://localhost:{port}/v1"), passed=held)
    check("providers.me.base_url is the address of this gateway" in said, said)


def variable():
    held, port = held_port()
    with held:
        said = refused(None, "--admin", "off", "--listen", f"127.0.0.1:{port}", environment={
            "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1"})
    check("OPENAI_BASE_URL is the address of this gateway" in said, said)
    check("env -u OPENAI_BASE_URL" in said, said)


def reload():
    gateway = Lasting({"providers": {"d": {"kind": "demo"}},
                       "routes": [{"model": "*", "chain": [{"target": "d/ok"}]}]}).start()
    try:
        gateway.write({"listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db",
                       **to(f"http://127.0.0.1:{gateway.port}/v1")})
        gateway.signal(signal.SIGHUP)
        wait_until(lambda: "the previous one stays in use" in gateway.said(), "a refusal")
        check("providers.me.base_url is the address of this gateway" in gateway.said(), gateway.said())
        with Client(gateway.port) as client:
            check(client.ask(chat("m")).status == 200, "the old configuration goes on")
    finally:
        gateway.stop()


def circle(size, clients):
    """A ring of gateways, each of which is the provider of the next one."""
    ours = {"threads": 1, **clients}
    ring = [Lasting({**to("http://127.0.0.1:9/v1"), **ours}) for _ in range(size)]
    try:
        ring[0].start()
        for before, gateway in zip(ring, ring[1:]):
            gateway.write({"listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db",
                           **to(f"http://127.0.0.1:{before.port}/v1"), **ours})
            gateway.start()
        ring[0].write({"listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db",
                       **to(f"http://localhost:{ring[-1].port}/v1"), **ours})
        ring[0].signal(signal.SIGHUP)
        wait_until(lambda: "was reloaded" in ring[0].said(), "the reload")
        with Client(ring[0].port) as client:
            answer = client.ask(chat("m", "Authorization: Bearer key-2222"))
        page = json.loads(answer.body)
        check(answer.status == 508 and report_of(page)["error_code"] == "EndpointNotFound", page)
        check("providers.me.base_url" in page["error"]["message"], page)
        check(answer.get("x-should-retry") == "false", answer)
        counts = [gateway.rows("select count(*) from operations")[0][0] for gateway in ring]
        # The first gateway has records of the client's request, the reload and the request that came back.
        check(counts == [3] + [1] * (size - 1), counts)
    finally:
        for gateway in ring:
            gateway.stop()


suite = Suite(threads=4)
for by in ("127.0.0.1", "localhost"):
    suite.case(f"`listen` by {by}", listen_of_the_file, by)
suite.case("--listen", listen_of_the_command)
suite.case("a socket that was passed", listen_of_a_passed_socket)
suite.case("OPENAI_BASE_URL", variable)
suite.case("a reload", reload)
suite.case("two gateways", circle, 2, {})
suite.case("three gateways", circle, 3, {})
main(suite)
