/// Types that the sources of a feature, or the lists of features, see beside the entity, and those that the sources of a client see.
/// A new type of the same name does not compile there: the name is ambiguous, or means the other type.
struct TakenTypes {
    private let strata: SourceTree
    private let tree: SourceTree

    /// - Parameters:
    ///   - strata: The tree of Strata, whose `Service` part the backend part of a feature imports, and whose command line the lists of
    ///     the service's import.
    ///   - tree: The repository that gets the feature; its command line lists the entity.
    init(strata: SourceTree, tree: SourceTree) { (self.strata, self.tree) = (strata, tree) }

    /// - Throws: A refusal when a type is called `name`.
    func check(_ name: String) throws(ScaffoldRefusal) {
        let owner =
            if ReservedWords.types.contains(name) {
                "the sources of every feature use"
            } else if try declares(name, below: "Modules/Service/Core", in: strata, access: ["public"]) {
                "StrataService has"
            } else if try declares(name, below: "Modules/Programs/Client", in: strata, access: ["public"]) {
                "the command line has"
            } else if try declares(name, below: "Apps/CLI", in: tree, access: ["public", "package", "internal", ""]) {
                "the command line has"
            } else { "" }
        guard owner.isEmpty else {
            throw ScaffoldRefusal(
                "'\(name)' is a type that \(owner); use a longer name, such as '\(name)Record'.", .usage)
        }
    }

    /// - Parameter name: Of a client.
    /// - Throws: A refusal when a type that its sources import is called like its own.
    func check(client name: String) throws(ScaffoldRefusal) {
        for type in ["\(name)Client", "\(name)Error"] {
            for folder in ["Domain", "HTTP", "Networking/Core", "Testing"] {
                let place = RelativePath(stringLiteral: "Modules/\(folder)")
                guard try declares(type, below: place, in: strata, access: ["public"]) else { continue }
                throw ScaffoldRefusal(
                    "'\(name)' would make a type '\(type)', which Strata has; use a longer name, such as '\(name)Gateway'.",
                    .usage)
            }
        }
    }

    /// Whether a file declares the type at the start of a line: `public final class Name`.
    private func declares(
        _ name: String, below folder: RelativePath, in tree: SourceTree, access: Set<Substring>
    ) throws(ScaffoldRefusal) -> Bool {
        for path in try tree.paths(under: folder) where path.name.hasSuffix(".swift") {
            guard let text = try tree.contents(path)?.text, text.contains(name) else { continue }
            for line in text.split(separator: "\n") where line.contains(name) {
                var words = line.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "@" })[...]
                guard line.first?.isLetter == true || line.first == "@" else { continue }
                words = words.drop { $0.hasPrefix("@") }
                let known = words.first.map { Self.levels.contains($0) } == true ? words.removeFirst() : ""
                words = words.drop { Self.modifiers.contains($0) }
                if access.contains(known), let kind = words.popFirst(), Self.kinds.contains(kind),
                    words.first == name[...]
                {
                    return true
                }
            }
        }
        return false
    }

    private static let levels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private", "open"]
    private static let modifiers: Set<Substring> = ["final", "indirect", "nonisolated"]
    private static let kinds: Set<Substring> = ["struct", "enum", "class", "actor", "protocol", "typealias"]
}
