"""tests/conform/python/threads.py -- threads and pools of them.  SPDX-License-Identifier: MIT"""
import atexit
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

lock, total = threading.Lock(), 0


def add(n):
    global total
    for _ in range(n):
        with lock:
            total += 1


threads = [threading.Thread(target=add, args=(1000,)) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(total, threading.current_thread().name, threading.main_thread() is threading.current_thread())

jobs, results = queue.Queue(), queue.Queue()


def consume():
    while True:
        item = jobs.get()
        if item is None:
            return
        results.put(item ** 2)


pool = [threading.Thread(target=consume) for _ in range(3)]
for thread in pool:
    thread.start()
for i in range(20):
    jobs.put(i)
for _ in pool:
    jobs.put(None)
for thread in pool:
    thread.join()
print(sorted(results.get() for _ in range(20)))
with ThreadPoolExecutor(4) as executor:
    print(list(executor.map(lambda x: x + 1, range(5))))
    futures = [executor.submit(pow, 2, n) for n in range(5)]
    print(sorted(f.result() for f in as_completed(futures)))
    try:
        executor.submit(lambda: 1 / 0).result()
    except ZeroDivisionError as error:
        print(error)

event, local = threading.Event(), threading.local()
local.x = 1
other = threading.Thread(target=lambda: (event.wait(), print(hasattr(local, "x"))))
other.start()
event.set()
other.join()
condition, ready = threading.Condition(), []
barrier = threading.Barrier(2)
partner = threading.Thread(target=barrier.wait)
partner.start()
barrier.wait()
partner.join()
timer = threading.Timer(0.01, lambda: ready.append("timer"))
timer.start()
timer.join()
print(ready, barrier.broken)


def late():
    time.sleep(0.05)
    print("a thread that outlives the main program is waited for")


atexit.register(print, "atexit comes after threads")
threading.Thread(target=late).start()
threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
print("end of main")
