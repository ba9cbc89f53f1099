/// What the template made when a service began, found again and proven by the digests it was recorded with.
struct PureOutput: Sendable {
    let record: TemplateRecord
    /// The template's checkout.
    let template: String
    /// The service's repository.
    let service: String

    /// - Throws: A refusal naming a file that nothing has any more as it was.
    func files() throws(ScaffoldRefusal) -> [String: FileContents] {
        let tree = try TemplateTree.committed(record.commit, at: template)
        // Made by this version of the tool; where that made something else then, the service's history has it.
        let made = (try? ServiceRenderer().render(record.answers, from: tree)) ?? [:]
        var files: [String: FileContents] = [:]
        for (path, digest) in record.files {
            if let contents = made[path], contents.digest == digest {
                files[path] = contents
            } else {
                files[path] = try fromHistory(path, digest)
            }
        }
        return files
    }

    private func fromHistory(_ path: String, _ digest: String) throws(ScaffoldRefusal) -> FileContents {
        let git = Git(service)
        for commit in try git.lines(["log", "--format=%H", "--", path]).reversed() {
            let answer = try git(["show", "\(commit):\(path)"])
            guard answer.status == 0, FileContents(bytes: answer.bytes).digest == digest else { continue }
            let mode = try git.lines(["ls-tree", commit, "--", path]).first ?? ""
            return FileContents(bytes: answer.bytes, isExecutable: mode.hasPrefix("100755"))
        }
        throw ScaffoldRefusal(
            "'\(path)' as the template made it is found neither in commit \(record.commit.prefix(12)) of the template nor in the "
                + "history of the service, so it cannot be merged. Bring the commit back that added it, or take it out of "
                + "'\(TemplateRecord.path)' to keep it as it is.")
    }
}
