import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataService

/// Jobs as the command line shows them.
enum JobText {
    /// One line a job, in columns.
    static func lines(_ jobs: [QueuedJob]) -> [String] {
        let rows = jobs.map { job in
            [
                job.state.rawValue, job.kind, "\(job.failures)/\(job.attempts)", RFC3339.string(from: job.enqueuedAt),
                RFC3339.string(from: job.dueAt), job.id,
            ] + (job.error.map { [String(oneLine($0).prefix(60))] } ?? [])
        }
        return TextColumns.lines(rows, minimumWidths: [7])
    }

    /// One line a value.
    static func details(_ job: QueuedJob) -> [String] {
        let values: [(String, String?)] = [
            ("id", job.id), ("kind", job.kind), ("key", job.key), ("state", job.state.rawValue),
            ("enqueued", RFC3339.string(from: job.enqueuedAt)), ("due", RFC3339.string(from: job.dueAt)),
            ("attempts", "\(job.attempts)"), ("failures", "\(job.failures)"), ("error", job.error),
            ("payload", job.payload),
        ]
        return TextColumns.lines(
            values.compactMap { name, value in value.map { [name, oneLine($0)] } }, minimumWidths: [8])
    }

    static func json(_ value: some Encodable) throws -> String {
        String(decoding: try WireJSON.encode(value), as: UTF8.self)
    }

    static func count(_ count: Int) -> String { count == 1 ? "1 job" : "\(count) jobs" }

    /// - Throws: `ValidationError` for another word.
    static func state(_ text: String) throws -> QueuedJob.State {
        guard let state = QueuedJob.State(rawValue: text) else {
            throw ValidationError("--state is arrived, behind, ready, running or failed; it is '\(text)'.")
        }
        return state
    }

    /// - Throws: `ValidationError` unless either one job or all are named.
    static func check(_ id: String?, all: Bool, kind: String?) throws {
        guard (id == nil) == all else { throw ValidationError("Name the id of a job, or --all.") }
        guard kind == nil || all else { throw ValidationError("--kind goes with --all.") }
    }

    /// Text of a job in one line, without characters that a terminal obeys.
    private static func oneLine(_ text: String) -> String {
        let isShown: (Unicode.Scalar) -> Bool = { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
            default: true
            }
        }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isShown($0) ? $0 : " " }))
    }
}
