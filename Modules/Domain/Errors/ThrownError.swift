import FoundationEssentials

/// An error of the caller's own code. Dumping or mirroring it shows its type only.
struct ThrownError: Sendable {
    let error: any Error

    init(_ error: any Error) { self.error = error }

    /// What the error says of itself; `nil` when its type states no text.
    var statement: String? {
        let text =
            (error as? any LocalizedError)?.errorDescription ?? (error as? any CustomStringConvertible)?.description
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension ThrownError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "\(type(of: error))" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
