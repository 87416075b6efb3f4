"""Rows of the comparison, and how people read them."""
from statistics import median

COLUMNS = (("measure", 66), ("ours", 7), ("reference", 15), ("ratio", 9), ("goal", 10), ("", 6))


def number(value):
    if value is None:
        return "-"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


class Row:
    """One measure. A goal is a ratio to the reference (goal_ratio) or a number (goal)."""

    def __init__(self, measure, unit, ours, reference=None, whose="", ratio=None,
                 goal_ratio=None, goal=None, note=None, has_failed=False):
        self.measure, self.unit, self.whose = measure, unit, whose
        self.ours, self.reference, self.note = ours, reference, note
        self.has_failed = has_failed  # whatever the numbers say
        self.ratio = ratio
        if ratio is None and ours is not None and reference:
            self.ratio = ours / reference
        self.goal_ratio, self.goal = goal_ratio, goal

    def is_met(self):
        """None: not measured, or nothing to be reached."""
        if self.has_failed:
            return False
        if self.goal_ratio is not None:
            return None if self.ratio is None else self.ratio <= self.goal_ratio
        if self.goal is not None:
            return None if self.ours is None else self.ours <= self.goal
        return None

    def cells(self):
        goal = ""
        if self.goal_ratio is not None:
            goal = f"<= {self.goal_ratio:.4g} x"
        elif self.goal is not None:
            goal = f"<= {number(self.goal)}"
        met = {True: "met", False: "MISSED", None: ""}[self.is_met()]
        if goal and not met:
            met = "-"
        reference = f"{number(self.reference)} {self.whose}" if self.whose else ""
        ratio = "" if self.ratio is None else f"{self.ratio:.3g} x"
        return (f"{self.measure}, {self.unit}", number(self.ours), reference, ratio, goal, met)

    def as_json(self):
        return {"measure": self.measure, "unit": self.unit, "ours": self.ours,
                "reference": self.reference, "whose": self.whose, "ratio": self.ratio,
                "goal_ratio": self.goal_ratio, "goal": self.goal, "met": self.is_met(),
                "note": self.note}


def row_of_rounds(measure, unit, rounds, ours, whose, **goals):
    """From {name: [value of each round]}: medians, and the median of each round's ratio, which
    another program's burst of work disturbs least."""
    both = list(zip(rounds[ours], rounds[whose]))
    return Row(measure, unit, median(rounds[ours]), median(rounds[whose]), whose,
               ratio=median(mine / theirs for mine, theirs in both if theirs > 0), **goals)


def line(cells):
    text = ""
    for i, (cell, (_, width)) in enumerate(zip(cells, COLUMNS)):
        text += cell.ljust(width) if i in (0, 5) else cell.rjust(width) + "  "
    return text.rstrip()


def print_rows(rows):
    print(line([name for name, _ in COLUMNS]))
    for row in rows:
        print(line(row.cells()))
    for row in rows:
        if row.note:
            print(f"  {row.measure}: {row.note}")
