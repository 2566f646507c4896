"""tests/conform/python/multi.py -- multiprocessing, forked and spawned.  SPDX-License-Identifier: MIT"""
import multiprocessing as mp
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import shared_memory


def square(x):
    return x * x


def put(queue, value):
    queue.put((value, os.getpid() != os.getppid(), mp.current_process().name))


def talk(connection):
    connection.send(connection.recv() + 1)
    connection.close()


def bump(counter):
    for _ in range(100):
        with counter.get_lock():
            counter.value += 1


def fill(name):
    block = shared_memory.SharedMemory(name=name)
    block.buf[:3] = b"abc"
    block.close()


def main():
    for method in ("fork", "spawn"):
        context = mp.get_context(method)
        with context.Pool(2) as pool:
            print(method, pool.map(square, range(6)), pool.apply(square, (9,)))
        queue = context.Queue()
        process = context.Process(target=put, args=(queue, "v"), name="P")
        process.start()
        print(queue.get())
        process.join()
        print(process.exitcode)
        here, there = context.Pipe()
        process = context.Process(target=talk, args=(there,))
        process.start()
        here.send(41)
        print(here.recv())
        process.join()
        counter = context.Value("i", 0)
        workers = [context.Process(target=bump, args=(counter,)) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        print(counter.value)
        process = context.Process(target=square, args=("x",))
    block = shared_memory.SharedMemory(create=True, size=16)
    process = mp.get_context("fork").Process(target=fill, args=(block.name,))
    process.start()
    process.join()
    print(bytes(block.buf[:3]))
    block.close()
    block.unlink()
    with ProcessPoolExecutor(2, mp_context=mp.get_context("fork")) as executor:
        print(list(executor.map(square, range(4))))


if __name__ == "__main__":
    main()
