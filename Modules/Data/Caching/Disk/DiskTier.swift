import FoundationEssentials
import StrataDomain

/// Where records outlive the process.
///
/// Reads may come from any thread and take microseconds while `isReady`; all else blocks, and comes from one thread.
/// Nothing throws but `clear`: what cannot be read is a miss, and what cannot be written is lost, as a cache may.
protocol DiskTier: Sendable {
    /// Whether reads find an open file. After a read that met damage it is false, until `prepare` has run.
    var isReady: Bool { get }
    /// Opens the file, or repairs it, if need be.
    func prepare()

    /// Another number after each change, by this process or another.
    func version() -> Int
    func record(_ name: RecordName) -> DiskRecord?
    func body(_ name: RecordName) -> Data?
    /// Whether this version of a record is the one on disk.
    func holds(_ stamp: DiskRecord.Stamp, _ name: RecordName) -> Bool
    /// The records of a key without bodies, latest first.
    func heads(of key: KeyDigest) -> [DiskRecord]

    /// - Parameter replaced: Other items of the key that go in the same step.
    /// - Returns: Whether it is kept; if not, what it was to replace is gone all the same.
    @discardableResult
    func store(_ record: DiskRecord, for key: KeyDigest, replacing replaced: [UUID]) -> Bool
    /// Replaces head and end of a record that is there; if that fails, it is removed.
    ///
    /// - Parameter isLasting: Whether not even a power cut may undo it.
    func update(_ name: RecordName, head: Data, keptUntil: Date, isLasting: Bool)
    /// What is removed is never read again, though the disk be full: then the file is given up.
    func remove(_ names: [RecordName])
    func removeAll(of key: KeyDigest)
    func removeAll(tagged tag: String)
    func removeExpired()
    /// Removes everything, so that its bytes are gone from the disk as well.
    func clear() throws(DomainError)
    func resize(to bytes: Int)
    func usage() -> (entries: Int, bytes: Int, path: String)
}
