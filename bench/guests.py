#!/usr/bin/env python3
"""bench/guests.py -- runs of node and python, sealed, against plain processes.

  guests.py GUESTS GLOVEBOX [PART...]    parts: latency heavy memory compute

GUESTS is the program of guests.c: it makes the runs and says when each step of
them was reached. The peers have their turn between them: the same program in a
process of its own, plain and in bubblewrap.
SPDX-License-Identifier: MIT
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.environ.get("GB_BENCH_OUT", "build/bench")
PACKAGES = os.path.abspath(os.path.join(HERE, "../tests/packages/node_modules"))
PYTHON = "/usr/bin/python3"
STEPS = ("asked", "forked", "sealed", "sent", "answered", "inside", "exited", "done")

WARM_UP, TURNS, EACH, RESTED, SPARES = 20, 20, 15, 30, 100
AT_ONCE = {8: 400, 50: 400}
AGE_S = 12     # V8 has ideas of its own about a heap that has been left alone
LIVE, SLEEP_S = 10, 4
COPIES = 30    # of lodash, about 50 MB of heap
COMPUTE_TURNS = 3

TINY = {"node": "[4, 5, 6].map((x) => x * 10).join()",
        "python": "','.join(str(x * 10) for x in [4, 5, 6])"}
SLEEP = {"node": f"await new Promise((r) => setTimeout(r, {SLEEP_S}000))",
         "python": f"import time\ntime.sleep({SLEEP_S})"}
IMPORTS = """import axios from 'axios';
import _ from 'lodash';
export default _.chunk(['a', 'b', 'c', 'd'], 2).length + typeof axios.get;
"""
TABLES = {
    "pandas": "import pandas\nint(pandas.Series([1, 2, 3]).sum())\n",
    "groupby": "import pandas\npandas.DataFrame({'k': ['a', 'b', 'a'], 'v': [1, 2, 3]}).groupby('k').sum().to_dict()\n",
}


def figure(name, value):
    path = os.environ.get("GB_BENCH_FIGURES")
    if path:
        with open(path, "a") as f:
            f.write(f"guests.{name} {value:.6g}\n")


def part(values, percent):
    return sorted(values)[(len(values) - 1) * percent // 100]


def written(path, text):
    path = os.path.abspath(os.path.join(OUT, path))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    return path


# ---- who takes part -----------------------------------------------------------

def runtimes(glovebox):
    """(name, engine, program, flags): every Node.js of the tests, and Python."""
    found = [("node20", "node", os.path.realpath(os.path.join(os.path.dirname(glovebox), "node")))]
    found += [(f"node{v}", "node", f"{PACKAGES}/node{v}/bin/node") for v in (22, 24, 26)]
    found.append(("python", "python", PYTHON))
    return [(name, engine, program, ["--engine", engine, f"--{engine}", program])
            for name, engine, program in found if os.access(program, os.X_OK)]


class Guests:
    """guests.c, told what to do. None of its runs may fail, or be cold."""
    def __init__(self, program, *flags):
        self.process = subprocess.Popen([program, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        words = self.process.stdout.readline().split()
        self.start_ms = float(words[1]) / 1e3 if words else None
        self.began = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def begin(self, command, n):
        self.process.stdin.write(f"{command} {n}\n")
        self.process.stdin.flush()

    def end(self):
        """(a dict of times for each run, all together), in microseconds."""
        runs = []
        for line in self.process.stdout:
            words = line.split()
            if words[0] == "all":
                return runs, float(words[1])
            runs.append(dict(zip(STEPS, map(float, words))))
        raise RuntimeError("a run failed")

    def runs(self, command, n):
        self.begin(command, n)
        return self.end()


def spawn(command):
    """Milliseconds of a process from its start to its end."""
    null = os.open(os.devnull, os.O_RDWR)
    quiet = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1)]
    began = time.monotonic()
    pid = os.posix_spawn(command[0], command, {"PATH": os.environ["PATH"]}, file_actions=quiet)
    status = os.waitpid(pid, 0)[1]
    took = (time.monotonic() - began) * 1e3
    os.close(null)
    if status != 0:
        raise RuntimeError(f"{' '.join(command)}: status {status}")
    return took


def bubblewrap(program, more=()):
    """The usual way to have it: all namespaces, the system read-only."""
    bwrap = shutil.which("bwrap")
    if not bwrap:
        return None
    links = [word for name in ("bin", "lib", "lib64") for word in ("--symlink", f"usr/{name}", f"/{name}")]
    shown = [word for path in {program, *more} if not path.startswith("/usr/")
             for word in ("--ro-bind", path, path)]
    command = [bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/usr", "/usr", *links,
               "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/workspace", *shown,
               "--chdir", "/workspace"]
    try:
        spawn([*command, "/bin/true"])
    except (OSError, RuntimeError):
        print("  (bubblewrap does not work here)")
        return None
    return command


# ---- latency ------------------------------------------------------------------

def take_turns(guests, peers):
    """Runs on demand and peers, so that a busy moment hits them all."""
    guests.runs("run", WARM_UP)
    runs, spent, took = [], 0, {name: [] for name in peers}
    for _ in range(TURNS):
        some, all_us = guests.runs("run", EACH)
        runs += some
        spent += all_us
        for name, command in peers.items():
            took[name].append(spawn(command))
    return runs, len(runs) / spent * 1e6, {name: statistics.median(t) for name, t in took.items()}


def say_steps(runs):
    def median(step, since):
        return statistics.median(r[step] - (r[since] if since else 0) for r in runs)
    steps = [("prepare", "asked", None), ("fork", "forked", "asked"), ("seal", "sealed", "forked"),
             ("files", "sent", "sealed"), ("program", "answered", "sent"), ("exit", "exited", "answered"),
             ("clean", "done", "exited")]
    print("    where: " + ", ".join(f"{name} {median(step, since):.0f}" for name, step, since in steps) + " us")
    return {name: median(step, since) for name, step, since in steps}


def say_runs(name, kind, runs, per_second=None):
    """demand: one after the other; rested: after a pause; aged: of a zygote that is
    older; spare: made ahead and parked."""
    for step, word in (("answered", "answer"), ("done", "done")):
        times = [r[step] / 1e3 for r in runs]
        figure(f"{name}.{kind}.{word}_p50_ms", part(times, 50))
        figure(f"{name}.{kind}.{word}_p99_ms", part(times, 99))
    rate = f", {per_second:.0f} runs/s" if per_second else ""
    print(f"  {name:9} {kind:7} answer p50 {part([r['answered'] for r in runs], 50) / 1e3:6.2f} ms, "
          f"p99 {part([r['answered'] for r in runs], 99) / 1e3:6.2f}; "
          f"done p50 {part([r['done'] for r in runs], 50) / 1e3:6.2f}, "
          f"p99 {part([r['done'] for r in runs], 99) / 1e3:6.2f}{rate}")


def say_peers(name, runs, peers):
    done = part([r["done"] for r in runs], 50) / 1e3
    for peer, ms in peers.items():
        print(f"    {peer:10} {ms:7.1f} ms: {ms / done:.1f}x as long")
        figure(f"{name}.{peer}_ms", ms)
        figure(f"{name}.{peer}_ratio", ms / done)


def on_demand(name, program, flags, peers):
    with Guests(program, *flags) as guests:
        if guests.start_ms is None:
            print(f"  {name:9} not measured")
            return
        runs, per_second, took = take_turns(guests, peers)
        rested, _ = guests.runs("rest", RESTED)
        time.sleep(max(0, guests.began + AGE_S - time.monotonic()))
        aged, _ = guests.runs("run", RESTED)
    figure(f"{name}.start_ms", guests.start_ms)
    figure(f"{name}.demand.runs_per_s", per_second)
    say_runs(name, "demand", runs, per_second)
    for step, us in say_steps(runs).items():
        figure(f"{name}.demand.{step}_us", us)
    say_runs(name, "rested", rested)
    say_runs(name, "aged", aged[1:])
    say_peers(name, runs, took)


def from_spare(name, program, flags):
    with Guests(program, "--spares", "1", *flags) as guests:
        if guests.start_ms is None:
            return
        guests.runs("pace", WARM_UP // 4)
        runs, _ = guests.runs("pace", SPARES)
    say_runs(name, "spare", [r for r in runs if not r["sealed"]] or runs)


def at_once(name, program, flags):
    for jobs, n in AT_ONCE.items():
        with Guests(program, "--jobs", str(jobs), *flags) as guests:
            if guests.start_ms is None:
                return
            guests.runs("run", jobs)
            _, all_us = guests.runs("run", n)
        print(f"    {jobs} at once: {n / all_us * 1e6:.0f} runs/s")
        figure(f"{name}.at_once_{jobs}.runs_per_s", n / all_us * 1e6)


def plain(engine, program):
    if engine == "node":
        return [program, "-e", f"console.log({TINY[engine]})"]
    return [program, "-c", f"print({TINY[engine]})"]


def latency(guests, glovebox):
    print("a fresh run of a tiny program: on demand, and from a spare that was parked")
    for name, engine, program, flags in runtimes(glovebox):
        flags = [*flags, "-e", TINY[engine]]
        peers = {"process": plain(engine, program)}
        jail = bubblewrap(program)
        if jail:
            peers["bubblewrap"] = [*jail, *plain(engine, program)]
        on_demand(name, guests, flags, peers)
        from_spare(name, guests, flags)
        at_once(name, guests, flags)


# ---- packages -----------------------------------------------------------------

def ballast():
    """A node_modules of many large packages: copies of lodash."""
    folder = os.path.join(OUT, "ballast/node_modules")
    for i in range(COPIES):
        os.makedirs(f"{folder}/copy{i}", exist_ok=True)
        shutil.copy(f"{PACKAGES}/lodash/lodash.js", f"{folder}/copy{i}/index.js")
    return folder


def heavy(guests, glovebox):
    print("with packages: imported anew by each process, preloaded for ours")
    node = runtimes(glovebox)[0]
    if os.path.isdir(f"{PACKAGES}/axios"):
        file = written("packages/main.mjs", IMPORTS)
        link = os.path.join(os.path.dirname(file), "node_modules")
        if not os.path.islink(link):
            os.symlink(PACKAGES, link)
        flags = [*node[3], "--packages", PACKAGES, file]
        on_demand("axios_lodash", guests, flags, {"process": [node[2], file]})
        from_spare("axios_lodash", guests, flags)
        on_demand("ballast", guests, [*node[3], "--packages", ballast(), "-e", TINY["node"]], {})
    if subprocess.run([PYTHON, "-c", "import pandas"], capture_output=True, check=False).returncode == 0:
        for name, program in TABLES.items():
            file = written(f"packages/{name}_table.py", program)
            flags = ["--engine", "python", "--python", PYTHON, "--preload", "pandas", file]
            on_demand(name, guests, flags, {"process": [PYTHON, file]})
            from_spare(name, guests, flags)


# ---- memory -------------------------------------------------------------------

def children(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as f:
            found += map(int, f.read().split())
    return found


def name_of(pid):
    with open(f"/proc/{pid}/comm") as f:
        return f.read().strip()


def usage(pid):
    with open(f"/proc/{pid}/smaps_rollup") as f:
        return {w[0]: int(w[1]) for w in (line.split() for line in f) if w[0].endswith(":")}


def live_runs(guests):
    """(zygote, runs) when all of them sleep; pid 1 of a run is none."""
    deadline = time.monotonic() + SLEEP_S - 1
    while time.monotonic() < deadline:
        time.sleep(0.5)
        for zygote in children(guests.process.pid):
            runs = [pid for pid in children(zygote) if name_of(pid) != "glovebox-init"]
            if len(runs) == LIVE and time.monotonic() > deadline - 1:
                return zygote, runs
    return None, []


def memory(guests, glovebox):
    print(f"{LIVE} live runs that sleep, KB")
    by_name = {name: (engine, flags) for name, engine, _, flags in runtimes(glovebox)}
    sets = [("node20", "node20", []), ("node24", "node24", []), ("python", "python", []),
            ("pandas", "python", ["--preload", "pandas"]), ("ballast", "node20", ["--packages", ballast()])]
    for name, runtime, more in sets:
        if runtime not in by_name:
            continue
        engine, flags = by_name[runtime]
        with Guests(guests, *flags, *more, "--jobs", str(LIVE), "-e", SLEEP[engine]) as many:
            if many.start_ms is None:
                continue
            many.begin("run", LIVE)
            try:
                zygote, runs = live_runs(many)
                used = [usage(pid) for pid in runs]
                whole = usage(zygote) if zygote else None
            except OSError as e:
                print(f"  {name:9} not measured: {e}")
                used = []
            many.end()
        if not used:
            continue
        pss, dirty = (statistics.mean(u[k] for u in used) for k in ("Pss:", "Private_Dirty:"))
        print(f"  {name:9} a run: PSS {pss:.0f}, private dirty {dirty:.0f}; zygote: RSS {whole['Rss:']}, "
              f"anonymous {whole['Anonymous:']}")
        figure(f"{name}.live.pss_mb", pss / 1024)
        figure(f"{name}.live.private_dirty_mb", dirty / 1024)
        figure(f"{name}.zygote.rss_mb", whole["Rss:"] / 1024)
        figure(f"{name}.zygote.anonymous_mb", whole["Anonymous:"] / 1024)


# ---- compute ------------------------------------------------------------------

DRIVER = """
;(function () {
    var best = Infinity, value;
    for (var i = -3; i < 7; i++) {
        var t = performance.now();
        for (var r = 0; r < rounds; r++) value = work();
        if (i >= 0) best = Math.min(best, performance.now() - t);
    }
    return [best, String(value)];
})()"""


def compute(_, glovebox):
    print("compute: ms by program in plain node and in a fork, least of several, taking turns")
    _, _, program, flags = runtimes(glovebox)[0]
    ratios = []
    for entry in sorted(os.listdir(f"{HERE}/compute")):
        with open(f"{HERE}/compute/{entry}") as f:
            source = f.read()
        inside = written(f"compute-guests/{entry}", source + DRIVER)
        outside = written(f"compute-plain/{entry}", f"console.log(JSON.stringify(require('vm').runInThisContext("
                          f"require('fs').readFileSync({json.dumps(inside)}, 'utf8'))))")
        ours = [glovebox, "run", "--plain", *flags, "--repeat", "2",    # one alone would be no fork
                "--memory", "1gb", "--timeout", "2m", "--cpu", "2m", inside]
        best = {}
        for _ in range(COMPUTE_TURNS):
            for name, command in (("plain", [program, outside]), ("fork", ours)):
                out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                ms, value = json.loads(out.replace("'", '"'))
                if best.setdefault("value", value) != value:
                    raise RuntimeError(f"{entry}: {name} computed {value}")
                best[name] = min(best.get(name, ms), ms)
        ratios.append(best["fork"] / best["plain"])
        print(f"  {entry:16} {best['plain']:8.1f} {best['fork']:8.1f}  {ratios[-1]:.3f}")
    mean = statistics.geometric_mean(ratios)
    print(f"  time in a fork / outside, geometric mean: {mean:.3f} (least {min(ratios):.3f}, most {max(ratios):.3f})")
    figure("compute.ratio", mean)
    figure("compute.ratio_most", max(ratios))


PARTS = {"latency": latency, "heavy": heavy, "memory": memory, "compute": compute}


def main():
    guests, glovebox, *parts = sys.argv[1:]
    os.environ["GLOVEBOX_LIBEXEC"] = os.path.dirname(os.path.abspath(glovebox))
    for name in parts or PARTS:
        PARTS[name](os.path.abspath(guests), os.path.abspath(glovebox))


main()
