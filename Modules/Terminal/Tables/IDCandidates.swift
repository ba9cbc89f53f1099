import ArgumentParser
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
    /// The entities of a collection whose id begins with `part`, the likeliest first.
    public typealias Source = @Sendable (_ collection: String, _ part: String) -> [IDCandidate]

    private static let place = Mutex<Source>({ _, _ in [] })

    /// States where the parser of arguments finds them; once, at the start of the program. Default: nowhere.
    public static func find(with source: @escaping Source) { place.withLock { $0 = source } }

    static var source: Source { place.withLock { $0 } }

    /// The lines that the script of a shell reads. Of the three, bash shows no titles.
    static func lines(_ candidates: [IDCandidate], for shell: CompletionShell?) -> [String] {
        candidates.map { candidate in
            let title = DisplayWidth.cut(SafeText.oneLine(candidate.title), to: 60)
            guard !title.isEmpty else { return candidate.id }
            return switch shell?.rawValue {
            case "zsh": "\(candidate.id.replacing(":", with: "\\:")):\(title)"
            case "fish": "\(candidate.id)\t\(title)"
            default: candidate.id
            }
        }
    }
}

extension CompletionKind {
    /// The ids of stored entities, with their titles.
    static func ids(of collection: String) -> CompletionKind {
        let complete: @Sendable ([String], Int, String) -> [String] = { _, _, part in
            IDCandidates.lines(IDCandidates.source(collection, part), for: CompletionShell.requesting)
        }
        return .custom(complete)
    }
}
