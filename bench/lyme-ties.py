"""Which recorded mortgages of Lyme, New Hampshire belong to which parcel, read from the files alone.

    python3 bench/lyme-ties.py <folder of the files> <titles.json> [seed]

`titles.json` has our answers by parcel number, as `GET /properties/{id}/title` gives them. Sixty parcels are drawn
from those that docs/lab/title.md does not list: 45 with a deed in the registry and 15 without. No name is printed.
A mortgage is tied here by one of four kinds of evidence, the strongest first, and by nothing else:

  closing    it follows a deed of the parcel on the same day, with only papers of a closing in between, and shares a
             word of a name with the grantee, or the names are withheld and the same
  reference  a document names it, or it names one, and the other is of the parcel
  owner      its borrower, written the same, is a party of deeds of this parcel alone, and had title that day
  next       it is recorded right after a deed of the parcel on the same day, and both names are withheld: likely, and
             no file can say more
"""

import collections
import csv
import gzip
import json
import random
import re
import sys

folder, titles_file = sys.argv[1:3]
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 60
CLOSING = {"MORTGAGE", "CORRECTIVE MORTGAGE", "DISCHARGE", "ASSIGNMENT", "EASEMENT", "POWER OF ATTORNEY", "PARTIAL RELEASE", "VIEW DOCUMENT"}
EMPTY = {"ETA", "TR", "TRUST", "LLC", "L", "C", "THE", "OF", "AND", "REVOCABLE", "LIVING", "PRIVATE", "OWNER", "INC", "BANK"}
LISTED = set(re.findall(r"^- \*\*([\d-]+)\*\*", open("docs/lab/title.md").read(), re.M))


def rows(name):
    with gzip.open(f"{folder}/{name}.csv.gz", "rt", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def page_of(book, page):
    return f"{int(book)}/{int(page)}" if book.isdigit() and page.strip().isdigit() and int(page) > 0 else None


def words(text):
    masked = set(re.findall(r"PRIVATE OWNER \w+", text))
    return masked | {word for word in re.findall(r"[A-Z0-9]{2,}", re.sub(r"PRIVATE OWNER \w+", "", text)) if word not in EMPTY}


parcels = {}
for row in rows("parcels"):
    if row["SD_PID"].isdigit() and row["SD_Map"] and row["SD_Lot"]:
        unit = [row["SD_Unit"].zfill(4)] if row["SD_Unit"] else []
        sub = [row["SD_Subunit"]] if row["SD_Subunit"] else []
        parcels[row["SD_PID"]] = "-".join([row["SD_Map"].zfill(3), row["SD_Lot"].zfill(4), *unit, *sub])

deeds_of = collections.defaultdict(set)
parcel_of_page = collections.defaultdict(set)
for row in rows("owner_history"):
    if row["OH_PID"] in parcels and row["OH_Sale_Date"][:10] not in ("1900-01-01", "1901-01-01"):
        page = page_of(row["OH_Book"], row["OH_Page"])
        if page and re.match(r"\d{4}-", row["OH_Sale_Date"]):
            parcel_of_page[page].add(parcels[row["OH_PID"]])
            deeds_of[parcels[row["OH_PID"]]].add(page)

documents = [row for row in rows("recorded_documents") if row["GC_ID"].isdigit() and page_of(row["GC_Book"], row["GC_Page"])]
for row in documents:
    row["page"] = page_of(row["GC_Book"], row["GC_Page"])
    row["refers"] = [
        page_of(*part.split("-")) if "-" in part else part
        for part in re.findall(r"\d+-\d+|\d+", row["GC_AssocDocs"])
    ]
by_number = {row["GC_ID"]: row for row in documents}
by_page = {row["page"]: row for row in documents}
is_mortgage = lambda row: row["GC_Type"].endswith("MORTGAGE")

# Closings: back from each mortgage to the deed that it follows.
tied = collections.defaultdict(dict)
for row in documents:
    if not is_mortgage(row):
        continue
    number = int(row["GC_ID"])
    for back in range(1, 9):
        before = by_number.get(str(number - back))
        if before is None or before["GC_Date"] != row["GC_Date"]:
            break
        if before["GC_Type"].endswith("DEED"):
            if words(before["GC_Party2"]) & words(row["GC_Party1"]):
                for parcel in parcel_of_page[before["page"]]:
                    tied[row["page"]][parcel] = "closing"
            elif back == 1 and all("PRIVATE OWNER" in name for name in (before["GC_Party2"], row["GC_Party1"])):
                for parcel in parcel_of_page[before["page"]]:
                    tied[row["page"]][parcel] = "next"
            break
        if before["GC_Type"] not in CLOSING:
            break
# Owners: the days on which each party took and gave away title, by parcel.
taken, given = collections.defaultdict(dict), collections.defaultdict(dict)
elsewhere = set()
for row in documents:
    if row["GC_Type"].endswith("DEED"):
        for side, days in (("GC_Party2", taken), ("GC_Party1", given)):
            for parcel in parcel_of_page[row["page"]]:
                days[row[side]][parcel] = row["GC_Date"]
            if not parcel_of_page[row["page"]]:
                elsewhere.add(row[side])
for row in documents:
    name = row["GC_Party1"]
    held = set(taken[name]) | set(given[name])
    if is_mortgage(row) and name and len(held) == 1 and name not in elsewhere and not tied[row["page"]]:
        [parcel] = held
        if taken[name].get(parcel, "0") <= row["GC_Date"] <= given[name].get(parcel, "9"):
            tied[row["page"]][parcel] = "owner"
# References, until nothing is added: what names a document of a parcel is about it, and the other way around.
of = {page: set(found) for page, found in parcel_of_page.items()}
for page, found in tied.items():
    of.setdefault(page, set()).update(found)
for _ in range(4):
    for row in documents:
        for name in row["refers"]:
            other = by_number.get(name) or by_page.get(name)
            if other is None or row["GC_Type"] == "TAX LIEN" or other["GC_Type"] == "TAX LIEN":
                continue
            if is_mortgage(row) and other["GC_Type"].endswith("DEED") and row["GC_Date"] != other["GC_Date"]:
                continue
            both = of.get(row["page"], set()) | of.get(other["page"], set())
            if both:
                of[row["page"]], of[other["page"]] = set(both), set(both)
mortgages_of = collections.defaultdict(set)
for row in documents:
    if is_mortgage(row):
        for parcel in of.get(row["page"], ()):
            mortgages_of[parcel].add(row["page"])

discharged = collections.defaultdict(set)
for row in documents:
    if row["GC_Type"] == "DISCHARGE":
        for name in row["refers"]:
            other = by_number.get(name) or by_page.get(name)
            if other is not None:
                discharged[other["page"]].add(row["page"])
        for other in documents:
            if is_mortgage(other) and row["GC_ID"] in other["refers"]:
                discharged[other["page"]].add(row["page"])

titles = json.load(open(titles_file))
registry = {parcel for page, found in parcel_of_page.items() for parcel in found if page in by_page}
rng = random.Random(seed)
draw = lambda group, n: rng.sample(sorted(group), n)
known = set(titles) - LISTED
sample = draw(registry & known, 45) + draw(known - registry, 15)

counts = collections.Counter()
misses = []
for parcel in sorted(sample):
    title = titles[parcel]
    ours = {f"{int(m['book'])}/{int(m['page'])}": m for m in title["mortgages"]}
    truth = mortgages_of[parcel]
    for page in sorted(truth | set(ours)):
        row = by_page.get(page)
        where = f"{parcel}: {page} ({row['GC_Type'].lower()} {row['GC_ID']})"
        if page in truth and page in ours:
            counts[f"tied by both, {tied[page].get(parcel, 'reference')}"] += 1
            released = page in discharged
            same = (ours[page]["status"] == "released") == released
            counts["status agrees" if same else "status differs"] += 1
            if not same:
                misses.append(f"{where}: {ours[page]['status']}, the files have {sorted(discharged[page])}")
        elif page in truth:
            counts[f"missed, {tied[page].get(parcel, 'reference')}"] += 1
            misses.append(f"{where}: not tied, by the files {tied[page].get(parcel, 'reference')}")
        else:
            counts["ours alone"] += 1
            misses.append(f"{where}: tied by {ours[page]['matched_by']}, nothing in the files says so")
    deeds = {f"{int(d['book'])}/{int(d['page'])}" for d in title["chain"] if (d["book"] or "").isdigit() and d["page"]}
    counts["deeds by both"] += len(deeds & deeds_of[parcel])
    counts["deeds missed"] += len(deeds_of[parcel] - deeds)
    counts["deeds ours alone"] += len(deeds - deeds_of[parcel])
    for code in {flag["code"] for flag in title["flags"]}:
        counts[f"parcels flagged {code}"] += 1
    counts["flags"] += len(title["flags"])
    # A release without its mortgage is right where the files do not have the mortgage.
    for flag in title["flags"]:
        if flag["code"] == "release_without_mortgage":
            release = next((u for u in title["unmatched"] if u["transaction_id"] == flag["transaction_id"]), None)
            if release is None:
                continue
            page = f"{int(release['book'])}/{int(release['page'])}"
            if page not in by_page:
                continue
            names = [by_number.get(name) or by_page.get(name) for name in by_page[page]["refers"]]
            right = not any(other is not None and is_mortgage(other) for other in names)
            counts["unmatched release right" if right else "unmatched release wrong"] += 1
            if not right:
                misses.append(f"{parcel}: {page} flagged release_without_mortgage, and its mortgage is in the files")

print(f"{len(sample)} parcels, {sum(map(is_mortgage, documents))} mortgages recorded")
for name, count in sorted(counts.items()):
    print(f"{count:6} {name}")
print("\n".join(misses))
