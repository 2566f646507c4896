"""tests/conform/python/plot.py -- matplotlib, where installed.  SPDX-License-Identifier: MIT"""
import io
import sys
import warnings

warnings.simplefilter("error")
try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
except ImportError:
    print("skipped")
    sys.exit()
figure, axes = plt.subplots(1, 2, figsize=(4, 2))
axes[0].plot([1, 2, 3], [1, 4, 9], label="squares")
axes[0].legend()
axes[1].bar(["a", "b"], [3, 5])
axes[1].set_title("bars")
out = io.BytesIO()
figure.savefig(out, format="png", dpi=50)
print(out.getvalue()[:4], len(out.getvalue()) > 1000)
image = figure.canvas.tostring_argb() if hasattr(figure.canvas, "tostring_argb") else b""
svg = io.StringIO()
figure.savefig(svg, format="svg")
print(svg.getvalue()[:5], plt.get_fignums())
plt.close("all")
print(plt.get_fignums())
