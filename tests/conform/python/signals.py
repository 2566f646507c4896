"""tests/conform/python/signals.py -- signals and timers.  SPDX-License-Identifier: MIT"""
import os
import signal
import sys
import time

got = []
signal.signal(signal.SIGUSR1, lambda number, frame: got.append(signal.Signals(number).name))
os.kill(os.getpid(), signal.SIGUSR1)
print(got)


def on_alarm(number, frame):
    raise TimeoutError("alarm")


signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.02)
try:
    time.sleep(5)
except TimeoutError as error:
    print(error)
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.kill(os.getpid(), signal.SIGTERM)
print("still here", signal.getsignal(signal.SIGINT) is signal.default_int_handler)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
os.kill(os.getpid(), signal.SIGUSR2)
print(signal.sigpending(), signal.sigwait({signal.SIGUSR2}))
print(signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN)
pid = os.fork()
if pid == 0:
    os.kill(os.getpid(), signal.SIGKILL)
print(os.WTERMSIG(os.waitpid(pid, 0)[1]))
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(7))
os.kill(os.getpid(), signal.SIGTERM)
