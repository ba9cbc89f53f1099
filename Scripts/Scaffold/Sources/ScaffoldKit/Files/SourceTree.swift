/// A repository as it is read: text by path, and what lies below a folder.
package struct SourceTree: Sendable {
    package let files: any FileSystem

    package init(_ files: any FileSystem) { self.files = files }

    /// - Throws: A refusal when the file is missing, unreadable or not UTF-8.
    package func text(_ path: RelativePath) throws(ScaffoldRefusal) -> String {
        let contents: FileContents
        do { contents = try files.read(path) } catch { throw ScaffoldRefusal(error) }
        guard let text = contents.text else {
            throw ScaffoldRefusal("'\(path)' is not UTF-8 text; only text can be read here.")
        }
        return text
    }

    /// What is at a place; `nil` when nothing is.
    package func kind(of path: RelativePath) throws(ScaffoldRefusal) -> FileKind? {
        do { return try files.kind(of: path) } catch { throw ScaffoldRefusal(error) }
    }

    /// The contents at a place; `nil` when no file is there.
    package func contents(_ path: RelativePath) throws(ScaffoldRefusal) -> FileContents? {
        do {
            return try files.kind(of: path) == .file ? try files.read(path) : nil
        } catch { throw ScaffoldRefusal(error) }
    }

    /// Names in a folder, sorted; none when the folder is not there.
    package func names(in folder: RelativePath) throws(ScaffoldRefusal) -> [String] {
        do {
            return try files.kind(of: folder) == .folder ? try files.names(in: folder) : []
        } catch { throw ScaffoldRefusal(error) }
    }

    /// Every regular file below a folder, sorted; build products, Git's own folder and links are passed over.
    package func paths(under folder: RelativePath = .root) throws(ScaffoldRefusal) -> [RelativePath] {
        var found: [RelativePath] = []
        for name in try names(in: folder) where !Self.isPassedOver(name) {
            guard let path = try? folder.appending(name) else { continue }
            switch try kind(of: path) {
            case .file: found.append(path)
            case .folder: found += try paths(under: path)
            case .link, .other, nil: continue
            }
        }
        return found
    }

    private static func isPassedOver(_ name: String) -> Bool {
        name == ".git" || name == ".build" || name == ".swiftpm" || name.hasPrefix(".build-")
            || name.hasPrefix(".build_")
    }
}
