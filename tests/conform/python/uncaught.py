"""tests/conform/python/uncaught.py -- an uncaught error in an async function.  SPDX-License-Identifier: MIT"""
import asyncio


async def fail():
    await asyncio.sleep(0)
    raise RuntimeError("in a task")


async def main():
    task = asyncio.create_task(fail())
    print("started")
    await task


asyncio.run(main())
