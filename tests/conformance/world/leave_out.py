#!/usr/bin/env python3
"""Scores the rows of a language or a provider without what the classifier knows about it.

    leave_out.py languages    each round removes the words of one language from spec/languages.txt, builds the program and
                              scores the rows of this language (development and held-out)
    leave_out.py providers    one round withholds the provider's name from all rows, so that the row of spec/providers.def
                              applies only if the classifier recognises the provider by itself

The first command changes spec/languages.txt and its generated files while it runs and restores them at its end, so it needs a
tree without uncommitted changes. `en` words and words that two languages share stay, because the other language lists them.
"""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from score import HERE, INPUT, Tally, reports_of, rows_of, table

ROOT = HERE.parents[2]
SPEC = ROOT / "spec/languages.txt"
BINARY = ROOT / "build/release/recourse"
LANGUAGES = ("de", "es", "fr", "it", "ja", "ko", "pt", "ru", "zh")


def scores(rows, hidden=()):
    cases = [{key: row[key] for key in INPUT if key in row and key not in hidden} for row in rows]
    return reports_of(BINARY, cases)


def tally_of(rows, hidden=()):
    tally = Tally()
    for row, report in zip(rows, scores(rows, hidden)):
        tally.add(row, report)
    return tally


def build():
    subprocess.run([ROOT / "build/release/gen_languages", ROOT], check=True)
    subprocess.run([ROOT / "tools/build.sh", "release", "--target", "recourse"], check=True, stdout=subprocess.DEVNULL)


def languages():
    if subprocess.run(["git", "-C", ROOT, "status", "--porcelain", "spec", "lib"], stdout=subprocess.PIPE, check=True).stdout:
        sys.exit("leave_out.py: spec/ or lib/ has uncommitted changes")
    text = SPEC.read_text(encoding="utf-8")
    rows = list(rows_of("all"))
    lines = []
    try:
        for language in LANGUAGES:
            SPEC.write_text(re.sub(rf"(?m)^  {language}: .*\n", "", text), encoding="utf-8")
            build()
            lines.append((language, tally_of([row for row in rows if row.get("lang") == language])))
    finally:
        SPEC.write_text(text, encoding="utf-8")
        build()
    print(table("left out", lines), end="")


def providers():
    rows = [row for row in rows_of("all") if "provider" in row]
    named, bare = defaultdict(Tally), defaultdict(Tally)
    for row, with_name, without in zip(rows, scores(rows), scores(rows, {"provider"})):
        for key in (row["provider"], "all"):
            named[key].add(row, with_name)
            bare[key].add(row, without)
    shown = [key for key in sorted(named) if key == "all" or named[key].cells() != bare[key].cells()]
    print(f"{len(named) - 1} providers; those whose score changes:\n")
    print(table("with the name", [(key, named[key]) for key in shown]))
    print(table("without", [(key, bare[key]) for key in shown]), end="")


if __name__ == "__main__":
    if sys.argv[1:] not in (["languages"], ["providers"]):
        sys.exit(__doc__)
    globals()[sys.argv[1]]()
