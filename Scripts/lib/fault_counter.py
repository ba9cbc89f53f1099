"""How often each fault happened in a run, and which of them it must have had."""

import collections


class FaultCounter(collections.Counter):
    """`needed` has pairs `(seconds, names)`: without one of these faults, a run of that length or more proves nothing."""

    def __init__(self, needed=()):
        super().__init__({name: 0 for _, names in needed for name in names})  # one that did not happen is printed, too
        self.needed = needed

    def missing(self, seconds):
        for needed, names in self.needed:
            if seconds >= needed and not any(self[name] for name in names):
                yield f"nothing is proven: 0 {' and 0 '.join(names)} in {seconds:.0f} seconds"

    def __str__(self):
        return ", ".join(f"{count} {name}" for name, count in sorted(self.items()))
