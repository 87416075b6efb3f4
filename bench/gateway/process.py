"""Measured processes: started on a core, read from /proc, ended by their own pid."""
import os
import signal
import socket
import subprocess
import time


def cores():
    """Returns the core of the proxies and that of everything else."""
    allowed = sorted(os.sched_getaffinity(0))
    return {allowed[0]}, {allowed[-1]}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def cpu_s(pid):
    """Returns the CPU time of a process with all its threads, with a resolution of 1 ns
    (clock_getcpuclockid)."""
    return time.clock_gettime((~pid << 3) | 2)


def rss_kb(pid):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    raise RuntimeError(f"no VmRSS of {pid}")


def spawn(argv, core, log, env=None, stdin=subprocess.DEVNULL, stdout=None):
    """Starts a process on a core. The core is set before the start and inherited, because a child
    that runs no code between fork and exec starts sooner."""
    ours = os.sched_getaffinity(0)
    os.sched_setaffinity(0, core)
    try:
        with open(log, "ab") as out:
            return subprocess.Popen(argv, stdin=stdin, stdout=stdout or out, stderr=out,
                                    env={**os.environ, **(env or {})})
    finally:
        os.sched_setaffinity(0, ours)


def end(child):
    if child.poll() is None:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            child.kill()
    return child.wait()


def wait_for_port(port, child, seconds=20):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if child.poll() is not None:
                break
            time.sleep(0.002)
    raise RuntimeError(f"{child.args[0]} does not listen on {port}")
