import FoundationEssentials
import StrataSystem

extension UploadRecordFile {
    /// How long a record is kept that no run has completed: 30 days. Servers forget an upload sooner, and say so with 404 or 410.
    static let lifetime: TimeInterval = 30 * 86_400

    /// Removes the records of this directory that are older than `lifetime`, with their locks, and locks that a killed process has
    /// left. A record in use stays. What cannot be removed is left for the next call.
    static func removeExpired(in directory: String, at now: Date) async {
        let oldest = Int(now.timeIntervalSince1970 - lifetime)
        await runBlocking {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            for name in Set(names.map { $0.prefix { $0 != "." } }) where isRecord(name) {
                let path = "\(directory)/\(name)"
                guard isExpired(path, oldest), let lock = try? FileLock.attempt(path + ".lock") else { continue }
                // Another run may have written it before the lock was taken.
                if isExpired(path, oldest) { for end in ["", ".tmp", ".lock"] { _ = unlink(path + end) } }
                lock.unlock()
            }
        }
    }

    /// Whether the record, or without one its lock, was written before `oldest`, in seconds since 1970.
    private static func isExpired(_ path: String, _ oldest: Int) -> Bool {
        let written = try? Stat(path: path, following: false)
        let known = written ?? (try? Stat(path: path + ".lock", following: false))
        return known.map { $0.isRegular && $0.modifiedSeconds < oldest } ?? false
    }

    /// Whether `name` is one that `open` makes: a SHA-256 in hexadecimal digits.
    private static func isRecord(_ name: Substring) -> Bool {
        name.utf8.count == 64 && name.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
