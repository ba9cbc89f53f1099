import Glibc

/// Folders by absolute path, outside of any tree.
package enum Places {
    enum Finding {
        case nothing
        case folder([String])
        case other
    }

    package static func isFolder(_ path: String) -> Bool { if case .folder = look(at: path) { true } else { false } }

    static func look(at path: String) -> Finding {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return lstat(path, &status) == 0 ? .other : .nothing
        }
        guard status.st_mode & S_IFMT == S_IFDIR, let listing = opendir(path) else { return .other }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
                start.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return .folder(names)
    }

    /// The path with links followed and without `..`, as far as it exists.
    package static func real(_ path: String) -> String {
        var rest: [Substring] = []
        var head = Substring(path)
        while true {
            if let found = realpath(String(head.isEmpty ? "/" : head), nil) {
                defer { free(found) }
                let base = String(cString: found)
                return rest.isEmpty ? base : (base == "/" ? "" : base) + "/" + rest.reversed().joined(separator: "/")
            }
            guard let slash = head.lastIndex(of: "/") else { return path }
            rest.append(head[head.index(after: slash)...])
            head = head[..<slash]
        }
    }

    /// Makes a folder and those above.
    ///
    /// - Returns: Those that were not there, outermost first.
    static func makeFolder(_ path: String) throws(ScaffoldRefusal) -> [String] {
        var made: [String] = []
        var current = ""
        for part in path.split(separator: "/") {
            current += "/\(part)"
            if mkdir(current, 0o777) == 0 {
                made.append(current)
            } else if errno != EEXIST {
                let reason = String(cString: strerror(errno)).lowercased()
                for folder in made.reversed() { removeIfEmpty(folder) }
                throw ScaffoldRefusal(
                    "'\(current.printable)' cannot be made: \(reason). Give --output a folder you may write to.")
            }
        }
        return made
    }

    static func removeIfEmpty(_ path: String) { rmdir(path) }
}
