public import StrataDomain

/// Completes a part of an id, as tables show it.
public enum IDCompletion {
    /// The only id that ends or begins with `text`; `text` itself if it is a complete id, or a part of none.
    ///
    /// An unknown part is left to the command, which reports it.
    ///
    /// - Parameter ids: The candidates, in lower case; additional ids do no harm. Not called for a
    ///   complete id.
    /// - Throws: `.validation` that lists several matches, and for a part of fewer than four characters; errors of `ids`.
    public static func completed(
        _ text: String, among ids: (_ part: String) async throws -> [String]
    ) async throws -> String {
        let part = text.lowercased()
        let isTooShort = ShortIDs.isTooShort(part)
        guard isTooShort || ShortIDs.isPart(part) else { return text }
        let found = Set(try await ids(part))
        if found.contains(text) { return text }
        let candidates = found.filter { hasPart($0, part) }.sorted()
        if isTooShort, !candidates.isEmpty {
            throw DomainError.validation(
                "'\(text)' is too short for a part of an id. Give \(ShortIDs.shortestPart) characters at least.")
        }
        guard candidates.count > 1 else { return candidates.first ?? text }
        let shown = candidates.prefix(Self.shown).joined(separator: ", ")
        let rest = candidates.count > Self.shown ? ", …" : ""
        throw DomainError.validation(
            "'\(text)' is part of several ids: \(shown)\(rest). Give more of the one you mean.")
    }

    private static let shown = 5

    /// Whether `id` ends or begins with a part in lower case.
    fileprivate static func hasPart(_ id: String, _ part: String) -> Bool { id.hasSuffix(part) || id.hasPrefix(part) }
}

extension Identifier {
    /// Whether the id ends or begins with a part in lower case.
    func hasPart(_ part: String) -> Bool { IDCompletion.hasPart(rawValue, part) }

    /// `IDCompletion.completed` for an id of this type.
    public func completed(among ids: (_ part: String) async throws -> [Self]) async throws -> Self {
        Self(try await IDCompletion.completed(rawValue) { try await ids($0).map(\.rawValue) })
    }
}
