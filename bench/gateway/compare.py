"""Compares the gateway with HAProxy, nginx and Portkey in one run. See docs/internals/bench-gateway.md."""
import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time

import counted
import faults
import process
import proxies
import resources
import rounds
import table
from driver import Driver

GROUPS = ("plain", "big", "latency", "failover", "sse", "tls", "start", "memory", "leave",
          "counted", "faults")


def make_certificate(work):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", f"{work}/key.pem", "-out", f"{work}/ca.pem", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, stderr=subprocess.DEVNULL)


def all_proxies(options, driver, core):
    every = [proxies.Direct(driver, options.work, core),
             *(proxies.Recourse(driver, options.work, core, options.program, kind)
               for kind in proxies.Recourse.KINDS),
             proxies.HAProxy(driver, options.work, core),
             proxies.Nginx(driver, options.work, core)]
    if options.portkey:
        every.append(proxies.Portkey(driver, options.work, core, options.portkey))
    return {proxy.name: proxy for proxy in every}


def drop_missing(running, notes):
    """Removes the audit rows if this version of serve writes no audit."""
    ours = running["audit-on"]
    if not os.path.exists(ours.store):
        notes.append("serve wrote no audit: the rows with audit on are not measured")
        ours.end()
        del running["audit-on"]
    if proxies.Recourse.LOG_OFF in running["audit-off"].unknown:
        running["log-on"].end()
        del running["log-on"]
    for extra in running["audit-off"].unknown:
        notes.append(f"this binary does not know '{extra}': run without it")


def run_together(options, driver, every, notes):
    """Takes the measurements in which all proxies run side by side."""
    groups = [name for name in ("plain", "big", "latency", "failover", "sse", "tls", "leave")
              if name in options.only]
    if not groups:
        return []
    running = dict(every)
    rows = []
    try:
        for proxy in running.values():
            proxy.start()
        for proxy in running.values():
            resources.warm(driver, proxy)
        drop_missing(running, notes)
        if "portkey" in running:  # enough requests to warm up its JIT compiler
            port, request = running["portkey"].way("plain")
            driver.load(port, request, 16, 200 if options.quick else 1500)
        turns = rounds.Rounds(driver, running, options.quick)
        for name in groups:
            if name == "leave":
                rows += attempt(name, notes, resources.leave_rows, driver, running)
            else:
                rows += attempt(name, notes, getattr(turns, name))
    finally:
        for proxy in every.values():
            proxy.end()
    for name in [name for name in every if name not in running]:
        del every[name]
    return rows


def attempt(name, notes, measure, *what):
    """Measures one group of rows. A failure is noted and does not stop the other groups."""
    say(name)
    try:
        return measure(*what)
    except RuntimeError as why:
        notes.append(f"FAILED: {name}: {why}")
        return []


def say(name):
    print(f"bench gateway: {name}, {time.strftime('%H:%M:%S')}", file=sys.stderr)


def measure(options, driver, every, notes):
    rows = run_together(options, driver, every, notes)
    if "start" in options.only:
        rows += attempt("start", notes, resources.start_rows, every, options.quick)
    if "memory" in options.only:
        rows += attempt("memory", notes, resources.memory_rows, driver, every)
    if "counted" in options.only:
        rows += attempt("counted", notes, counted.rows, driver, every, options.work, notes)
    return rows


def run_faults(options, core, every):
    """Runs the failure path: prints the second table and returns it as JSON."""
    portkey = every.get("portkey")
    turns = 1 if options.quick else 3
    try:
        if portkey is not None:
            portkey.start()
        bench = faults.Bench(options.program, core, options.work,
                             portkey.ports["plain"] if portkey else None)
        return faults.compare(bench, turns)
    finally:
        if portkey is not None:
            portkey.end()


def version_of(argv):
    try:
        out = subprocess.run(argv, capture_output=True, text=True)
        return (out.stdout + out.stderr).strip().splitlines()[0]
    except OSError:
        return "none"


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("--program", required=True, help="the recourse binary")
    reader.add_argument("--driver", required=True, help="bench_gateway")
    reader.add_argument("--work", required=True, help="a folder for configurations and logs")
    reader.add_argument("--portkey", help="where npm put Portkey")
    reader.add_argument("--out", help="the same as JSON")
    reader.add_argument("--quick", action="store_true", help="few and short rounds")
    reader.add_argument("--only", default=",".join(GROUPS), help="some of: " + ", ".join(GROUPS))
    options = reader.parse_args()
    options.only = options.only.split(",")
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)
    make_certificate(options.work)
    core, others = process.cores()
    os.sched_setaffinity(0, others)
    notes = []
    driver = Driver(options.driver, others, options.work, f"{options.work}/ca.pem",
                    f"{options.work}/key.pem")
    failures = None
    try:
        every = all_proxies(options, driver, core)
        rows = measure(options, driver, every, notes)
        print_all(rows, notes)
        if "faults" in options.only:
            say("faults")
            failures = run_faults(options, core, every)
    finally:
        driver.end()
    if options.out:
        with open(options.out, "w") as file:
            json.dump({"rows": [row.as_json() for row in rows], "notes": notes,
                       "failures": failures}, file, indent=1)
    return 1 if any(note.startswith("FAILED") for note in notes) else 0


def print_all(rows, notes):
    if not rows and not notes:
        return
    print(f"\nThe gateway beside others ({version_of(['haproxy', '-v'])}; "
          f"{version_of(['nginx', '-v'])}; Linux {platform.release()}; "
          f"load {os.getloadavg()[0]:.1f})\n")
    table.print_rows(rows)
    for note in notes:
        print(note)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
