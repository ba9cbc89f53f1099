"""Breaks and harmless changes, planted in a small API; `check_api.py --self-test` runs them."""

import sys

from check_api import ADDITION, BREAK, compare, is_enough
from symbol_graph import Entry

SAMPLE = """\
Client\tprotocol Client\t: Sendable
Client.context\tvar context: String { get }\tdefault; requirement
Client.send(_:to:)\tfunc send(_: String, to: Int) async throws(Failure) -> String\trequirement
Client.send(all:)\tfunc send(all: [String]) async throws(Failure)
Client.Answer\tassociatedtype Answer : Sendable\trequirement
Failure\tstruct Failure\t: Equatable, Error, Hashable, Sendable
Failure.Kind\tenum Kind\t: CaseIterable, Equatable, Hashable, Sendable
Failure.Kind.busy(seconds:)\tcase busy(seconds: Int)
Failure.Kind.lost\tcase lost
Failure.init(_:text:)\tinit(_: Failure.Kind, text: String = "none, (of) it")
Failure.kind\tlet kind: Failure.Kind
Failure.text\tvar text: String
Level\t@nonexhaustive enum Level\t: Equatable, Hashable
Level.low\tcase low
Pool\tfinal class Pool\t: Sendable
Pool.close()\tfunc close() async throws\tsince macOS 15.0
Pool.run(_:)\tfunc run<T>(_: (Int) throws -> T) rethrows -> T where T : Sendable
Pool.size\tvar size: Int { get }
Pool.subscript(_:)\tsubscript(_: Int) -> String { get }
"""

# What is done to a line of the sample ("old" to "new"), the verdict, and a part of its sentence.
PLANTED = [
    # Breaks
    ("a function is removed", "Client.send(all:)\tfunc send(all: [String]) async throws(Failure)\n", "", BREAK, "is gone"),
    ("a type is removed", "Pool\tfinal class Pool\t: Sendable\n", "", BREAK, "'Pool' is gone"),
    ("a type of a parameter changes", "send(all: [String])", "send(all: Set<String>)", BREAK, "was 'func send(all: [String])"),
    ("a result changes", "to: Int) async throws(Failure) -> String", "to: Int) async throws(Failure) -> String?", BREAK, "-> String?'"),
    ("a label is renamed", "Client.send(all:)\tfunc send(all:", "Client.send(every:)\tfunc send(every:", BREAK, "'Client.send(all:)' is gone"),
    ("a requirement without a default is added", "Failure\tstruct", "Client.stop()\tfunc stop()\trequirement\nFailure\tstruct", BREAK, "new requirement"),
    ("an associated type without a default is added", "Failure\tstruct", "Client.Other\tassociatedtype Other\trequirement\nFailure\tstruct", BREAK, "new requirement"),
    ("a default of a requirement is removed", "default; requirement", "requirement", BREAK, "no default any more"),
    ("a requirement changes", "to: Int) async throws(Failure) -> String", "to: Int) async -> String", BREAK, "was 'func send"),
    ("a requirement becomes settable", "var context: String { get }", "var context: String { get set }", BREAK, "was 'var context"),
    ("an extension's function becomes a requirement", "func send(all: [String]) async throws(Failure)", "func send(all: [String]) async throws(Failure)\trequirement", BREAK, "now a requirement"),
    ("a conformance is removed", "Equatable, Error, Hashable", "Equatable, Error", BREAK, "no longer conforms to 'Hashable'"),
    ("a protocol inherits another", "protocol Client\t: Sendable", "protocol Client\t: Hashable, Sendable", BREAK, "now inherits 'Hashable'"),
    ("availability is raised", "since macOS 15.0", "since macOS 26.0", BREAK, "since macOS 26.0"),
    ("a symbol becomes unavailable", "var size: Int { get }", "var size: Int { get }\tunavailable", BREAK, "is now unavailable"),
    ("a case is removed", "Failure.Kind.lost\tcase lost\n", "", BREAK, "'Failure.Kind.lost' is gone"),
    ("a case is added to a closed enum", "Failure.Kind.lost\tcase lost", "Failure.Kind.late\tcase late\nFailure.Kind.lost\tcase lost", BREAK, "is a new case"),
    ("a value of a case changes", "case busy(seconds: Int)", "case busy(seconds: Double)", BREAK, "busy(seconds: Double)"),
    ("a default of a parameter is removed", 'text: String = "none, (of) it")', "text: String)", BREAK, "was 'init"),
    ("a parameter with a default is added", 'Failure.init(_:text:)\tinit(_: Failure.Kind, text: String = "none, (of) it")',
     'Failure.init(_:text:code:)\tinit(_: Failure.Kind, text: String = "none, (of) it", code: Int = 0)', BREAK, "'Failure.init(_:text:)' is gone"),
    ("a property can no longer be set", "var text: String", "var text: String { get }", BREAK, "was 'var text"),
    ("an error gets a type", "func close() async throws", "func close() async throws(Failure)", ADDITION, "serves the same calls"),
    ("a property throws", "var size: Int { get }", "var size: Int { get throws }", BREAK, "was 'var size"),
    ("a class becomes a struct", "final class Pool", "struct Pool", BREAK, "was 'final class Pool'"),
    ("a function waits", "func send(all: [String]) async throws(Failure)", "func send(all: [String]) async throws(Failure) -> Int", BREAK, "was 'func send"),
    ("another constraint", "where T : Sendable", "where T : Hashable, T : Sendable", BREAK, "was 'func run"),
    ("a static function", "func close() async", "static func close() async", BREAK, "was 'func close"),
    # Harmless
    ("nothing changes", "Pool.size", "Pool.size", None, ""),
    ("a function is added", "Pool.size", "Pool.drain()\tfunc drain()\nPool.size", ADDITION, "'Pool.drain()' is new"),
    ("an overload is added", "Pool.size", "Pool.close()\tfunc close(_: Int)\nPool.size", ADDITION, "'Pool.close()' is new"),
    ("a type is added", "Pool\tfinal", "Gate\tprotocol Gate\nGate.open()\tfunc open()\trequirement\nPool\tfinal", ADDITION, "'Gate' is new"),
    ("an enum with cases is added", "Pool\tfinal", "Tone\tenum Tone\nTone.a\tcase a\nPool\tfinal", ADDITION, "'Tone.a' is new"),
    ("a requirement with a default is added", "Failure\tstruct", "Client.stop()\tfunc stop()\tdefault; requirement\nFailure\tstruct", ADDITION, "'Client.stop()' is new"),
    ("a requirement gets a default", "-> String\trequirement", "-> String\tdefault; requirement", ADDITION, "serves the same calls"),
    ("a conformance is added", "CaseIterable, Equatable", "CaseIterable, Codable, Equatable", ADDITION, "now conforms to 'Codable'"),
    ("a parameter gets a default", "init(_: Failure.Kind, text", "init(_: Failure.Kind = .lost, text", ADDITION, "serves the same calls"),
    ("a default gets another value", '"none, (of) it"', '"no ) reason"', None, ""),
    ("a constant can be set", "let kind: Failure.Kind", "var kind: Failure.Kind", ADDITION, "serves the same calls"),
    ("a constant is computed", "let kind: Failure.Kind", "var kind: Failure.Kind { get }", ADDITION, "serves the same calls"),
    ("a value can be set", "var size: Int { get }", "var size: Int { get set }", ADDITION, "serves the same calls"),
    ("a function no longer throws", "func send(all: [String]) async throws(Failure)", "func send(all: [String]) async", ADDITION, "serves the same calls"),
    ("a function no longer waits", "func close() async throws", "func close() throws", ADDITION, "serves the same calls"),
    ("a symbol is deprecated", "var size: Int { get }", "var size: Int { get }\tdeprecated", ADDITION, "serves the same calls"),
    ("availability is lowered", "since macOS 15.0", "since macOS 14.0", ADDITION, "serves the same calls"),
    ("a case is added to an open enum", "Level.low\tcase low", "Level.high\tcase high\nLevel.low\tcase low", ADDITION, "'Level.high' is new"),
]

# Version, the one before, and whether a break and an addition are allowed.
NUMBERS = [
    ("1.0.1", "1.0.0", False, False), ("1.1.0", "1.0.0", False, True), ("2.0.0", "1.9.9", True, True),
    ("1.1.0-beta.1", "1.0.0", False, True), ("2.0.0-beta.1", "1.9.0", True, True), ("1.0.0", "1.0.0-beta.1", True, True),
    ("1.0.0-beta.2", "1.0.0-beta.1", True, True), ("0.2.0", "0.1.0", True, True), ("1.0.0", "1.0.0", False, False),
]


def entries(text):
    return [Entry.parsed(line) for line in text.splitlines()]


def run():
    for text, old, new, verdict, words in PLANTED:
        if SAMPLE.count(old) < 1:
            sys.exit(f"'{text}' does not fit the sample.")
        found = compare(entries(SAMPLE), entries(SAMPLE.replace(old, new, 1)))
        levels = {level for level, _ in found}
        worst = BREAK if BREAK in levels else ADDITION if levels else None
        if worst != verdict or not any(words in sentence for _, sentence in found or [(None, "")]):
            sys.exit(f"After '{text}' the changes are {found}; expected: {verdict}, '{words}'.")
    for version, base, a_break, an_addition in NUMBERS:
        if (is_enough(version, base, BREAK), is_enough(version, base, ADDITION)) != (a_break, an_addition):
            sys.exit(f"The number {version} after {base} is judged wrongly.")
    if [entry.text for entry in entries(SAMPLE)] != SAMPLE.splitlines():
        sys.exit("A line of Docs/API is not read as it is written.")
    breaks = sum(verdict == BREAK for *_, verdict, _ in PLANTED)
    print(f"{breaks} planted breaks and {len(PLANTED) - breaks} harmless changes are judged correctly.")
    return 0
