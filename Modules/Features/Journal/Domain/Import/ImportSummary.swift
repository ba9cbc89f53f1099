/// What an import has done: so far while it runs, and at its end.
package struct ImportSummary: Sendable, Hashable, Codable {
    /// Failures of which the line is kept.
    package static let keptFailures = 50

    /// Lines that are stored durably.
    package var accepted = 0
    /// Lines that an earlier import had stored.
    package var alreadyKnown = 0
    /// Accepted lines that would be accepted again: they say no time, and came from a stream.
    package var repeatable = 0
    /// Lines that did not become an entry.
    package var failed = 0
    /// The first of these lines.
    package var failures: [LineFailure] = []

    package init() {}

    mutating func note(_ failure: LineFailure) {
        failed += 1
        if failures.count < Self.keptFailures { failures.append(failure) }
    }
}
