"""tests/conform/python/numpy_pandas.py -- numpy and pandas, where installed.  SPDX-License-Identifier: MIT"""
import io
import sys

try:
    import numpy as np
    import pandas as pd
except ImportError:
    print("skipped")
    sys.exit()
a = np.arange(12).reshape(3, 4)
print(a.T @ a, a.sum(axis=0), a[a % 2 == 0])
u, s, v = np.linalg.svd(np.array([[2.0, 0], [0, 1]]))
print(s, np.linalg.inv([[1, 2], [3, 4.0]]).round(3).tolist())
np.random.seed(1)
print(np.random.rand(3), np.random.default_rng(5).integers(0, 10, 4))
print(np.fft.fft([1, 0, 0, 0]), np.dtype("f4"), np.array(["a", "bc"]))
frame = pd.read_csv(io.StringIO("city,year,n\nx,2025,1\ny,2025,2\nx,2026,5\n"))
print(frame.groupby("city")["n"].agg(["sum", "mean"]))
print(frame.pivot_table(index="city", columns="year", values="n", fill_value=0))
print(frame.describe().to_dict()["n"]["mean"], frame.merge(frame, on="city").shape)
print(frame.assign(t=pd.to_datetime(frame.year, format="%Y")).dtypes)
print(frame.sort_values("n", ascending=False).to_json(orient="records"))
print(pd.Series([1, None, 3]).fillna(0).rolling(2).mean())
