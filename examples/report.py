# A table in, a report out. Standard library only:
#   glovebox run examples/report.py --file sales.csv=examples/sales.csv --out report

import csv
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

totals = defaultdict(Decimal)
months = set()
skipped = []

with open("sales.csv", newline="", encoding="utf-8") as table:
    for row in csv.DictReader(table):
        months.add(row["month"])
        if row["amount"]:
            totals[row["region"]] += Decimal(row["amount"])
        else:
            skipped.append(f"{row['month']} {row['region']}")

lines = [f"# Sales, {min(months)} to {max(months)}", "", "| region | total |", "|---|---|"]
lines += [f"| {region} | {total:,.2f} |" for region, total in sorted(totals.items())]
lines += ["", f"Without an amount: {', '.join(skipped) or 'none'}"]
Path("report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")

print(f"report.md: {len(totals)} regions, {len(skipped)} rows skipped")
{"best": max(totals, key=totals.get), "total": float(sum(totals.values()))}
