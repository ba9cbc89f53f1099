/// What will be done to a tree, file by file, found out before anything is touched.
///
/// A dry run prints it and a real run applies it, so they cannot differ.
package struct Plan: Sendable, Hashable {
    /// One file, as it is and as it will be; sorted by path, each path once.
    package struct Step: Sendable, Hashable {
        package let path: RelativePath
        /// `nil`: there is no file yet.
        package let before: FileContents?
        /// `nil`: the file goes.
        package let after: FileContents?

        package var verb: String {
            before == nil ? "create" : after == nil ? "delete" : "edit"
        }
    }

    package let steps: [Step]
    /// What was looked at before, as sentences.
    package let checks: [String]

    package var isEmpty: Bool { steps.isEmpty }

    /// Looks at the tree and folds changes to one file together; what is as it should be is no step.
    ///
    /// - Throws: A refusal when a file to create is there, one to change is not, or a region cannot be edited.
    package init(_ changes: [FileChange], checks: [String] = [], in tree: SourceTree) throws(ScaffoldRefusal) {
        var before: [RelativePath: FileContents?] = [:]
        var after: [RelativePath: FileContents?] = [:]
        for change in changes {
            let path = change.path
            if before[path] == nil {
                let found = try Self.contents(path, in: tree)
                before[path] = .some(found)
                after[path] = .some(found)
            }
            after[path] = .some(try change.applied(to: after[path] ?? nil))
        }
        self.checks = checks
        steps = before.keys.sorted().compactMap { path in
            let step = Step(path: path, before: before[path] ?? nil, after: after[path] ?? nil)
            return step.before == step.after ? nil : step
        }
        try Self.checkNames(of: steps, in: tree)
    }

    /// A file that is there in other letters, such as `incident.swift` beside `Incident.swift`, is one file on many disks.
    private static func checkNames(of steps: [Step], in tree: SourceTree) throws(ScaffoldRefusal) {
        var names: [RelativePath: [String]] = [:]
        for step in steps where step.before == nil && step.after != nil {
            guard let folder = step.path.folder else { continue }
            if names[folder] == nil { names[folder] = try tree.names(in: folder) }
            let small = step.path.name.lowercased()
            if let other = names[folder]?.first(where: { $0.lowercased() == small && $0 != step.path.name }) {
                throw ScaffoldRefusal(
                    "'\(step.path)' differs from '\(other)' in the same folder only by capitals; use another name.")
            }
        }
    }

    private static func contents(_ path: RelativePath, in tree: SourceTree) throws(ScaffoldRefusal) -> FileContents? {
        for folder in path.folders {
            switch try tree.kind(of: folder) {
            case .folder, nil: continue
            case .link:
                throw ScaffoldRefusal("'\(folder)' is a symbolic link; nothing is written through one. Remove it.")
            case .file, .other:
                throw ScaffoldRefusal("'\(folder)' is a file where a folder is needed; move it away.")
            }
        }
        switch try tree.kind(of: path) {
        case nil: return nil
        case .file: return try tree.contents(path)
        case .folder: throw ScaffoldRefusal("'\(path)' is a folder where a file is needed; move it away.")
        case .link: throw ScaffoldRefusal("'\(path)' is a symbolic link; nothing is written through one. Remove it.")
        case .other: throw ScaffoldRefusal("'\(path)' is no regular file; move it away.")
        }
    }
}

extension FileChange {
    package var path: RelativePath {
        switch self {
        case .create(let path, _), .replace(let path, _), .delete(let path), .editRegion(let path, _, _, _): path
        }
    }

    /// The file after the change.
    fileprivate func applied(to found: FileContents?) throws(ScaffoldRefusal) -> FileContents? {
        switch self {
        case .create(let path, let contents):
            if let found, found != contents {
                throw ScaffoldRefusal(
                    "'\(path)' is there already, with other contents; move it away or use another name.")
            }
            return contents
        case .replace(let path, let contents):
            if found == nil { throw ScaffoldRefusal("'\(path)' is not there to be changed; restore it first.") }
            return contents
        case .delete(let path):
            if found == nil { throw ScaffoldRefusal("'\(path)' is not there to be removed; restore it first.") }
            return nil
        case .editRegion(let path, let region, let adding, let removing):
            let line = adding.first ?? removing.first ?? ""
            guard let found, let text = found.text else {
                throw ScaffoldRefusal("'\(path)' is not there as text. The line to have in '\(region)' is: \(line)")
            }
            let marked = try MarkedRegion(region, in: text, of: path, adding: line)
            return FileContents(
                try marked.editing(adding: adding, removing: removing), isExecutable: found.isExecutable)
        }
    }
}
