"""The proxies: their configurations, and the requests for each way through them.

A way is a path from client to provider: plain, renamed (our gateway replaces the model's name in the body),
failover (503 first, then another provider), tls, sse, hold, mute, flood."""
import json
import os
import subprocess

import bodies
import process

WAYS = ("plain", "renamed", "failover", "tls", "sse", "hold", "mute", "flood")
SERVICES = {way: way for way in WAYS} | {"plain": "ok", "renamed": "ok", "failover": "ok"}
STREAMED = ("sse", "hold", "flood")
PATH = "/v1/chat/completions"


class Proxy:
    """One proxy, one process. way() returns the port and the file with the request."""
    name = "direct"
    path = PATH

    def __init__(self, driver, work, core):
        self.driver, self.work, self.core = driver, work, core
        self.child = None
        self.ports = {}
        self.requests = {}
        self.home = f"{work}/{self.name}"
        os.makedirs(self.home, exist_ok=True)

    def listen_on(self, way):
        return self.ports.setdefault(way, process.free_port())

    def headers(self, way):
        return ()

    def way(self, way, about=1024):
        port = self.listen_on(way)
        path = f"{self.home}/{way}.{about}.request"
        if path not in self.requests:
            model = "bench-alias" if way == "renamed" else f"bench-{way}"
            content = bodies.body(model, about, way in STREAMED)
            with open(path, "wb") as file:
                file.write(bodies.request(self.path, port, content, self.headers(way)))
            self.requests[path] = len(content)
        return port, path

    def prepare(self):
        """Writes the configuration; returns the start command of the proxy and its environment."""
        for way in WAYS:
            self.listen_on(way)
        return self.command()

    def spawn(self, command, wrapper=()):
        argv, env = command
        self.child = process.spawn([*wrapper, *argv], self.core, f"{self.home}/log", env)

    def start(self, wrapper=()):
        self.spawn(self.prepare(), wrapper)
        for port in self.ports.values():
            process.wait_for_port(port, self.child)
        return self

    def forget(self):
        """Deletes the data of earlier runs."""

    def cpu_s(self):
        return process.cpu_s(self.child.pid)

    def rss_kb(self):
        return process.rss_kb(self.child.pid)

    def end(self):
        if self.child is not None:
            process.end(self.child)
            self.child = None


class Direct(Proxy):
    """No proxy: the cost of the two ends alone."""

    def listen_on(self, way):
        return self.driver.ports[SERVICES[way]]

    def start(self, wrapper=()):
        return self


class HAProxy(Proxy):
    name = "haproxy"

    def backend(self, way):
        host = "127.0.0.1"
        ports = self.driver.ports
        if way == "tls":
            return [f"server one {host}:{ports['tls']} ssl verify required "
                    f"ca-file {self.work}/ca.pem alpn http/1.1"]
        if way == "failover":
            # A server with the weight 0 is used by the rule only, so that a retry goes to the other
            # server.
            return ["retry-on 503", "retries 1", "option redispatch 1", "use-server busy if TRUE",
                    f"server busy {host}:{ports['busy']} weight 0",
                    f"server ok {host}:{ports['ok']} weight 1"]
        return [f"server one {host}:{ports[SERVICES[way]]}"]

    def command(self):
        lines = ["global", "  nbthread 1", "  maxconn 4000", "defaults", "  mode http",
                 "  option http-no-delay", "  http-reuse always", "  timeout connect 5s",
                 "  timeout client 60s", "  timeout server 60s", "  maxconn 4000"]
        for way in WAYS:
            lines += [f"frontend {way}", f"  bind 127.0.0.1:{self.ports[way]}",
                      f"  default_backend {way}", f"backend {way}"]
            lines += ["  " + line for line in self.backend(way)]
        path = f"{self.home}/haproxy.cfg"
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        return ["haproxy", "-db", "-f", path], {}


class Nginx(Proxy):
    name = "nginx"

    def upstream(self, way):
        ports = self.driver.ports
        if way == "failover":
            return (f"server 127.0.0.1:{ports['busy']} max_fails=0; "
                    f"server 127.0.0.1:{ports['ok']} backup;")
        return f"server 127.0.0.1:{ports[SERVICES[way]]} max_fails=0;"

    def server(self, way):
        more = ""
        if way == "failover":
            more = "proxy_next_upstream error timeout http_503 non_idempotent;"
        elif way == "tls":
            more = (f"proxy_ssl_verify on; proxy_ssl_trusted_certificate {self.work}/ca.pem; "
                    "proxy_ssl_name localhost; proxy_ssl_protocols TLSv1.3;")
        scheme = "https" if way == "tls" else "http"
        return (f"upstream {way} {{ {self.upstream(way)} keepalive 256; "
                "keepalive_requests 1000000000; }\n"
                f"server {{ listen 127.0.0.1:{self.ports[way]}; location / {{ "
                f"proxy_pass {scheme}://{way}; {more} }} }}\n")

    def command(self):
        path = f"{self.home}/nginx.conf"
        temporary = " ".join(f"{kind}_temp_path {self.home}/{kind};" for kind in
                             ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(path, "w") as file:
            file.write(
                f"daemon off; master_process off; worker_processes 1; pid {self.home}/pid;\n"
                f"error_log {self.home}/error.log; worker_rlimit_nofile 20000;\n"
                "events { worker_connections 10000; }\n"
                f"http {{ access_log off; {temporary} keepalive_requests 1000000000;\n"
                "client_body_buffer_size 256k; client_max_body_size 64m;\n"
                "proxy_http_version 1.1; proxy_set_header Connection ''; proxy_buffering off;\n"
                "proxy_request_buffering off;\n")
            file.write("".join(self.server(way) for way in WAYS))
            file.write("}\n")
        return ["nginx", "-e", f"{self.home}/error.log", "-c", path, "-p", self.home], {}


class Portkey(Proxy):
    name = "portkey"

    def __init__(self, driver, work, core, package):
        super().__init__(driver, work, core)
        self.script = f"{package}/node_modules/@portkey-ai/gateway/build/start-server.js"

    def listen_on(self, way):
        return self.ports.setdefault("plain", process.free_port())

    def target(self, service, model=None):
        scheme = "https" if service == "tls" else "http"
        target = {"provider": "openai", "api_key": bodies.KEY,
                  "custom_host": f"{scheme}://127.0.0.1:{self.driver.ports[service]}/v1"}
        return target | ({"override_params": {"model": model}} if model else {})

    def headers(self, way):
        if way == "failover":
            config = {"strategy": {"mode": "fallback", "on_status_codes": [503]},
                      "targets": [self.target("busy"), self.target("ok")]}
        else:
            name = "bench-renamed" if way == "renamed" else None
            config = self.target(SERVICES[way], name)
        return ("x-portkey-config: " + json.dumps(config, separators=(",", ":")),)

    def command(self):
        return (["node", self.script, "--headless", f"--port={self.ports['plain']}"],
                {"NODE_ENV": "production", "NODE_EXTRA_CA_CERTS": f"{self.work}/ca.pem"})


def known_keys(program, base, wanted):
    """Returns those of the wanted lines that this binary accepts after the lines `base` of a
    configuration."""
    known = []
    for key in wanted:
        text = "\n".join([*base, *known, key]) + "\n"
        checked = subprocess.run([program, "config", "check", "-"], input=text.encode(),
                                 env={**os.environ, "BENCH_KEY": bodies.KEY},
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if checked.returncode == 0:
            known.append(key)
    return known


class Recourse(Proxy):
    """Our gateway on one loop and without the features that the other proxies lack: the admin
    server, a log line for each request and, unless it is measured, the audit. Keys that this binary
    does not know are left out of its configuration, and noted."""
    AUDIT_OFF = "audit: {durability: off}"
    LOG_OFF = "log: {format: off}"
    KINDS = {"audit-on": [LOG_OFF], "audit-off": [AUDIT_OFF, LOG_OFF], "log-on": [AUDIT_OFF]}

    def __init__(self, driver, work, core, program, kind):
        self.name = kind
        super().__init__(driver, work, core)
        self.program = program
        self.unknown = []
        self.store = f"{self.home}/audit.db"

    def forget(self):
        for end in ("", "-wal", "-shm"):
            if os.path.exists(self.store + end):
                os.remove(self.store + end)

    def listen_on(self, way):
        return self.ports.setdefault("plain", process.free_port())

    def base_lines(self):
        ports = self.driver.ports
        lines = ["listen: 127.0.0.1:0", f"store: sqlite:{self.store}",
                 "retry_budget: {burst: 0}", "breaker: {min_calls: 0}", "cooldown_ms: 0",
                 "providers:"]
        for service, port in ports.items():
            scheme = "https" if service == "tls" else "http"
            lines.append(f"  {service}: {{kind: openai, keys: [env:BENCH_KEY], insecure: true, "
                         f'base_url: "{scheme}://127.0.0.1:{port}/v1"}}')
        lines += ["routes:",
                  "  - {model: bench-alias, chain: [{target: ok/bench-renamed}]}",
                  "  - {model: bench-failover, chain: [{target: busy/bench-failover, tries: 1}, "
                  "{target: ok/bench-failover}]}"]
        for way in WAYS:
            if way not in ("renamed", "failover"):
                lines.append(f"  - {{model: bench-{way}, chain: "
                             f"[{{target: {SERVICES[way]}/bench-{way}}}]}}")
        return lines

    def command(self):
        wanted = ["threads: 1", "admin: {listen: off}", *self.KINDS[self.name]]
        lines = known_keys(self.program, self.base_lines(), wanted)
        self.unknown = [key for key in wanted if key not in lines]
        path = f"{self.home}/recourse.yaml"
        with open(path, "w") as file:
            file.write("\n".join(self.base_lines() + lines) + "\n")
        return ([self.program, "serve", "--config", path,
                 "--listen", f"127.0.0.1:{self.ports['plain']}"],
                {"BENCH_KEY": bodies.KEY, "SSL_CERT_FILE": f"{self.work}/ca.pem"})
