#!/usr/bin/env python3
"""Scores a recourse binary on the labelled failures of this folder.

    score.py [--binary PATH] [--part development|held-out|all] [--file NAME ...] [--by FIELD] [--bare] [--wrong COUNT]

Prints one row per set: how many rows there are and which share of them gets the expected category, retry decision and
code; the last column counts the rows with the expected wait. FIELD is lang, provider, source, family, file, evidence or code. --bare withholds the provider's name. --wrong
prints rows with a wrong category; it refuses the held-out part, which only the score may read. --file takes the rows of
these files alone.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = {"development": ["development"], "held-out": ["held-out"], "all": ["development", "held-out"]}
INPUT = ("id", "provider", "family", "status", "headers", "body", "event", "transport", "phase", "replayable")


def rows_of(part, folder=HERE):
    for name in PARTS[part]:
        for path in sorted(Path(folder, name).glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                yield {**json.loads(line), "file": path.stem}


def reports_of(binary, cases):
    """Returns the reports of `explain --jsonl`, one per case, in order."""
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
    ran = subprocess.run(
        [binary, "explain", "--jsonl"], input=lines.encode(), stdout=subprocess.PIPE, env=environment, check=False
    )
    reports = [json.loads(line) for line in ran.stdout.splitlines()]
    if len(reports) != len(cases):
        sys.exit(f"score.py: {len(cases)} cases, {len(reports)} reports")
    return reports


def accepted(row, field):
    return {row["expect"][field], *row.get("also_accept", {}).get(field, [])}


class Tally:
    """The counts of one set of rows."""

    def __init__(self):
        self.rows = self.category = self.retry = self.code = self.fatal = self.waits = self.timed = 0

    def add(self, row, report):
        is_transient = {name == "transient" for name in accepted(row, "category")}
        self.rows += 1
        self.category += report.get("error_category") in accepted(row, "category")
        self.retry += report["retryable"] in is_transient
        self.code += report["error_code"] in accepted(row, "code")
        self.fatal += report["retryable"] and is_transient == {False}
        if "retry_after_ms" in row["expect"]:
            found = report.get("provider_metadata", {}).get("retry_after_ms")
            self.timed += 1
            self.waits += found == row["expect"]["retry_after_ms"]

    def cells(self):
        share = [f"{100 * part / self.rows:.1f}" for part in (self.category, self.retry, self.code)]
        waits = f"{self.waits} of {self.timed}" if self.timed else ""
        return [str(self.rows), *share, str(self.fatal), waits]


def table(name, sets):
    head = [name, "rows", "category %", "retry %", "code %", "retried although fatal", "waits"]
    lines = [head, ["---"] * len(head), *([key, *tally.cells()] for key, tally in sets)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def key_of(row, field):
    if field == "code":
        return row["expect"]["code"]
    if field == "source":
        return row["id"].split("/")[0]
    return str(row.get(field, "en" if field == "lang" else "none"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=HERE.parents[2] / "build/recourse")
    parser.add_argument("--part", choices=PARTS, default="all")
    parser.add_argument("--file", nargs="*", default=[])
    parser.add_argument("--by", default="lang")
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--wrong", type=int, default=0)
    args = parser.parse_args()
    if args.wrong and args.part != "development":
        parser.error("--wrong needs --part development")

    rows = [row for row in rows_of(args.part) if not args.file or row["file"] in args.file]
    hidden = {"provider"} if args.bare else set()
    cases = [{key: row[key] for key in INPUT if key in row and key not in hidden} for row in rows]
    reports = reports_of(args.binary, cases)
    sets, everything = defaultdict(Tally), Tally()
    for row, report in zip(rows, reports):
        sets[key_of(row, args.by)].add(row, report)
        everything.add(row, report)
        if args.wrong and report.get("error_category") not in accepted(row, "category"):
            args.wrong -= 1
            found = f"{report['error_code']} by {report['rule']}"
            print(f"{row['id']}: {row['expect']['code']}, found {found}: {row.get('body', '')[:200]!r}")
    print(table(args.by, [*sorted(sets.items()), ("all", everything)]), end="")


if __name__ == "__main__":
    main()
