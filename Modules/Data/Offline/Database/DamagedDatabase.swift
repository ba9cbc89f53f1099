import FoundationEssentials
import StrataDomain
import StrataSystem

/// Reports a damaged database: the file stays unchanged, a copy is put beside it, and the error names the next step. The file
/// may hold the only copy of a user's writes.
struct DamagedDatabase {
    let path: String

    /// Makes the copy, or finds one that was made since the file last changed. Blocks.
    ///
    /// Call it only when this process has no connection to the database open: closing a file by hand drops SQLite's
    /// locks on it.
    ///
    /// - Parameter text: The message of SQLite.
    func report(_ text: String, now: Date) -> DomainError {
        let damage = "The database '\(path)' is damaged (\(text)). It was left as it is"
        let next =
            "To go on, move '\(path)' and '\(path)-wal' away and start the program again: what the server has comes "
            + "back with the next synchronisation, and what was not sent yet can be read with"
        do {
            let copy = if let known = existingCopy() { known } else { try makeCopy(now: now) }
            return .storage("\(damage) and a copy was put beside it: '\(copy)'. \(next) 'sqlite3 \(copy) .recover'.")
        } catch {
            return .storage(
                "\(damage); a copy could not be made (\(error)). Copy it yourself first. "
                    + "\(next) 'sqlite3 COPY .recover'.")
        }
    }

    /// Repeated commands must not fill the disk with copies.
    private func existingCopy() -> String? {
        guard let original = status(path) else { return nil }
        let directory = path.directoryPath
        let prefix = path.fileName
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.sorted().last { name in
            guard name.hasPrefix("\(prefix).damaged-"), !name.hasSuffix("-wal") else { return false }
            guard let copy = status("\(directory)/\(name)") else { return false }
            return copy.size == original.size && copy.modifiedSeconds >= original.modifiedSeconds
        }.map { "\(directory)/\($0)" }
    }

    private func makeCopy(now: Date) throws(Errno) -> String {
        let stamp = RFC3339.string(from: now).filter { $0.isLetter || $0.isNumber }
        let copy = "\(path).damaged-\(stamp)"
        try duplicate(path, to: copy)
        // SQLite finds a log by the name of its database.
        if status("\(path)-wal") != nil { try duplicate("\(path)-wal", to: "\(copy)-wal") }
        return copy
    }

    private func status(_ path: String) -> Stat? { try? Stat(path: path, following: true) }

    private func duplicate(_ source: String, to target: String) throws(Errno) {
        let input = try openFile(source, O_RDONLY)
        defer { input.release() }
        let output = try openFile(target, O_WRONLY | O_CREAT | O_EXCL)
        defer { output.release() }
        do throws(Errno) {
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = try throwingErrno({ try chunk.withUnsafeMutableBytes { try input.read(into: $0) } }),
                count > 0
            {
                try output.append(chunk[..<count])
            }
            try output.synchronize()
        } catch {
            unlink(target)
            throw error
        }
    }
}
