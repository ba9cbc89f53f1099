"""The statements that a server sends for a request, as a script of pgbench.

They are taken from the log of PostgreSQL (`log_statement = all`) while the same request is sent some times, one after the other. The
connection whose statements name the request is the one that served it. Values that are the same in all samples stay as they
are. The others become variables of pgbench that differ in each transaction of each client:

    texts                   the sent text with another end
    integers up to 255      random ones: numbers of buckets
    times in milliseconds   the sent one, later by the number of the transaction
    integers that rise      larger than any that the server uses, rising: versions
    other integers          random ones in the range of the samples: hashes

pgbench sends one statement after the other and waits for each response. It does no HTTP, no JSON and no tokens.
"""

import collections
import os
import re
import time

SAMPLES = 8
ENTRY = re.compile(r"^\d{4}-\d\d-\d\d [\d:.]+ \S+ \[(\d+)\] (\w+):  (.*)$")
STATEMENT = re.compile(r"(?:execute [^:]*|statement): (.*)", re.DOTALL)
PARAMETER = re.compile(r"\$(\d+) = (NULL|'(?:[^']|'')*')")


def entries(text):
    """`[process, level, message]` of each entry; the lines of a message after the first begin with a tab."""
    found = []
    for line in text.split("\n"):
        begin = ENTRY.match(line)
        if begin:
            found.append([int(begin[1]), begin[2], begin[3]])
        elif found and line.startswith("\t"):
            found[-1][2] += "\n" + line[1:]
    return found


def statements(text, mark):
    """`(sql, {number: value})` of the connection that sent `mark` in a value, in order."""
    log = entries(text)
    owners = [process for process, level, message in log if mark in message]
    found = []
    for process, level, message in log:
        if not owners or process != owners[0]:
            continue
        sql = STATEMENT.fullmatch(message)
        if level == "LOG" and sql:
            found.append((sql[1].strip().rstrip(";"), {}))
        elif level == "DETAIL" and found and re.match("parameters: ", message, re.IGNORECASE):
            found[-1][1].update(
                (int(number), None if value == "NULL" else value[1:-1].replace("''", "'"))
                for number, value in PARAMETER.findall(message))
    return found


class Recorder:
    """Lets the server of a cluster log statements, for the time of a block."""

    def __init__(self, database):
        self.database = database
        self.log = os.path.join(os.path.dirname(database.folder), "postgres.log")

    def __enter__(self):
        self.set("ALTER SYSTEM SET log_statement = 'all'")
        return self

    def __exit__(self, *_):
        self.set("ALTER SYSTEM RESET log_statement")

    def set(self, sql):
        for line in (sql, "SELECT pg_reload_conf()"):
            self.database.run("psql", "-h", self.database.folder, "-U", "postgres", "-q", "-X", "-c", line)
        time.sleep(0.3)

    def sample(self, send):
        """The statements of one request. `send` sends it and returns a text that one of its statements has as a value."""
        begin = os.path.getsize(self.log)
        mark = send()
        # The server of a read sends its COMMIT behind the response.
        time.sleep(0.15)
        with open(self.log, encoding="utf-8", errors="replace") as file:
            file.seek(begin)
            return statements(file.read(), mark)


def usual(samples):
    """The samples with the most common sequence of statements."""
    counts = collections.Counter(tuple(sql for sql, _ in sample) for sample in samples if sample)
    if not counts:
        raise SystemExit("The log of PostgreSQL has no statement of the requests.")
    wanted, count = counts.most_common(1)[0]
    if count < 3:
        raise SystemExit(f"The server sends other statements each time: {[len(sample) for sample in samples]} of them.")
    return [sample for sample in samples if tuple(sql for sql, _ in sample) == wanted]


class Script:
    """A script of pgbench with its constants."""

    def __init__(self, samples, expressions=None):
        """- expressions: SQL in place of a value, by the values of all samples that it replaces."""
        self.samples = usual(samples)
        self.expressions = expressions or {}
        self.settings, self.head, self.names = {}, ["\\set i :i + 1"], {}
        self.head.append("\\set u 1000000000000000 + :run * 1000000000 + :i * 100 + :client_id")
        lines = []
        for place, (sql, values) in enumerate(self.samples[0]):
            if re.search(r"(?<!:):[A-Za-z_]", sql):
                raise SystemExit(f"pgbench would take a part of this statement for a variable: {sql}")
            columns = {number: tuple(sample[place][1].get(number) for sample in self.samples) for number in values}
            lines.append(re.sub(r"\$(\d+)", lambda match: self.value(columns[int(match[1])]), sql) + ";")
        self.text = "\n".join([*self.head, *lines]) + "\n"

    def value(self, column):
        if column not in self.names:
            self.names[column] = self.expressions.get(column) or self.variable(column, f"v{len(self.names)}")
        return self.names[column]

    def variable(self, column, name):
        first = column[-1]
        if None in column:
            if set(column) == {None}:
                return "NULL"
            first = next(value for value in column if value is not None)
            column = (first,)
        if len(set(column)) == 1:
            self.settings[name] = first
            return f":{name}"
        if all(re.fullmatch(r"-?\d{1,19}", value) for value in column):
            numbers = [int(value) for value in column]
            does_rise = numbers == sorted(set(numbers))
            if not does_rise and 0 <= min(numbers) and max(numbers) <= 255:
                text = "random(0, 255)"
            elif not does_rise:
                text = f"random({min(numbers)}, {max(numbers)})"
            elif 1_000_000_000_000 <= numbers[0] and numbers[-1] - numbers[0] < 3_600_000:
                text = f"{numbers[-1]} + :i"
            else:
                text = f"{numbers[-1]} + (:run + 1) * 10000000000000 + :i * 100 + :client_id"
            self.head.append(f"\\set {name} {text}")
            return f":{name}"
        self.settings[name] = first[:-16] if len(first) > 20 else first[:len(first) // 2]
        return f"(:{name}::text || :u::text)"

    def options(self, run):
        """The words that define the variables; each run needs another number."""
        values = {"i": 0, "run": run, **self.settings}
        return [word for name, value in values.items() for word in ("-D", f"{name}={value}")]

    def tell(self, title):
        print(f"{title}: {len(self.samples[0])} statements, from {len(self.samples)} samples")
        for sql, _ in self.samples[0]:
            print(f"    {' '.join(sql.split())[:140]}")
