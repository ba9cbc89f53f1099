import Crypto
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The counters of invalidations in a shared file. Every call blocks.
///
/// 4 KiB: eight random bytes that tell this file from one made after it, a counter for everything, and 510 more for keys
/// and tags, each shared by the names that fall on it. A count that is read while it is written differs from what it was
/// before, which is all that is asked of it.
struct EpochFile: Sendable {
    /// What had been invalidated at one moment, of some scopes.
    struct Mark: Sendable, Hashable {
        fileprivate var identity: UInt64
        fileprivate var counts: [UInt64]
    }

    private let file: LockFile

    /// Milliseconds to wait for the name of a new file.
    private static let patience = 100
    private static let slots = 512
    private static let bytes = slots * 8

    /// - Throws: `LockFile.Unusable` when the file cannot be opened.
    init(_ path: String) throws(LockFile.Unusable) { file = try LockFile(path) }

    /// Whether its path still leads to it.
    var isInPlace: Bool { file.isInPlace }

    func attempt(_ mode: LockFile.Mode) throws(LockFile.Unusable) -> Bool {
        try file.attempt(mode, at: 0, length: Int64(Self.bytes))
    }

    func unlock() { file.unlock(at: 0, length: Int64(Self.bytes)) }

    func mark(of scopes: Set<Invalidation>) throws(LockFile.Unusable) -> Mark {
        var numbers = read()
        if numbers[0] == 0 {
            try giveName()
            numbers = read()
        }
        return Mark(identity: numbers[0], counts: scopes.map(Self.slot).sorted().map { numbers[$0] })
    }

    func count(_ scope: Invalidation) throws(LockFile.Unusable) {
        let slot = Self.slot(of: scope)
        try write(read()[slot] &+ 1, in: slot)
    }

    /// Names the file, which was made just now, unless somebody else has done it.
    private func giveName() throws(LockFile.Unusable) {
        let place = Int64(Self.bytes)
        // One of those who do it at once, for else the mark of the first no longer holds and its value is not stored.
        for _ in 0..<Self.patience {
            guard try file.attempt(.exclusive, at: place) else {
                usleep(1000)
                continue
            }
            defer { file.unlock(at: place) }
            if read()[0] == 0 { try write(UInt64.random(in: 1...UInt64.max), in: 0) }
            return
        }
        // Whoever holds the lock was stopped in the middle.
        try write(UInt64.random(in: 1...UInt64.max), in: 0)
    }

    /// What was never written is zero.
    private func read() -> [UInt64] {
        var bytes = [UInt8](repeating: 0, count: Self.bytes)
        _ = pread(file.descriptor, &bytes, bytes.count, 0)
        return (0..<Self.slots).map { slot in
            bytes[slot * 8..<slot * 8 + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    private func write(_ number: UInt64, in slot: Int) throws(LockFile.Unusable) {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        guard pwrite(file.descriptor, bytes, bytes.count, off_t(slot * 8)) == bytes.count else {
            throw LockFile.Unusable(
                description: "'\(file.path)' cannot be written: \(String(cString: strerror(errno))).")
        }
    }

    /// 1 for everything, 2 to 511 for what has a name.
    private static func slot(of scope: Invalidation) -> Int {
        guard let name = scope.name else { return 1 }
        let number = SHA256.hash(data: Data(name.utf8)).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        return 2 + number % (slots - 2)
    }
}
