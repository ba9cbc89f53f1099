import Foundation

extension ServiceRepository {
    /// Files that an update deletes and that files of the owner name, such as a script that reads `Scripts/lib/common.sh`; with those.
    package func missed(by update: TemplateUpdate) throws(ScaffoldRefusal) -> [(path: String, names: [String])] {
        let gone = update.lines.filter { $0.verb == "delete" }.map { line in
            // With its folder, as `source ../lib/common.sh` and a link of a page write it. A copy of Strata has files of equal names.
            (
                path: line.path,
                words: line.path.split(separator: "/")
                    .suffix(line.path.hasPrefix("\(ServiceRenderer.strata)/") ? .max : 2).joined(separator: "/")
            )
        }
        guard !gone.isEmpty else { return [] }
        let found = try Git(root)(
            ["grep", "--files-with-matches", "--null", "-I", "--fixed-strings"] + gone.flatMap { ["-e", $0.words] })
        var after: [String: FileContents?] = [:]
        for step in update.plan.steps { after["\(step.path)"] = .some(step.after) }
        var texts: [(path: String, text: String)] = []
        for path in found.text.split(separator: "\0").map(String.init) where path != TemplateRecord.path {
            guard let place = try? RelativePath(path) else { continue }
            let contents = if let after = after[path] { after } else { try tree.contents(place) }
            // The template's own files name what the template has.
            guard let contents, contents != update.theirs[path], let text = contents.text else { continue }
            texts.append((path, text))
        }
        return gone.compactMap { gone in
            let names = texts.filter { $0.text.contains(gone.words) }.map(\.path).sorted()
            return names.isEmpty ? nil : (gone.path, names)
        }
    }

    /// What to do about each conflict of an update, and about files that are missed: a sentence with a command each.
    ///
    /// Versions of the template that are in no file are stored as objects of the repository, where `git show` and `git diff` find them.
    package func advice(on update: TemplateUpdate, missing: [String]) throws(ScaffoldRefusal) -> [String] {
        var advice: [String] = []
        for conflict in update.conflicts {
            let path = conflict.path
            guard let other = update.others[path] else {
                advice.append("\(path): keep what is right between '<<<<<<< here' and '>>>>>>> template now'.")
                continue
            }
            let id = try store(other)
            if update.theirs[path] == nil {
                advice.append(
                    "\(path): 'git diff \(id) \(path)' shows what you changed. Move it, then 'git rm \(path)'.")
            } else {
                advice.append("\(path): stays so. 'git show \(id) >\(path)' takes the template's version.")
            }
        }
        advice += missing.map { "\($0): 'git checkout HEAD -- \($0)' brings it back." }
        if (update.conflicts.map(\.path) + missing).contains(where: { $0.contains("Apps/") }) {
            advice.append(
                "Apps: 'Scripts/strata page Guides/FromTemplateToProduction.md', section 4, says where a change belongs now."
            )
        }
        return advice
    }

    /// The name of a new object with these bytes.
    private func store(_ contents: FileContents) throws(ScaffoldRefusal) -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "version-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        do { try Data(contents.bytes).write(to: file) } catch {
            throw ScaffoldRefusal("A version of the template cannot be written: \(error)")
        }
        let made = try Git(root).lines(["hash-object", "-w", "--no-filters", file.path(percentEncoded: false)])
        return String((made.first ?? "").prefix(12))
    }
}
