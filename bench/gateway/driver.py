"""bench_gateway: the providers and clients of the benchmark, controlled by lines of text."""
import json
import subprocess

import process


class Driver:
    def __init__(self, program, core, work, certificate, key):
        self.child = process.spawn([program, certificate, key], core, f"{work}/driver.log",
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ports = json.loads(self.child.stdout.readline())

    def tell(self, word, **what):
        line = " ".join([word] + [f"{name}={value}" for name, value in what.items()]) + "\n"
        self.child.stdin.write(line.encode())
        self.child.stdin.flush()
        answer = json.loads(self.child.stdout.readline())
        if "error" in answer:
            raise RuntimeError(f"{line.strip()}: {answer['error']}")
        return answer

    def load(self, port, request, clients, requests):
        """Sends requests that must all succeed, because failures would falsify the benchmark."""
        answer = self.tell("load", port=port, clients=clients, requests=requests, request=request)
        if answer["bad"] > 0 or answer["good"] != requests:
            raise RuntimeError(f"{requests} requests to port {port}: {answer}")
        return answer

    def end(self):
        self.child.stdin.close()
        self.child.wait(10)
