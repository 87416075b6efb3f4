"""Failed connections, with a real peer for each reason. The client, the audit, the log and `recourse call` name the
reason; the next target of a chain responds; a permanent fault is not retried at the same target."""

import json
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import warnings

from gateways import Lasting, unwrapped
from harness import WAIT_S, Suite, check, main, report_of
from peers import CLEAN, OK_CHAT, Client, Upstream, chat, ending, http, reset, saying

warnings.simplefilter("ignore", DeprecationWarning)  # The tests use old versions of TLS on purpose.
folder = tempfile.mkdtemp(prefix="recourse-reasons-")

# ---- certificates ----

AUTHORITY = """[ca]
default_ca = d
[d]
database = index
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
unique_subject = no
copy_extensions = copy
[any]
commonName = supplied
"""
KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


def openssl(*command):
    done = subprocess.run(["openssl", *command], cwd=folder, stdin=subprocess.DEVNULL, timeout=WAIT_S,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    check(done.returncode == 0, command, done.stdout.decode())


def sign_self(name, common, *more):
    openssl("req", "-x509", *KEY, "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "2",
            "-subj", f"/CN={common}", *more)


def issue(name, hosts, authority="ca", begin=None, end="20991231000000Z"):
    openssl("req", "-new", *KEY, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}",
            "-addext", f"subjectAltName={hosts}")
    openssl("ca", "-batch", "-notext", "-config", "authority", "-in", f"{name}.csr", "-out", f"{name}.pem",
            "-cert", f"{authority}.pem", "-keyfile", f"{authority}.key", "-enddate", end,
            *(["-startdate", begin] if begin else []))


def make_certificates():
    for name, text in (("authority", AUTHORITY), ("index", ""), ("serial", "01\n")):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)
    sign_self("ca", "Test CA")
    sign_self("stranger", "Strange CA")
    sign_self("self", "self", "-addext", "subjectAltName=DNS:localhost")
    here = "DNS:localhost,IP:127.0.0.1"
    issue("good", here)
    issue("expired", here, begin="20200101000000Z", end="20210203000000Z")
    issue("future", here, begin="20980504000000Z")
    issue("wrong", "DNS:other.test")
    issue("unknown", here, authority="stranger")


# ---- peers ----


def tls(name, version=None, is_mutual=False):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, f"{name}.pem"), os.path.join(folder, f"{name}.key"))
    if version:
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = version
    if is_mutual:
        # Up to TLS 1.2 the refusal is a part of the handshake; in TLS 1.3 the end of the connection may arrive before
        # it.
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(os.path.join(folder, "ca.pem"))
    return context


def speak_tls(context):
    def serve(conn):
        with context.wrap_socket(conn, server_side=True) as secure:
            request = b""
            while b"\r\n\r\n" not in request:
                piece = secure.recv(65536)
                if not piece:
                    return
                request += piece
            secure.sendall(OK_CHAT.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
    return serve


def speak_http(conn):
    conn.recv(65536)
    conn.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def close_early(conn):
    conn.recv(65536)


def reset_early(conn):
    conn.recv(65536)
    reset(conn)


class Peer:
    """A listener that calls `serve` for each connection. serve is None: the port is bound, and nobody listens."""

    def __init__(self, serve):
        self.serve = serve
        self.sock = socket.socket()
        self.sock.bind(("127.0.0.1", 0))
        self.port = self.sock.getsockname()[1]
        if serve:
            self.sock.listen(64)
            threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            conn, _ = self.sock.accept()
            threading.Thread(target=self._one, args=(conn,), daemon=True).start()

    def _one(self, conn):
        try:
            conn.settimeout(WAIT_S)
            with conn:
                self.serve(conn)
        except (OSError, ssl.SSLError):
            pass


# ---- expected reports ----

FAILED, RESET, CHECK, WAIT = "ConnectionFailed", "ConnectionReset", "check_config", "wait_and_retry"

# name: rules, code, action, attempts, message, a part of the detail
EXPECTED = {
    "expired": (["connect.tls.expired"], FAILED, CHECK, 1,
                "expired's certificate has expired: it was valid until 2021-02-03.",
                "certificate has expired; the certificate is for localhost, 127.0.0.1; its subject is expired; "
                "its issuer is Test CA; it is valid from 2020-01-01"),
    "future": (["connect.tls.not_yet_valid"], FAILED, CHECK, 1,
               "future's certificate is not valid yet: it is valid from 2098-05-04.", "not yet valid"),
    "self": (["connect.tls.self_signed"], FAILED, CHECK, 1,
             "self's certificate is self-signed and not trusted by this machine.", "self-signed certificate"),
    "unknown": (["connect.tls.untrusted"], FAILED, CHECK, 1,
                "The issuer of unknown's certificate is not trusted by this machine.", "its issuer is Strange CA"),
    "wrong": (["connect.tls.wrong_host"], FAILED, CHECK, 1, "wrong's certificate is for another host.",
              "hostname mismatch; the certificate is for other.test"),
    "old10": (["connect.tls.version"], FAILED, CHECK, 1,
              "old10's host does not support TLS 1.2 or later.", "protocol"),
    "old11": (["connect.tls.version"], FAILED, CHECK, 1,
              "old11's host does not support TLS 1.2 or later.", "protocol"),
    "mutual": (["connect.tls.client_certificate"], FAILED, CHECK, 1,
               "mutual's host requires a client certificate, and Recourse sends none.", "handshake failure"),
    "plain": (["connect.tls.not_spoken"], FAILED, CHECK, 1, "plain's host does not speak TLS at this port.",
              "wrong version number"),
    "cut": (["connect.tls.closed"], RESET, WAIT, 3,
            "cut's host closed the connection during the TLS handshake.", "during the TLS handshake"),
    "reset": (["connect.tls.reset"], RESET, WAIT, 3,
              "reset's host reset the connection during the TLS handshake.", "during the TLS handshake"),
    "refused": (["connect.refused"], FAILED, WAIT, 3, "refused's host refused the connection.",
                "the connection was refused"),
    # Without a name server it is unknown whether the host name exists.
    "nowhere": (["connect.dns.unknown", "connect.dns.failed"], FAILED, None, 3,
                ("nowhere's host name does not exist.", "The DNS lookup of nowhere's host name failed."),
                "no-such-host.invalid:443: "),
}


def start():
    make_certificates()
    speaks = {name: speak_tls(tls(name)) for name in ("good", "expired", "future", "self", "unknown", "wrong")}
    speaks.update(old10=speak_tls(tls("good", ssl.TLSVersion.TLSv1)),
                  old11=speak_tls(tls("good", ssl.TLSVersion.TLSv1_1)),
                  mutual=speak_tls(tls("good", is_mutual=True)), plain=speak_http, cut=close_early,
                  reset=reset_early, refused=None)
    peers = {name: Peer(serve) for name, serve in speaks.items()}
    bases = {name: f"https://localhost:{peer.port}/v1" for name, peer in peers.items()}
    bases["nowhere"] = "https://no-such-host.invalid/v1"
    for name in ("words", "kept"):
        bases[name] = upstream.url(f"/{name}/v1")
    return Lasting({
        "providers": {name: {"kind": "openai", "base_url": base, "keys": ["env:KEY_1"]}
                      for name, base in bases.items()},
        "policies": {"quick": {"max_attempts": 3, "backoff": "fixed", "base_ms": 1, "jitter": "none"}},
        "breaker": {"min_calls": 0}, "retry_budget": {"burst": 0}, "cooldown_ms": 0, "threads": 1,
        "routes": [{"model": name, "policy": "quick", "chain": [{"target": f"{name}/m"}]} for name in bases] +
                  [{"model": f"{name}+", "policy": "quick",
                    "chain": [{"target": f"{name}/m", "tries": 3}, {"target": "good/n"}]} for name in EXPECTED],
    }, {"SSL_CERT_FILE": os.path.join(folder, "ca.pem")}).start(is_plain=True), peers


def ask(model, extra=b""):
    with Client(gateway.port) as client:
        return client.ask(chat(model=model, extra=extra))


def is_told(name):
    rules, code, action, tries, message, detail = EXPECTED[name]
    answer = ask(name)
    check(answer.status == 502 and answer.end == CLEAN, answer)
    check(answer.get("x-recourse-error-code") == code, answer.head.raw)
    check(answer.get("x-recourse-attempts") == str(tries), "tries:", answer.head.raw)
    check(answer.get("x-should-retry") == "false", answer.head.raw)
    body = json.loads(answer.body)
    check(body["error"]["message"].startswith(message), body)
    report = report_of(body)
    check(report["message"] == body["error"]["message"] and report["retryable"] is True, report)
    check(action in (None, report["user_action"]["kind"]) and report["user_action"]["detail"], report)
    # The address and the certificate are shown only to the operator.
    check("detail" not in report and "localhost" not in answer.body.decode(), report)

    line = gateway.logged(report["report_id"])
    check(line["rule"] in rules and line["message"] == report["message"] and line["code"] == code, line)

    shown = gateway.run("audit", "show", "--store", "sqlite:audit.db", "--format", "json", report["report_id"])
    check(shown.returncode == 0, shown.stderr)
    operation = json.loads(shown.stdout)["operation"]
    kept = operation["report"]
    check(kept["rule"] in rules and kept["message"] == report["message"], kept)
    check(detail in kept["cause"]["detail"], kept["cause"])
    check("key-1111" not in shown.stdout.decode(), "a key in the record")
    page = unwrapped(gateway.run("audit", "show", "--store", "sqlite:audit.db", report["report_id"]).stdout)
    check(page.count(report["message"].rstrip(".")) >= 2, "not in the story and the panel:", page)


def chain_goes_on(name):
    tries = EXPECTED[name][3]
    answer = ask(f"{name}+")
    check(answer.status == 200 and answer.get("x-recourse-target") == "good/n", answer, answer.head.raw)
    check(answer.get("x-recourse-attempts") == str(tries + 1), answer.head.raw)


def all_differ():
    """Each fault has its own rule."""
    told = [rule for name, (rules, *_) in EXPECTED.items() if name != "old11" for rule in rules]
    check(len(set(told)) == len(told), told)


def call_shows(name):
    rules, _, _, _, message, detail = EXPECTED[name]
    done = gateway.run("call", "--config", "recourse.yaml", "--model", name, "hi")
    panel = unwrapped(done.stderr)
    check(done.returncode == 75, done.returncode, panel)
    for part in (message, rules[0], " ".join(detail.split()[:3])):
        check(part in panel, part, "is not in", panel)


# ---- messages about responses that are no responses ----


def words(data, code, tries, should_retry, has, has_not):
    mark, plan = upstream.plan(data)
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, "words"))
    check(answer.status == 502 and answer.get("x-recourse-error-code") == code, answer.head.raw, answer)
    check(len(plan.seen) == tries, "asked", len(plan.seen))
    check(answer.get("x-should-retry") == should_retry, answer.head.raw)
    report = report_of(json.loads(answer.body))
    told = report["message"] + " " + report["user_action"]["detail"]
    check(has in told and (not has_not or has_not not in told), told)


def titles_name_nobody():
    """The title of a problem document is also true if the gateway itself refused the request."""
    mark, _ = upstream.plan(saying(http(b'{"error":{"message":"no"}}', "401 Unauthorized")))
    problem = b"Accept: application/problem+json\r\n"
    with Client(gateway.port) as client:
        theirs = client.ask(chat(mark, "kept", extra=problem))
        ours = client.ask(chat(model="", extra=problem))
    for answer in (theirs, ours):
        check(answer.get("content-type") == "application/problem+json", answer)
        check("provider" not in json.loads(answer.body)["title"].lower(), answer)


upstream = Upstream()
gateway, held = start()
suite = Suite()
for reason in EXPECTED:
    suite.case(f"{reason} is told everywhere", is_told, reason)
    suite.case(f"{reason} does not end a chain", chain_goes_on, reason)
suite.case("each has its own rule", all_differ)
for reason in ("expired", "wrong", "mutual"):
    suite.case(f"recourse call shows {reason}", call_shows, reason)
suite.case("not modified", words, saying(b"HTTP/1.1 304 Not Modified\r\n\r\n"), "MalformedResponse", 3, "false",
           "any proxy in between", "")
suite.case("no HTTP", words, ending(b"HELLO\r\n\r\n"), "MalformedResponse", 3, "false",
           "words sent an invalid HTTP response: ", "The message")
suite.case("another protocol", words, ending(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n"
                                             b"Connection: upgrade\r\n\r\n"), "MalformedResponse", 3, "false",
           "words sent an invalid HTTP response: ", "The protocol")
suite.case("a page", words, saying(http(b"<html><body>Hi</body></html>", content_type="text/html")),
           "MalformedResponse", 1, "false", "Check the base URL", "ry again")
suite.case("titles of problems", titles_name_nobody)
try:
    main(suite, gateway, upstream)
finally:
    shutil.rmtree(folder, ignore_errors=True)
