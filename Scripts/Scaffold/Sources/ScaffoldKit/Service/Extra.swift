/// What a service has only where its maker asks for it, by a flag of `new-service`: files of a folder or of the template itself, and lines
/// of others between `scaffold:only` with its name.
package enum Extra: String, Sendable, Hashable, Codable, CaseIterable {
    /// Containers of the service, PostgreSQL, Prometheus and Grafana. They are made from the image of `container`.
    case compose
    /// An image of the server.
    case container
    /// A container to develop in.
    case devcontainer
    /// A user and rows to try the service with.
    case seed

    /// `Compose`: the word of `scaffold:only`, and the folder's name.
    var word: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
    /// The folder with its files, which are renamed like all others.
    private var folder: String { "Scripts/Scaffold/Extras/\(word)/" }
    /// The start of the paths of files that the template has, too.
    private var shared: String? { self == .container ? "Docs/Packaging/Containerfile" : nil }

    /// These, and the ones that they need.
    static func all(of extras: [Extra]) -> Set<Extra> {
        Set(extras).union(extras.contains(.compose) ? [.container] : [])
    }

    /// The path in a service of a file that belongs to one of `extras`; `nil` for any other file.
    static func place(of path: String, among extras: Set<Extra>) -> String? {
        for extra in extras {
            if path.hasPrefix(extra.folder) { return String(path.dropFirst(extra.folder.count)) }
            if extra.owns(path) { return path }
        }
        return nil
    }

    /// Whether only services with some extra have this file of the template.
    static func isShared(_ path: String) -> Bool { allCases.contains { $0.owns(path) } }

    /// Whether this file of the template is there with this extra only.
    func owns(_ path: String) -> Bool { shared.map { path.hasPrefix($0) } ?? false }
}
