/// The address of a Git repository that the package manager can fetch.
package struct RepositoryURL: Sendable, Hashable, Codable {
    /// As it was given: `https://example.com/strata.git`, `git@example.com:strata.git`, `file:///srv/git/strata.git`.
    package let text: String

    /// Whether a text means a repository to fetch, and not a folder on this machine.
    package static func isMeant(by text: String) -> Bool {
        text.contains("://")
            || (text.contains("@") && text.contains(":") && !text.hasPrefix("/") && !text.hasPrefix("."))
    }

    /// - Throws: A refusal with an address that would do.
    package init(_ text: String) throws(ScaffoldRefusal) {
        let example = "write one like 'https://example.com/strata.git'"
        // It stands in quotes in a manifest, and on command lines.
        let isPlain = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || "-._~:/@%+".utf8.contains($0)
        }
        guard isPlain else {
            throw ScaffoldRefusal(
                "'\(text.printable)' has characters other than letters, digits and -._~:/@%+; \(example).", .usage)
        }
        let halves = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        if halves.count == 2 {
            guard Self.schemes.contains(String(halves[0])) else {
                throw ScaffoldRefusal(
                    "'\(text)' begins with '\(halves[0])', and Strata is fetched by https, ssh or file; \(example).",
                    .usage)
            }
            let user = halves[1].prefix { $0 != "/" }.split(separator: "@", omittingEmptySubsequences: false).dropLast()
            guard user.isEmpty || (halves[0] == "ssh" && !user.joined().contains(":")) else {
                // Not repeated: it may be a password.
                throw ScaffoldRefusal(
                    "The address has a user or a password in it, and it would be in Package.swift for everybody; leave them out and "
                        + "let git ask, or keep them in ~/.netrc.", .usage)
            }
        }
        self.text = text
        guard !identity.isEmpty, identity != ".", identity != ".." else {
            throw ScaffoldRefusal("'\(text)' names no repository; \(example).", .usage)
        }
    }

    /// What the package manager calls the package at this address: `strata`.
    var identity: String {
        let place = text.split(separator: "://", maxSplits: 1).last ?? ""
        var name = place.split(whereSeparator: { $0 == "/" || $0 == ":" }).last ?? ""
        if name.hasSuffix(".git") { name.removeLast(4) }
        return name.lowercased()
    }

    private static let schemes: Set<String> = ["https", "ssh", "file"]

    package init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
