"""Rows of the comparison and their text form."""
from statistics import median, quantiles

COLUMNS = (("measure", 62), ("ours", 7), ("reference", 14), ("ratio", 9), ("half of them", 13),
           ("goal", 10), ("", 6))


def number(value):
    if value is None:
        return "-"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


class Row:
    """One measure. A goal is a ratio to the reference (goal_ratio) or a number (goal)."""

    def __init__(self, measure, unit, ours, reference=None, whose="", ratio=None,
                 goal_ratio=None, goal=None, note=None, has_failed=False, spread=None):
        self.measure, self.unit, self.whose = measure, unit, whose
        self.ours, self.reference, self.note = ours, reference, note
        self.has_failed = has_failed  # a failure that the numbers do not show
        self.ratio = ratio
        if ratio is None and ours is not None and reference:
            self.ratio = ours / reference
        self.spread = spread  # spread of the ratio: the middle half of the rounds
        self.goal_ratio, self.goal = goal_ratio, goal

    def is_met(self):
        """Returns whether the goal is met; None: the row was not measured or has no goal."""
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
        spread = "" if self.spread is None else "{:.3g}-{:.3g}".format(*self.spread)
        return (f"{self.measure}, {self.unit}", number(self.ours), reference, ratio, spread, goal,
                met)

    def as_json(self):
        return {"measure": self.measure, "unit": self.unit, "ours": self.ours,
                "reference": self.reference, "whose": self.whose, "ratio": self.ratio,
                "spread": self.spread, "goal_ratio": self.goal_ratio, "goal": self.goal, "met": self.is_met(),
                "note": self.note}


def row_of_rounds(measure, unit, rounds, ours, whose, **goals):
    """Makes a row for each proxy from {name: [value of each round]}: its median, and the median of
    the ratios of each round, which bursts of other load disturb least."""
    ratios = [mine / theirs for mine, theirs in zip(rounds[ours], rounds[whose]) if theirs > 0]
    quarters = quantiles(ratios, n=4) if len(ratios) > 1 else [ratios[0]] * 3
    return Row(measure, unit, median(rounds[ours]), median(rounds[whose]), whose,
               ratio=median(ratios), spread=(quarters[0], quarters[2]), **goals)


def line(cells):
    text = ""
    for i, (cell, (_, width)) in enumerate(zip(cells, COLUMNS)):
        text += cell.ljust(width) if i in (0, 6) else cell.rjust(width) + "  "
    return text.rstrip()


def print_rows(rows):
    print(line([name for name, _ in COLUMNS]))
    for row in rows:
        print(line(row.cells()))
    for row in rows:
        if row.note:
            print(f"  {row.measure}: {row.note}")
