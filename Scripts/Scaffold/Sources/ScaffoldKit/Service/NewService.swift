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
            if !names.filter({ $0 != ".scaffold" }).isEmpty {
                throw ScaffoldRefusal(
                    "'\(folder.printable)' is not empty (\(names.sorted().prefix(3).joined(separator: ", ").printable)); "
                        + "give --output a new or an empty folder.")
            }
        case .other:
            throw ScaffoldRefusal("'\(folder.printable)' is no folder; give --output a new or an empty one.")
        }
        files = try ServiceRenderer().render(spec, from: tree)
    }

    /// Paths in the service, sorted.
    package var paths: [String] { files.keys.sorted() }

    /// - Throws: A refusal after which the folder is as before.
    package func write(secret: String) throws(ScaffoldRefusal) {
        let made = try Places.makeFolder(folder)
        do {
            let disk = try LocalFileSystem(root: folder)
            let runner = PlanRunner(disk)
            try runner.repair()
            var changes: [FileChange] = []
            for (path, contents) in files { changes.append(.create(try RelativePath(path), contents)) }
            // Nobody else's business, and in no version control: `.gitignore` names it.
            let variable = "\(spec.spelling.snake.uppercased())_SIGNING_SECRET"
            changes.append(.create(".env", FileContents("\(variable)=\(secret)\n")))
            try runner.apply(Plan(changes, in: SourceTree(disk)))
            try Places.protect("\(folder)/.env")
            if case .path(let path) = spec.strata { try Places.link("\(folder)/Strata/Modules", to: "\(path)/Modules") }
        } catch {
            for folder in made.reversed() { Places.removeIfEmpty(folder) }
            throw error
        }
    }
}
