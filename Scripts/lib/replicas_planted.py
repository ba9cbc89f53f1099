"""Plants an error in the order of changes in a copy of the sources and builds it. `Scripts/replicas order --planted` must find it.

    replicas_planted.py ROOT NAME       plants the error NAME and prints the path of the server
    replicas_planted.py ROOT --check    whether the errors still fit the code

    line        readers go up to the last version that is committed. An older transaction may commit below it
    sequence    versions number the transactions by a sequence. A transaction may take a smaller number than an older one, which
                readers below the oldest open transaction have passed

The copy and its build are in .build-planted, as those of `Scripts/soak --planted`.
"""

import pathlib
import sys

import soak_planted

ORDER = "Modules/Service/Core/Tables/ChangeOrder.swift"
LINE = '"((m.base + \\(writers.oldest)) * \\(raw: "\\(width)") - 1)"'
# name: [(file, right, wrong)]
ERRORS = {
    "line": [(ORDER, LINE, '"(SELECT COALESCE(MAX(version), 0) FROM sync_change)"')],
    # The number of a transaction is noted with its id: the rows of a change may have the id of a part of the transaction, which is newer.
    "sequence": [
        (ORDER, '"ALTER TABLE sync_meta ADD COLUMN base BIGINT NOT NULL DEFAULT 0"',
         '"ALTER TABLE sync_meta ADD COLUMN base BIGINT NOT NULL DEFAULT 0", '
         '"CREATE TABLE planted_order (number BIGSERIAL PRIMARY KEY, writer BIGINT NOT NULL)"'),
        (ORDER, '"SELECT base + \\(writers.transaction) AS number FROM sync_meta WHERE id = 1"',
         # The wait is part of the error: without it, few transactions begin between the start of another one and its number.
         '"INSERT INTO planted_order SELECT nextval(\'planted_order_number_seq\'), \\(writers.transaction) '
         'FROM pg_sleep(0.1 * random()) RETURNING number"'),
        (ORDER, LINE,
         '"((SELECT COALESCE(MAX(number), 0) FROM planted_order WHERE writer < \\(writers.oldest)) '
         '* \\(raw: "\\(width)") + \\(raw: "\\(width - 1)"))"'),
    ],
}


def main(root, name):
    if name not in (*ERRORS, "--check"):
        print(f"There is no error '{name}'; there are: {', '.join(ERRORS)}.", file=sys.stderr)
        return 64
    unfit = [
        f"{error}: '{right}' is not once in {path}" for error, edits in ERRORS.items() for path, right, _ in edits
        if not (root / path).is_file() or (root / path).read_text().count(right) != 1]
    if unfit or name == "--check":
        print("\n".join(unfit) or f"{len(ERRORS)} errors of the order can be planted", file=sys.stderr)
        return 1 if unfit else 0
    copy = root / ".build-planted"
    copy.mkdir(exist_ok=True)
    soak_planted.copy_sources(root, copy)
    for path, right, wrong in ERRORS[name]:
        (copy / path).write_text((copy / path).read_text().replace(right, wrong))
    programs = soak_planted.build(copy)
    if not programs:
        print(f"The copy does not build; its log is {copy}/build.log.", file=sys.stderr)
        return 1
    print(f"{programs}/shiftlog-server")
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2]))
