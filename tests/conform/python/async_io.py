"""tests/conform/python/async_io.py -- asyncio.  SPDX-License-Identifier: MIT"""
import asyncio
import sys


async def worker(name, queue, done):
    while True:
        item = await queue.get()
        await asyncio.sleep(0)
        done.append(item * item)
        queue.task_done()


async def serve():
    async def echo(reader, writer):
        line = await reader.readline()
        writer.write(line.upper())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    answers = []
    for word in (b"one\n", b"two\n"):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(word)
        answers.append(await reader.read())
        writer.close()
    server.close()
    await server.wait_closed()
    return answers


async def main():
    queue, done = asyncio.Queue(), []
    tasks = [asyncio.create_task(worker(i, queue, done)) for i in range(3)]
    for i in range(10):
        queue.put_nowait(i)
    await queue.join()
    for task in tasks:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    print(sorted(done), [type(r).__name__ for r in results])
    print(await serve())
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError:
        print("timeout")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "print(input()[::-1])",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate(b"hello\n")
    print(out, process.returncode)
    loop = asyncio.get_running_loop()
    print(await loop.run_in_executor(None, sum, range(100)))
    lock, order = asyncio.Lock(), []

    async def locked(n):
        async with lock:
            order.append(n)
            await asyncio.sleep(0)
            order.append(n)
    await asyncio.gather(*(locked(n) for n in range(3)))
    print(order)

    async def numbers():
        for i in range(3):
            yield i
    print([i async for i in numbers()])


asyncio.run(main())
