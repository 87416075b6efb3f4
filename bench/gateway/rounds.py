"""CPU time and latency, measured in rounds in which the proxies take turns in a varying order."""
import time
from statistics import median

import table

BIG = 100 * 1024
BUDGET_S = 45  # time limit of one comparison


class Rounds:
    """Runs the rounds. proxies: the proxies by name. is_quick: fewer and shorter rounds."""

    def __init__(self, driver, proxies, is_quick):
        self.driver, self.proxies, self.is_quick = driver, proxies, is_quick
        self.count = 3 if is_quick else 9

    def requests(self, proxy, full):
        """Returns a number of requests that takes about the same time with every proxy."""
        share = full // 4 if self.is_quick else full
        return max(100, share // 60) if proxy.name == "portkey" else share

    def interleave(self, names, measure, rounds=None):
        """Returns {name: [value of each round]}. On a busy machine there are fewer rounds, but at
        least three."""
        names = [name for name in names if name in self.proxies]
        values = {name: [] for name in names}
        since = time.monotonic()
        for turn in range(rounds or self.count):
            if turn >= 3 and time.monotonic() - since > BUDGET_S:
                break
            at = turn % len(names)
            for name in names[at:] + names[:at]:
                values[name].append(measure(self.proxies[name]))
        return values

    def cpu_us(self, way, about, clients, full):
        """Measures the CPU time per request."""
        def measure(proxy):
            port, request = proxy.way(way, about)
            count = self.requests(proxy, full)
            self.driver.load(port, request, clients, max(clients, count // 10))
            before = proxy.cpu_s()
            self.driver.load(port, request, clients, count)
            return (proxy.cpu_s() - before) / count * 1e6
        return measure

    def plain(self):
        rounds = self.interleave(
            ["audit-on", "audit-off", "log-on", "haproxy", "nginx", "portkey"],
            self.cpu_us("plain", 1024, 64, 20000))
        unit = "CPU us a request"
        rows = []
        ours = "audit-on" if "audit-on" in rounds else "audit-off"
        if "audit-on" in rounds:
            rows.append(table.row_of_rounds("1 KB, 64 connections, audit on", unit, rounds,
                                            "audit-on", "haproxy", goal_ratio=1.5))
        else:
            rows.append(table.Row("1 KB, 64 connections, audit on", unit, None,
                                  median(rounds["haproxy"]), "haproxy", goal_ratio=1.5,
                                  note="this binary keeps no audit behind serve: not measured"))
        rows.append(table.row_of_rounds("1 KB, 64 connections, audit off", unit, rounds,
                                        "audit-off", "haproxy", goal_ratio=1.0))
        rows.append(table.row_of_rounds("1 KB, 64 connections, audit off", unit, rounds,
                                        "audit-off", "nginx"))
        if "log-on" in rounds:
            rows.append(table.row_of_rounds("1 KB, 64 connections, audit off, log on", unit,
                                            rounds, "log-on", "haproxy"))
        if "portkey" in rounds:
            which = ours.replace("-", " ")
            rows.append(table.row_of_rounds(f"1 KB, 64 connections, {which}", unit, rounds, ours,
                                            "portkey", goal_ratio=1 / 40))
        return rows

    def big(self):
        before = self.driver.tell("stats")["ok"]
        rounds = self.interleave(["audit-off", "nginx", "haproxy"],
                                 self.cpu_us("renamed", BIG, 16, 3000))
        after = self.driver.tell("stats")["ok"]
        renamed = after["renamed"] - before["renamed"]
        share = 1 / len(rounds)
        if renamed != (after["requests"] - before["requests"]) * share:
            raise RuntimeError(f"{renamed} requests were renamed, and not every one of ours")
        return [table.row_of_rounds("100 KB, ours renames the model, 16 connections",
                                    "CPU us", rounds, "audit-off", "nginx", goal_ratio=1.0),
                table.row_of_rounds("100 KB, ours renames the model, 16 connections",
                                    "CPU us", rounds, "audit-off", "haproxy")]

    def failover(self):
        before = self.driver.tell("stats")
        rounds = self.interleave(["audit-off", "haproxy", "nginx", "portkey"],
                                 self.cpu_us("failover", 1024, 64, 8000))
        after = self.driver.tell("stats")
        tries = [after[name]["requests"] - before[name]["requests"] for name in ("busy", "ok")]
        if tries[0] != tries[1]:
            raise RuntimeError(f"{tries[0]} tries failed and {tries[1]} worked: not one each")
        rows = [table.row_of_rounds("503, then the second target, 64 connections",
                                    "CPU us", rounds, "audit-off", "haproxy", goal_ratio=1.3)]
        return rows + [table.row_of_rounds("503, then the second target, 64 connections",
                                           "CPU us", rounds, "audit-off", name)
                       for name in ("nginx", "portkey") if name in rounds]

    def tls(self):
        rounds = self.interleave(["audit-off", "haproxy", "nginx"],
                                 self.cpu_us("tls", 1024, 64, 12000))
        return [table.row_of_rounds("TLS to the provider, pooled, 1 KB", "CPU us", rounds,
                                    "audit-off", "haproxy", goal_ratio=0.9),
                table.row_of_rounds("TLS to the provider, pooled, 1 KB", "CPU us", rounds,
                                    "audit-off", "nginx")]

    def latency(self):
        def measure(proxy):
            port, request = proxy.way("plain")
            count = self.requests(proxy, 4000)
            self.driver.load(port, request, 1, count // 10)
            return self.driver.load(port, request, 1, count)["p50_us"]
        rounds = self.interleave(["direct", "audit-on", "audit-off", "haproxy", "nginx",
                                  "portkey"], measure)
        added = {name: [value - direct for value, direct in zip(values, rounds["direct"])]
                 for name, values in rounds.items() if name != "direct"}
        rows = [table.row_of_rounds("added latency p50, one connection", "us", added, "audit-off",
                                    "haproxy", goal_ratio=1.2)]
        if "audit-on" in added:
            rows.append(table.row_of_rounds("added latency p50, one connection, audit on", "us",
                                            added, "audit-on", "haproxy"))
        return rows + [table.row_of_rounds("added latency p50, one connection", "us", added,
                                           "audit-off", name)
                       for name in ("nginx", "portkey") if name in added]

    def chunk_us(self, streams):
        """Measures the CPU time per event of streams that are paced and evenly spread."""
        def measure(proxy):
            port, request = proxy.way("sse")
            sent = self.driver.tell("stats")["sse"]
            before = proxy.cpu_s()
            answer = self.driver.load(port, request, streams, streams)
            spent = proxy.cpu_s() - before
            after = self.driver.tell("stats")["sse"]
            if after["body_bytes"] - sent["body_bytes"] != answer["body_bytes"]:
                raise RuntimeError(f"{proxy.name} changed a stream: {answer}")
            return spent / (after["chunks"] - sent["chunks"]) * 1e6
        return measure

    def sse(self):
        chunks = 25 if self.is_quick else 60
        self.driver.tell("pace", chunks=4 * chunks, interval_us=5000)
        many = self.interleave(["audit-off", "haproxy", "nginx"], self.chunk_us(100))
        rows = [table.row_of_rounds("paced SSE, 100 streams, 5 ms", "CPU us a chunk", many,
                                    "audit-off", "haproxy", goal_ratio=0.95),
                table.row_of_rounds("paced SSE, 100 streams, 5 ms", "CPU us a chunk", many,
                                    "audit-off", "nginx")]
        self.driver.tell("pace", chunks=chunks, interval_us=20000)
        few = self.interleave(["audit-off", "haproxy", "portkey"], self.chunk_us(40), rounds=3)
        return rows + [table.row_of_rounds("paced SSE, 40 streams, 20 ms", "CPU us a chunk", few,
                                           "audit-off", name)
                       for name in ("haproxy", "portkey") if name in few]
