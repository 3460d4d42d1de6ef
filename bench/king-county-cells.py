"""King County's cells from the publishers' files alone: docs/lab/cells.md tells each step.

    python3 bench/king-county-cells.py <folder of the files> <series.json>

`series.json` is a list of answers of `GET /analytics/series` for the market or its ZIP codes.
"""

import collections
import csv
import datetime
import gzip
import json
import sys

folder, series_file = sys.argv[1:3]


def rows(name):
    with gzip.open(f"{folder}/{name}.csv.gz", "rt", encoding="utf-8-sig") as file:
        yield from csv.DictReader(file)


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


# 1. The files in the order in which they are loaded. Of rows with one key, the last stands.
Sale = collections.namedtuple("Sale", "home day price sqft source document")
zips, known = {}, set()
files = []
for source, name, read in (
    ("house-sales", "kc_house_sales", lambda r: (r["id"].zfill(10), r["date"][:8], r["price"], r["sqft_living"], None, r["zipcode"])),
    ("seattle-sales", "seattle_sales", lambda r: (r["pinx"].replace(".", "").zfill(10), r["sale_date"], r["sale_price"], r["tot_sf"], r["sale_id"], None)),
    ("earlier-sales", "earlier_sales", lambda r: (r["PropertyID"].zfill(10), r["DocumentDate"], r["SalePrice"], r["SqFtTotLiving"], None, r["ZipCode"])),
):
    sales = {}
    for row in rows(name):
        home, day, price, sqft, document, zip_code = read(row)
        # 2. A file without addresses or coordinates adds sales to homes that the others know, and no homes.
        if source == "earlier-sales" and home not in known:
            continue
        # 3. The area is that of the home on record: the first file that states it wins.
        if zip_code:
            zips.setdefault(home, zip_code)
        if not number(price):
            continue
        day = datetime.date.fromisoformat(day)
        sales[home, day, float(price)] = Sale(home, day, round(float(price)), number(sqft), source, document)
    known.update(sale.home for sale in sales.values())
    files.append(list(sales.values()))

# 4. One document and price for several parcels is no price of any of them.
parcels = collections.defaultdict(set)
for sale in files[1]:
    parcels[sale.document, sale.price].add(sale.home)
# 5. The same sale in two sources is kept as the first has it: same home, prices within a thousandth, three days at most.
kept = []
of_home = collections.defaultdict(list)
for sales in files:
    fresh = [
        sale
        for sale in sales
        if not any(
            abs(other.price - sale.price) <= max(other.price, sale.price) / 1000 and abs((other.day - sale.day).days) <= 3
            for other in of_home[sale.home]
        )
    ]
    for sale in fresh:
        of_home[sale.home].append(sale)
    kept += fresh
# 6. A price under the floor of a source without a review of its own is no market price.
FLOOR = 10_000
market = [sale for sale in kept if sale.price >= FLOOR and len(parcels[sale.document, sale.price]) < 2]


# 7. Quartiles are interpolated linearly; cells of fewer than five have none, nor has a ZIP code where too many of the
# sales around are in none; living area counts from 100 square feet.
def quantile(values, share):
    values = sorted(values)
    at = (len(values) - 1) * share
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def label(day, interval):
    return {"year": f"{day.year}", "quarter": f"{day.year}-Q{(day.month + 2) // 3}", "month": f"{day.year}-{day.month:02}"}[interval]


checked, different = collections.Counter(), []
for series in json.load(open(series_file)):
    area, interval = series["area"], series["interval"]
    cells = collections.defaultdict(list)
    for sale in market:
        if area["kind"] == "market" or zips.get(sale.home) == area["id"]:
            cells[label(sale.day, interval)].append(sale)
    for point in series["data"]:
        own = cells.pop(point["period"], [])
        prices = [sale.price for sale in own]
        per_sqft = [sale.price / sale.sqft for sale in own if sale.sqft and sale.sqft >= 100]
        ours = [len(own), len(per_sqft)]
        for values, digits in ((prices, 0), (per_sqft, 2)):
            shares = (0.25, 0.5, 0.75)
            told = len(values) >= 5 and not point["unplaced_share"]
            ours += [quantile(values, share) if told else None for share in shares]
        names = ["n", "n_with_sqft", "price_p25", "median_price", "price_p75"]
        names += ["price_per_sqft_p25", "median_price_per_sqft", "price_per_sqft_p75"]
        for name, mine in zip(names, ours):
            theirs = point[name]
            same = mine == theirs or (None not in (mine, theirs) and abs(mine - theirs) <= (0.51 if name.startswith(("price_p2", "price_p7", "median_price")) and "sqft" not in name else 0.0051))
            checked[area["id"], interval, same] += 1
            if not same:
                different.append(f"{area['id']} {point['period']} {name}: {theirs}, from the files {mine}")
    different += [f"{area['id']} {period}: {len(own)} sales in the files, no cell" for period, own in cells.items()]

for (area, interval, same), count in sorted(checked.items()):
    print(f"{area:16} {interval:8} {'equal' if same else 'different':10} {count:6}")
print("\n".join(different[:40]))
