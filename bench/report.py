#!/usr/bin/env python3
"""bench/report.py -- figures become results.json, and targets are judged.

  report.py FIGURES RESULTS.json
SPDX-License-Identifier: MIT
"""
import json
import os
import platform
import sys

# name | the figure | at most or at least | target | unit
TARGETS = [
    ("fresh run of a tiny program, p50",        "latency.tiny.array.p50_us",     "<=", 20,  "us"),
    ("unseen programs, mean",                   "latency.unseen.first.mean_us",  "<=", 50,  "us"),
    ("through the sealed worker, p50",          "cli.repeat.p50_us",             "<=", 120, "us"),
    ("runs a second through one worker",        "cli.repeat.runs_per_s",         ">=", 10000, "/s"),
    ("process start against node -e",           "cli.process.ratio",             ">=", 4,   "x"),
    ("compute against quickjs-wasi in node",    "compute.ratio.quickjs_wasi",    ">=", 2,   "x"),
    ("fresh run against isolated-vm's isolate", "peers.isolated_vm_new_isolate.ratio", ">=", 50, "x"),
    ("idle cell",                               "memory.idle_cell_kb",           "<=", 200, "KB"),
    ("idle session",                            "memory.session_kb",             "<=", 200, "KB"),
    ("kill lateness, worst program's p50",      "lateness.worst_p50_ms",         "<=", 5,   "ms"),
    ("node on demand, answer p50",              "guests.node20.demand.answer_p50_ms", "<=", 3.5, "ms"),
    ("python on demand, answer p50",            "guests.python.demand.answer_p50_ms", "<=", 3.5, "ms"),
    ("node from a spare, answer p50",           "guests.node20.spare.answer_p50_ms",  "<=", 1, "ms"),
    ("python from a spare, answer p50",         "guests.python.spare.answer_p50_ms",  "<=", 1, "ms"),
    ("axios and lodash, against a process",     "guests.axios_lodash.process_ratio", ">=", 15, "x"),
    ("pandas, against a process",               "guests.pandas.process_ratio",   ">=", 50,  "x"),
    ("live run of node, PSS",                   "guests.node20.live.pss_mb",     "<=", 6,   "MB"),
    ("live run of python, PSS",                 "guests.python.live.pss_mb",     "<=", 6,   "MB"),
    ("compute in a fork against plain node",    "guests.compute.ratio",          "<=", 1.05, "x"),
]


def machine():
    model = "unknown"
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"cpu": model, "cores": os.cpu_count(), "kernel": platform.release(),
            "load": os.getloadavg()[0]}


def judge(figures):
    print("\ntargets")
    judged = []
    for name, key, sign, target, unit in TARGETS:
        value = figures.get(key)
        met = None if value is None else value <= target if sign == "<=" else value >= target
        word = "not measured" if met is None else "met" if met else "MISSED"
        shown = "" if value is None else f"{value:.2f}" if target < 10 else f"{value:.1f}"
        print(f"  {name:42} {shown:>9} {sign} {target:<6} {unit:3} {word}")
        judged.append({"name": name, "figure": key, "sign": sign, "target": target,
                       "unit": unit, "value": value, "met": met})
    return judged


def main():
    figures = {}
    with open(sys.argv[1]) as f:
        for line in f:
            name, value = line.rsplit(" ", 1)
            figures[name] = float(value)
    results = {"machine": machine(), "targets": judge(figures), "figures": figures}
    with open(sys.argv[2], "w") as f:
        json.dump(results, f, indent=2)
        f.write("\n")
    print(f"\nall {len(figures)} figures: {sys.argv[2]}")


main()
