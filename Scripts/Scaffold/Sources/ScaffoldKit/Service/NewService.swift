/// Writes a new service into a folder that is empty or not there yet.
package struct NewService: Sendable {
    package let spec: ServiceSpec
    /// An absolute path.
    package let folder: String
    package let files: [String: FileContents]

    /// - Parameters:
    ///   - folder: An absolute path.
    ///   - template: The root of the template.
    /// - Throws: A refusal when something is there, or when the folder is part of the template.
    package init(
        _ spec: ServiceSpec, in folder: String, template: String, from tree: TemplateTree
    ) throws(ScaffoldRefusal) {
        self.spec = spec
        self.folder = folder
        let real = Places.real(folder)
        let root = Places.real(template)
        if real == root || real.hasPrefix(root + "/") {
            throw ScaffoldRefusal(
                "'\(folder.printable)' is inside the template at '\(root.printable)'; give --output a folder elsewhere, "
                    + "such as '../\(spec.spelling.kebab)'.")
        }
        if root.hasPrefix(real + "/") {
            throw ScaffoldRefusal("'\(folder.printable)' has the template inside; give --output a folder of its own.")
        }
        switch Places.look(at: folder) {
        case .nothing: break
        case .folder(let names):
            // What an interrupted run left is put back before anything is written.
            if case .nothing = Places.look(at: "\(folder)/\(Journal.path)") {
                try Self.checkEmpty(folder, names)
            }
        case .other:
            throw ScaffoldRefusal("'\(folder.printable)' is no folder; give --output a new or an empty one.")
        }
        files = try ServiceRenderer().render(spec, from: tree)
    }

    /// Paths in the service, sorted.
    package var paths: [String] { files.keys.sorted() }

    private static func checkEmpty(_ folder: String, _ names: [String]) throws(ScaffoldRefusal) {
        let names = names.filter { $0 != ".scaffold" }.sorted()
        guard names.isEmpty else {
            throw ScaffoldRefusal(
                "'\(folder.printable)' is not empty (\(names.prefix(3).joined(separator: ", ").printable)); "
                    + "give --output a new or an empty folder.")
        }
    }

    /// - Throws: A refusal after which the folder is as before.
    package func write(secret: String) throws(ScaffoldRefusal) {
        let made = try Places.makeFolder(folder)
        do { try write(secret: secret, to: LocalFileSystem(root: folder)) } catch {
            for folder in made.reversed() { Places.removeIfEmpty(folder) }
            throw error
        }
    }

    /// - Parameter disk: That of `folder`.
    func write(secret: String, to disk: some FileSystem) throws(ScaffoldRefusal) {
        let runner = PlanRunner(disk)
        do {
            // The link stands in no journal; in an interrupted run it is the tool's.
            if try disk.kind(of: Journal.path) != nil, try disk.kind(of: Self.link) == .link {
                try disk.remove(Self.link)
            }
        } catch { throw ScaffoldRefusal(error) }
        try runner.repair()
        if case .folder(let names) = Places.look(at: folder) { try Self.checkEmpty(folder, names) }
        var changes: [FileChange] = []
        for (path, contents) in files { changes.append(.create(try RelativePath(path), contents)) }
        // For its owner alone; `.gitignore` keeps it out of version control.
        let variable = "\(spec.spelling.snake.uppercased())_SIGNING_SECRET"
        changes.append(.create(".env", FileContents("\(variable)=\(secret)\n", isSecret: true)))
        let plan = try Plan(changes, in: SourceTree(disk))
        do {
            try runner.apply(plan) { () throws(FileFault) in
                if case .path(let path) = spec.strata { try disk.link(Self.link, to: path) }
            }
        } catch {
            if (try? disk.kind(of: Self.link)) == .link { try? disk.remove(Self.link) }
            throw error
        }
    }

    private static let link = ServiceRenderer.strata
}
