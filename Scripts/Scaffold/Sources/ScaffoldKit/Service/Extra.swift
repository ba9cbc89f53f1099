/// What a service has only where its maker asks for it, by a flag of `new-service`: files of a folder, and lines of others between
/// `scaffold:only` with its name.
package enum Extra: String, Sendable, Hashable, Codable, CaseIterable {
    /// Containers of the service, PostgreSQL, Prometheus and Grafana.
    case compose
    /// A container to develop in.
    case devcontainer
    /// A user and rows to try the service with.
    case seed

    /// `Compose`: the word of `scaffold:only`, and the folder's name.
    var word: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
    /// The folder with its files, which are renamed like all others.
    private var folder: String { "Scripts/Scaffold/Extras/\(word)/" }

    /// The path in a service of a file that belongs to one of `extras`; `nil` for any other file.
    static func place(of path: String, among extras: [Extra]) -> String? {
        extras.first { path.hasPrefix($0.folder) }.map { String(path.dropFirst($0.folder.count)) }
    }
}
