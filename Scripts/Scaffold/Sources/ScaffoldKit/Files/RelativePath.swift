/// A place below a root, which it cannot leave: no `..`, no absolute path, nothing that a terminal would act on.
package struct RelativePath: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let components: [String]

    /// The root itself.
    package static let root = RelativePath(unchecked: [])

    /// - Throws: A refusal naming the part that cannot be, such as `..`.
    package init(_ text: String) throws(ScaffoldRefusal) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        for part in parts {
            guard let fault = Self.fault(of: part) else { continue }
            throw ScaffoldRefusal(
                "The path '\(text.printable)' \(fault); use one below the repository, such as 'Docs/index.md'.")
        }
        components = parts
    }

    private init(unchecked components: [String]) { self.components = components }

    package var description: String { components.joined(separator: "/") }
    /// The last part; empty for the root.
    package var name: String { components.last ?? "" }
    /// The folder it is in; `nil` for the root.
    package var folder: RelativePath? { components.isEmpty ? nil : RelativePath(unchecked: components.dropLast()) }
    /// Every folder above, outermost first, without the root.
    package var folders: [RelativePath] {
        components.indices.dropFirst().map { RelativePath(unchecked: Array(components[..<$0])) }
    }

    /// This place with more parts behind.
    package func appending(_ text: String) throws(ScaffoldRefusal) -> RelativePath {
        RelativePath(unchecked: components + (try RelativePath(text)).components)
    }

    /// Whether it is `folder` or somewhere below.
    package func isWithin(_ folder: RelativePath) -> Bool { components.starts(with: folder.components) }

    package static func < (left: RelativePath, right: RelativePath) -> Bool {
        left.components.lexicographicallyPrecedes(right.components)
    }

    private static func fault(of part: String) -> String? {
        if part.isEmpty { return "has an empty part, or starts or ends with '/'" }
        if part == "." || part == ".." { return "has the part '\(part)'" }
        if part.utf8.count > 255 { return "has a part of more than 255 bytes" }
        if part.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            return "has a control character"
        }
        return nil
    }
}

extension RelativePath: ExpressibleByStringLiteral {
    /// For paths that stand in the source; one that cannot be is the root.
    package init(stringLiteral value: String) {
        self = (try? RelativePath(value)) ?? .root
    }
}

extension String {
    /// The text as one short line: control characters as `\u{…}`, cut after 80 characters.
    package var printable: String {
        var text = ""
        for scalar in unicodeScalars.prefix(81) {
            if text.count == 80 { return text + "..." }
            let isSafe = scalar.value >= 0x20 && scalar.value < 0x7F
            text += isSafe ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
        return text
    }
}
