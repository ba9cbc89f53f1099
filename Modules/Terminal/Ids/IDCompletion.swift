public import StrataDomain

/// Finds the id that a person meant by a part of it, as tables show it.
public enum IDCompletion {
    /// The only id that ends or begins with `text`; `text` itself when it is a whole id, or no part of any.
    ///
    /// What is no part of any is left to the command, which knows how to say that it is unknown.
    ///
    /// - Parameter ids: Those that `text`, in small letters, may be a part of; more than these do no harm. Not asked for a
    ///   whole id.
    /// - Throws: `.validation` that names the candidates when there are several; what `ids` throws.
    public static func completed(
        _ text: String, among ids: (_ part: String) async throws -> [String]
    ) async throws -> String {
        let part = text.lowercased()
        guard ShortIDs.isPart(part) else { return text }
        let found = Set(try await ids(part))
        if found.contains(text) { return text }
        let candidates = found.filter { $0.hasSuffix(part) || $0.hasPrefix(part) }.sorted()
        guard candidates.count > 1 else { return candidates.first ?? text }
        let shown = candidates.prefix(Self.shown).joined(separator: ", ")
        let rest = candidates.count > Self.shown ? ", …" : ""
        throw DomainError.validation(
            "'\(text)' is part of several ids: \(shown)\(rest). Give more of the one you mean.")
    }

    private static let shown = 5
}

extension Identifier {
    /// `IDCompletion.completed` for an id of this type.
    public func completed(among ids: (_ part: String) async throws -> [Self]) async throws -> Self {
        Self(try await IDCompletion.completed(rawValue) { try await ids($0).map(\.rawValue) })
    }
}
