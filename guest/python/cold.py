"""guest/python/cold.py -- one run in an ordinary interpreter, where no zygote can be.

  python3 -I -B /glovebox/cold.py

Started inside of a seal that stands already, with the channel where a fork has
it. Otherwise as zygote.py.

SPDX-License-Identifier: MIT
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

sys.path.insert(0, HERE)
import world     # noqa: E402
ours = world.take_environment()
import channel   # noqa: E402
import run       # noqa: E402
sys.path.remove(HERE)
world.hide(HERE)
world.add_packages(ours)
world.settle()
channel.attach()
run.main()
