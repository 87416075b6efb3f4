"""recourse mock: a provider whose model names select the failure, and which counts requests and tokens itself."""

import json
import os
import subprocess

from harness import RECOURSE, WAIT_S, wait_until
from peers import Client


class Mock:
    """Runs recourse mock. folder: the folder for its port file and scenario file. scenario: a dict."""

    def __init__(self, folder, scenario=None):
        command = [RECOURSE, "mock", "--listen", "127.0.0.1:0", "--quiet", "--port-file", "mock-port"]
        if scenario:
            with open(os.path.join(folder, "scenario.yaml"), "w", encoding="utf-8") as file:
                json.dump(scenario, file)
            command += ["--scenario", "scenario.yaml"]
        self.process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
        path = os.path.join(folder, "mock-port")
        wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, "the mock's port")
        with open(path, encoding="ascii") as file:
            self.port = int(file.read())

    def ledger(self):
        with Client(self.port) as client:
            return json.loads(client.ask(b"GET /mock/stats HTTP/1.1\r\nHost: x\r\n\r\n").body)

    def stop(self):
        self.process.terminate()
        self.process.wait(WAIT_S)
