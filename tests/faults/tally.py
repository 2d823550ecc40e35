# SPDX-License-Identifier: MIT
"""Counts trials by fault and outcome, and prints the table."""
from collections import Counter, defaultdict


class Tally:
    def __init__(self):
        self.outcomes = defaultdict(Counter)
        self.slowest = defaultdict(float)
        self.wrong = 0

    def count(self, trial):
        name = trial.plan.fault.name
        self.outcomes[name]["WRONG" if trial.wrong else trial.outcome] += 1
        self.slowest[name] = max(self.slowest[name], trial.seconds)
        self.wrong += bool(trial.wrong)

    def show(self, options):
        """Print a Markdown table, which can be copied to the documentation."""
        columns = sorted({outcome for counter in self.outcomes.values() for outcome in counter})
        trials = sum(sum(counter.values()) for counter in self.outcomes.values())
        print(f"\n| fault | {' | '.join(columns)} | slowest end, s |")
        print(f"| --- |{' --- |' * (len(columns) + 1)}")
        for name, counter in sorted(self.outcomes.items()):
            print(f"| {name} | {' | '.join(str(counter[column] or '') for column in columns)} | {self.slowest[name]:.1f} |")
        total = sum(self.outcomes.values(), Counter())
        print(f"| all {trials} | {' | '.join(str(total[column]) for column in columns)} | {max(self.slowest.values()):.1f} |")
        print(f"\nseed {options.seed}, transport {options.transport}: {trials} trials, {self.wrong} wrong")
