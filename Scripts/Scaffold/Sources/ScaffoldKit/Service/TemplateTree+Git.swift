import Foundation

extension TemplateTree {
    /// The files under version control of a checkout, as they are on disk.
    ///
    /// - Throws: A refusal when `root` is no checkout.
    package static func checkedOut(at root: String) throws(ScaffoldRefusal) -> TemplateTree {
        let git = Git(root)
        let commit = try git.lines(["rev-parse", "HEAD"]).first ?? ""
        let isModified = try !git.lines(["status", "--porcelain", "--untracked-files=no"]).isEmpty
        let disk = try LocalFileSystem(root: root)
        var files: [String: FileContents] = [:]
        for path in try git.lines(["ls-files", "-z"], separator: "\0") {
            do {
                let place = try RelativePath(path)
                // Links and submodules are no part of a service; a file that was removed is not there to copy.
                guard try disk.kind(of: place) == .file else { continue }
                files[path] = try disk.read(place)
            } catch let fault as FileFault { throw ScaffoldRefusal(fault) } catch let refusal as ScaffoldRefusal {
                throw refusal
            } catch { continue }
        }
        return TemplateTree(files: files, commit: commit, isModified: isModified)
    }

    /// The files of one commit.
    ///
    /// - Throws: A refusal when the checkout at `root` has no such commit.
    package static func committed(_ commit: String, at root: String) throws(ScaffoldRefusal) -> TemplateTree {
        let git = Git(root)
        guard commit.utf8.allSatisfy({ $0 > 0x2C }), !commit.isEmpty,
            let full = try git(["rev-parse", "--verify", "--quiet", "\(commit)^{commit}"]).text.split(separator: "\n")
                .first
        else {
            throw ScaffoldRefusal(
                "The template at '\(root.printable)' has no commit '\(commit.printable)'; fetch it, or name another with --to."
            )
        }
        var files: [String: FileContents] = [:]
        for line in try git.lines(["ls-tree", "-r", "-z", String(full)], separator: "\0") {
            // 100644 blob 83baae61804e65cc73a7201a7252750c76066a30\tpath
            let halves = line.split(separator: "\t", maxSplits: 1)
            let words = halves[0].split(separator: " ")
            guard halves.count == 2, words.count == 3, words[0].hasPrefix("100") else { continue }
            files[String(halves[1])] = FileContents(
                bytes: Array(words[2].utf8), isExecutable: words[0] == "100755")
        }
        return TemplateTree(files: try contents(of: files, git), commit: String(full), isModified: false)
    }

    /// Where others fetch the checkout at `root` from; `nil` when it has no such address, or the address lacks its commit.
    package static func origin(of root: String) throws(ScaffoldRefusal) -> RepositoryURL? {
        let git = Git(root)
        guard let text = try git(["remote", "get-url", "origin"]).text.split(separator: "\n").first,
            let url = try? RepositoryURL(String(text)), RepositoryURL.isMeant(by: url.text),
            try !git(["branch", "--remotes", "--contains", "HEAD"]).text.isEmpty
        else { return nil }
        return url
    }

    /// Turns object names into the objects, with one process for all.
    private static func contents(
        of names: [String: FileContents], _ git: Git
    ) throws(ScaffoldRefusal) -> [String: FileContents] {
        let order = names.sorted { $0.key < $1.key }
        let archive = try git.objects(order.compactMap(\.value.text))
        var files: [String: FileContents] = [:]
        for ((path, name), bytes) in zip(order, archive) {
            files[path] = FileContents(bytes: bytes, isExecutable: name.isExecutable)
        }
        return files
    }
}

extension Git {
    /// The contents of objects, in order.
    func objects(_ names: [String]) throws(ScaffoldRefusal) -> [[UInt8]] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "-C", folder, "cat-file", "--batch"]
        let list = FileManager.default.temporaryDirectory.appending(path: "objects-\(UUID().uuidString)")
        let output = Pipe()
        do {
            try Data((names.joined(separator: "\n") + "\n").utf8).write(to: list)
            process.standardInput = try FileHandle(forReadingFrom: list)
            process.standardOutput = output
            try process.run()
        } catch { throw ScaffoldRefusal("git cannot be started: \(error)") }
        defer { try? FileManager.default.removeItem(at: list) }
        let bytes = Array((try? output.fileHandleForReading.readToEnd()) ?? Data())
        process.waitUntilExit()
        var objects: [[UInt8]] = []
        var index = 0
        while index < bytes.count, let end = bytes[index...].firstIndex(of: 0x0A) {
            // "<name> blob <size>"
            let head = String(decoding: bytes[index..<end], as: UTF8.self).split(separator: " ")
            guard head.count == 3, let size = Int(head[2]), end + 1 + size <= bytes.count else { break }
            objects.append(Array(bytes[(end + 1)..<(end + 1 + size)]))
            index = end + 1 + size + 1
        }
        guard objects.count == names.count else {
            throw ScaffoldRefusal(
                "git gave \(objects.count) of \(names.count) files; check the template with 'git fsck'.")
        }
        return objects
    }
}
