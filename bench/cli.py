#!/usr/bin/env python3
"""bench/cli.py -- the product as installed: sealed worker, protocol, process.

  cli.py GLOVEBOX

--repeat goes through the supervisor, the socket and the sealed worker. A whole
process is compared with `node -e`, taking turns, by medians.
SPDX-License-Identifier: MIT
"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

REPEATS, PROCESSES, LATE_RUNS, LIMIT_MS = 5000, 30, 20, 100


def figure(name, value):
    path = os.environ.get("GB_BENCH_FIGURES")
    if path:
        with open(path, "a") as f:
            f.write(f"{name} {value:.6g}\n")


def repeat(glovebox):
    """The best of three by p50, and that one's p99."""
    best = None
    for _ in range(3):
        err = subprocess.run([glovebox, "run", "-q", "-e", "1", "--repeat", str(REPEATS)],
                             capture_output=True, text=True, check=True).stderr
        m = re.search(r"mean ([\d.]+) µs, p50 ([\d.]+) µs, p99 ([\d.]+) µs, (\d+) runs/s", err)
        got = [float(x) for x in m.groups()]
        if best is None or got[1] < best[1]:
            best = got
    print(f"glovebox run -e 1 --repeat {REPEATS}, through the sealed worker\n"
          f"  mean {best[0]:.1f} us, p50 {best[1]:.1f} us, p99 {best[2]:.1f} us, {best[3]:.0f} runs/s")
    for name, value in zip(("mean_us", "p50_us", "p99_us", "runs_per_s"), best):
        figure(f"cli.repeat.{name}", value)


def once(command):
    began = time.monotonic()
    before = os.times()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return (time.monotonic() - began) * 1e3, cpu * 1e3


def processes(glovebox):
    ours, theirs = [], []
    for _ in range(PROCESSES):
        ours.append(once([glovebox, "run", "-e", "1"]))
        theirs.append(once(["node", "-e", "1"]))
    wall = [statistics.median(t[0] for t in side) for side in (ours, theirs)]
    cpu = [statistics.mean(t[1] for t in side) for side in (ours, theirs)]
    print(f"a whole process, median of {PROCESSES}, taking turns\n"
          f"  glovebox run -e 1  {wall[0]:6.1f} ms   (CPU {cpu[0]:.1f} ms)\n"
          f"  node -e 1          {wall[1]:6.1f} ms   (CPU {cpu[1]:.1f} ms)\n"
          f"  ratio {wall[1] / wall[0]:.1f}x")
    figure("cli.process.glovebox_ms", wall[0])
    figure("cli.process.node_ms", wall[1])
    figure("cli.process.ratio", wall[1] / wall[0])


def worker_of(pid):
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as f:
            for child in f.read().split():
                with open(f"/proc/{child}/comm") as comm:
                    if comm.read().startswith("glovebox-worker"):
                        return child
                inner = worker_of(child)
                if inner:
                    return inner
    return None


def worker_memory(glovebox):
    """PSS and private dirty of a sealed worker that is busy with small runs."""
    p = subprocess.Popen([glovebox, "run", "-q", "-e", "[1].concat(2)", "--repeat", "60000"],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seen = {}
    try:
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline and p.poll() is None:
            worker = worker_of(p.pid)
            if worker:
                with open(f"/proc/{worker}/smaps_rollup") as f:
                    for line in f:
                        field = line.split()
                        if field[0] in ("Pss:", "Private_Dirty:", "Rss:"):
                            seen[field[0]] = int(field[1])
            time.sleep(0.1)
    except OSError as e:
        print(f"  (a worker's memory cannot be read: {e})")
    finally:
        p.kill()
        p.wait()
    if seen:
        print(f"a sealed worker at work: PSS {seen['Pss:']} KB, "
              f"private dirty {seen['Private_Dirty:']} KB, RSS {seen['Rss:']} KB")
        figure("cli.worker.pss_kb", seen["Pss:"])
        figure("cli.worker.private_dirty_kb", seen["Private_Dirty:"])


def lateness(glovebox):
    """By the worker's own account of the run's wall time, through the CLI."""
    late = []
    for _ in range(LATE_RUNS):
        out = subprocess.run([glovebox, "run", "-e", "for(;;);", "--timeout", f"{LIMIT_MS}ms", "--json"],
                             capture_output=True, text=True, check=False).stdout
        m = re.search(r'"wall_ms":\s*([\d.]+)', out)
        if m:
            late.append(float(m.group(1)) - LIMIT_MS)
    if late:
        print(f"endless loop with --timeout {LIMIT_MS}ms: late by p50 {statistics.median(late):.2f} ms, "
              f"max {max(late):.2f} ms")
        figure("cli.lateness.p50_ms", statistics.median(late))
        figure("cli.lateness.max_ms", max(late))


def main():
    glovebox = sys.argv[1]
    repeat(glovebox)
    if shutil.which("node"):
        processes(glovebox)
    worker_memory(glovebox)
    lateness(glovebox)


main()
