import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The pages of an SQLite file as its last commit left them, read without SQLite, which gives up where a page that leads
/// to others is damaged.
///
/// What the log has of a page comes before what the file has (sqlite.org/fileformat2.html, sections 1 and 4). The log
/// counts as far as its own checksums hold.
final class PageImage {
    private let file: Int32
    private let log: Int32
    /// Where in the log a page lies.
    private var logged: [UInt32: Int] = [:]
    /// Number of the last page; the first one is 1.
    private(set) var count = 0

    /// All cache files have pages of this size.
    static let pageSize = 4096

    /// - Returns: `nil` when there is no file.
    init?(path: String) {
        file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        log = open(path + "-wal", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return nil }
        var status = stat()
        if fstat(file, &status) == 0 { count = Int(status.st_size) / Self.pageSize }
        readLog()
    }

    deinit {
        for descriptor in [file, log] where descriptor >= 0 { close(descriptor) }
    }

    /// - Returns: `nil` for a page that is not there.
    func page(_ number: Int) -> [UInt8]? {
        guard number > 0, number <= count else { return nil }
        if let place = logged[UInt32(number)] { return bytes(of: log, at: place, Self.pageSize) }
        return bytes(of: file, at: (number - 1) * Self.pageSize, Self.pageSize)
    }

    private func readLog() {
        guard log >= 0, let header = bytes(of: log, at: 0, 32), header.number(at: 0) & ~1 == 0x377F_0682,
            header.number(at: 8) == UInt32(Self.pageSize)
        else { return }
        let isBigEndian = header.number(at: 0) & 1 == 1
        var sum = Sum()
        sum.add(header[..<24], isBigEndian)
        guard sum.isWritten(at: 24, in: header) else { return }
        var place = 32
        var open: [UInt32: Int] = [:]
        while let frame = bytes(of: log, at: place, 24 + Self.pageSize) {
            sum.add(frame[..<8], isBigEndian)
            sum.add(frame[24...], isBigEndian)
            guard frame[8..<16] == header[16..<24], sum.isWritten(at: 16, in: frame) else { return }
            open[frame.number(at: 0)] = place + 24
            // Only frames up to one that ends a transaction count; it says how many pages there are.
            let pages = frame.number(at: 4)
            if pages > 0 {
                logged.merge(open) { $1 }
                open = [:]
                count = Int(pages)
            }
            place += frame.count
        }
    }

    private func bytes(of descriptor: Int32, at place: Int, _ count: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(place)))
        }
        return bytes.count == count ? bytes : nil
    }

    /// The running checksum of a log.
    private struct Sum {
        var first: UInt32 = 0
        var second: UInt32 = 0

        mutating func add(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) {
            bytes.withUnsafeBytes { bytes in
                for place in stride(from: 0, to: bytes.count - 7, by: 8) {
                    let left = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                    let right = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
                    first &+= (isBigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
                    second &+= (isBigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
                }
            }
        }

        func isWritten(at place: Int, in bytes: [UInt8]) -> Bool {
            bytes.number(at: place) == first && bytes.number(at: place + 4) == second
        }
    }
}

extension [UInt8] {
    /// Four bytes, the highest first; they must be there.
    func number(at place: Int) -> UInt32 { self[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
}
