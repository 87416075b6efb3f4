"""Measures that do not depend on the load of the machine: instructions in user space (callgrind) and
system calls (strace), per request."""
import re
import shutil
import signal
import subprocess
import time

import table

CLIENTS = 64
MORE_OF_OURS = {"audit-on": "audit on", "log-on": "audit off, log on"}


def instructions_of_run(driver, proxy, work, way, requests, clients):
    """Counts the instructions of a proxy's whole run with that many requests."""
    out = f"{work}/callgrind.{proxy.name}"
    proxy.forget()  # without this line only the short run would create the store's tables
    proxy.start(["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}"])
    try:
        port, request = proxy.way(way)
        driver.load(port, request, clients, requests)
    finally:
        proxy.end()
    with open(out) as file:
        for line in file:
            if line.startswith(("summary:", "totals:")):
                return int(line.split()[1])
    raise RuntimeError(f"{out} has no total")


def instructions(driver, proxy, work, clients=CLIENTS):
    """Takes the difference of a long and a short run, which excludes start and shutdown."""
    few, many = 300, 1800
    short = instructions_of_run(driver, proxy, work, "plain", few, clients)
    long = instructions_of_run(driver, proxy, work, "plain", many, clients)
    return (long - short) / (many - few)


def instructions_a_chunk(driver, proxy, work, streams=40):
    few, many = 10, 110
    totals = []
    for chunks in (few, many):
        driver.tell("pace", chunks=chunks, interval_us=20000)
        totals.append(instructions_of_run(driver, proxy, work, "sse", streams, streams))
    return (totals[1] - totals[0]) / (many - few) / streams


def system_calls(driver, proxy, work, clients=CLIENTS, requests=5000):
    out = f"{work}/strace.{proxy.name}"
    proxy.start()
    try:
        port, request = proxy.way("plain")
        driver.load(port, request, clients, clients * 10)
        tracer = subprocess.Popen(["strace", "-f", "-c", "-o", out, "-p", str(proxy.child.pid)],
                                  stderr=subprocess.PIPE)
        tracer.stderr.readline()  # "Process N attached"
        time.sleep(0.2)
        before = driver.tell("stats")["ok"]["requests"]
        driver.load(port, request, clients, requests)
        count = driver.tell("stats")["ok"]["requests"] - before
        tracer.send_signal(signal.SIGINT)
        tracer.stderr.read()
        tracer.wait()
    finally:
        proxy.end()
    with open(out) as file:
        text = file.read()
    calls = {name: int(number) for number, name in
             re.findall(r"^ *[\d.]+ +[\d.]+ +\d+ +(\d+) +(?:\d+ +)?(\w+)$", text, re.M)}
    calls.pop("total", None)
    return sum(calls.values()) / count, {name: round(value / count, 3) for name, value in
                                         calls.items() if value / count >= 0.005}


def instruction_rows(driver, proxies, work, notes):
    cost = {name: instructions(driver, proxies[name], work)
            for name in ("audit-off", "audit-on", "log-on", "haproxy", "nginx")
            if name in proxies}
    chunk = {name: instructions_a_chunk(driver, proxies[name], work)
             for name in ("audit-off", "haproxy", "nginx")}
    one = instructions(driver, proxies["audit-off"], work, 1)
    notes.append(f"instructions of ours with one connection: {one:,.0f} a request")
    made = [table.Row("instructions a request, audit off", "user space", cost["audit-off"],
                      cost["haproxy"], "haproxy", goal=18000),
            table.Row("instructions a request, audit off", "user space", cost["audit-off"],
                      cost["nginx"], "nginx")]
    made += [table.Row(f"instructions a request, {MORE_OF_OURS[name]}", "user space", cost[name],
                       cost["haproxy"], "haproxy") for name in MORE_OF_OURS if name in cost]
    return made + [table.Row("instructions a chunk of a stream, audit off", "user space",
                             chunk["audit-off"], chunk[name], name)
                   for name in ("haproxy", "nginx")]


def call_rows(driver, proxies, work, notes):
    calls = {name: system_calls(driver, proxies[name], work)
             for name in ("audit-off", "audit-on", "log-on", "haproxy", "nginx")
             if name in proxies}
    notes += [f"system calls of {name}: " + ", ".join(
        f"{call} {value}" for call, value in which.items())
        for name, (_, which) in calls.items()]
    made = [table.Row("system calls a request, audit off", "64 connections",
                      calls["audit-off"][0], calls["haproxy"][0], "haproxy", goal=4.5),
            table.Row("system calls a request, audit off", "64 connections",
                      calls["audit-off"][0], calls["nginx"][0], "nginx")]
    return made + [table.Row(f"system calls a request, {MORE_OF_OURS[name]}", "64 connections",
                             calls[name][0], calls["haproxy"][0], "haproxy")
                   for name in MORE_OF_OURS if name in calls]


def rows(driver, proxies, work, notes):
    made = []
    for tool, measure in (("valgrind", instruction_rows), ("strace", call_rows)):
        if shutil.which(tool):
            made += measure(driver, proxies, work, notes)
        else:
            notes.append(f"no {tool}: not counted")
    return made
