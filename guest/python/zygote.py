"""guest/python/zygote.py -- a warmed interpreter that forks a run for each request.

  python3 -I -B /glovebox/zygote.py

  GLOVEBOX_PRELOAD   JSON list of modules to load as well
  GLOVEBOX_SITE      JSON list of further folders of packages
  GLOVEBOX_PACKAGES  one more

-I: nothing but the interpreter's own folders and these variables matters; -B: a
run leaves no __pycache__ among its files. Hashes of strings are seeded by the
kernel once for each zygote, so all its forks order their sets alike.

SPDX-License-Identifier: MIT
"""
import gc
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SPARE = 1    # FORK_SPARE of wire/guest.h

sys.path.insert(0, HERE)
import world     # noqa: E402
ours = world.take_environment()
import channel   # noqa: E402
import run       # noqa: E402
import warm      # noqa: E402
sys.path.remove(HERE)
world.hide(HERE)
world.add_packages(ours)
warm.load(json.loads(ours.get("GLOVEBOX_PRELOAD") or "[]"))
for _ in range(3):
    run.rehearse()
    run.rehearse(run.ASYNC_SAMPLE)
world.settle()
world.open_streams_ahead()
gc.collect()
gc.freeze()
channel.compact()

if channel.serve() & SPARE:
    run.rehearse_all()
run.main(streams_are_open=True)
