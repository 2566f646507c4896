"""tests/conform/python/times.py -- dates, decimals, numbers.  SPDX-License-Identifier: MIT"""
import calendar
import math
import random
import statistics
import time
from datetime import date, datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal, getcontext
from fractions import Fraction

moment = datetime(2026, 2, 28, 23, 59, 59, 123456, tzinfo=timezone.utc)
print(moment.isoformat(), moment + timedelta(days=1, seconds=1), moment.timestamp())
print(moment.astimezone(timezone(timedelta(hours=-5))).strftime("%Y-%m-%d %H:%M:%S %z %A %j"))
print(datetime.strptime("01 Mar 2026", "%d %b %Y"), date(2024, 2, 29).isocalendar()[1])
print((date(2026, 1, 1) - date(2025, 1, 1)).days, calendar.monthrange(2024, 2))
print(time.gmtime(0)[:6], time.strftime("%H:%M", time.gmtime(3600)))
start = time.monotonic()
time.sleep(0.01)
print(time.monotonic() - start >= 0.01, time.time() > 1.6e9)
getcontext().prec = 30
print(Decimal(1) / Decimal(7), Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_UP))
print(Fraction(3, 4) + Fraction("0.1"), Fraction(math.pi).limit_denominator(100))
print(math.comb(10, 3), math.gcd(12, 18), math.isqrt(99), math.hypot(3, 4), math.fsum([0.1] * 10))
print(statistics.mean([1, 2, 3, 4]), statistics.median([3, 1, 2]), statistics.stdev([1, 2, 3]))
random.seed(42)
print(random.random(), random.randint(1, 100), random.sample(range(100), 3), random.gauss(0, 1))
print(float("inf") > 10 ** 400, -0.0, complex(1, 2) * 1j, 7 // -2, 7 % -2, 2 ** -1, int("ff", 16))
print(1e308 * 10, 5e-324, (0.1).as_integer_ratio(), float.fromhex("0x1.8p1"))
