public import ArgumentParser
import StrataConcurrency
import StrataDomain

/// An id that a shell may complete, and what its entity is called.
public struct IDCandidate: Sendable, Hashable {
    /// The whole id.
    public var id: String
    /// What a shell shows beside it.
    public var title: String

    /// An id with a title.
    public init(id: String, title: String) { (self.id, self.title) = (id, title) }
}

/// The ids that a shell offers.
public enum IDCandidates {
    /// What a shell offers the ids of.
    public enum Subject: Sendable, Hashable {
        /// The stored entities of a collection.
        case entities(of: String)
        /// The unsent writes, the open conflicts, the names of the settings, those of the profiles in the settings file.
        case outbox, conflicts, settings, profiles
    }

    /// Those whose id begins with `part`, the likeliest first.
    public typealias Source = @Sendable (_ subject: Subject, _ part: String) -> [IDCandidate]

    private static let place = Mutex<Source>({ _, _ in [] })

    /// States where the parser of arguments finds them; once, at the start of the program. Default: nowhere.
    public static func find(with source: @escaping Source) { place.withLock { $0 = source } }

    static var source: Source { place.withLock { $0 } }

    /// The lines that the script of a shell reads.
    static func lines(_ candidates: [IDCandidate], for shell: CompletionShell?) -> [String] {
        candidates.map { candidate in
            let title = DisplayWidth.cut(SafeText.oneLine(candidate.title), to: 60)
            guard !title.isEmpty else { return candidate.id }
            return switch shell?.rawValue {
            case "zsh": "\(candidate.id.replacing(":", with: "\\:")):\(title)"
            case "fish": "\(candidate.id)\t\(title)"
            case "bash" where candidates.count > 1: candidate.id + bash(title)
            default: candidate.id
            }
        }
    }

    /// A title for bash, which inserts what it shows: only where several candidates are listed, so that no title is inserted.
    ///
    /// The script expands each line (`compgen -W`). The subscript is 0, an element that is there, except in completion by a menu, whose
    /// types 37 and 42 insert candidates. What follows a slash would be taken for the name of a file and shown alone.
    private static func bash(_ title: String) -> String {
        let text = title.replacing("'", with: #"'\''"#).replacing("/", with: "\u{2215}")
        return "${BASH_VERSINFO[COMP_TYPE==37||COMP_TYPE==42?9:0]:+'  -- \(text)'}"
    }
}

extension CompletionKind {
    /// The ids of stored entities, with their titles.
    public static func ids(of collection: String) -> CompletionKind { candidates(.entities(of: collection)) }

    static func candidates(_ subject: IDCandidates.Subject) -> CompletionKind {
        let complete: @Sendable ([String], Int, String) -> [String] = { _, _, part in
            IDCandidates.lines(IDCandidates.source(subject, part), for: CompletionShell.requesting)
        }
        return .custom(complete)
    }
}
