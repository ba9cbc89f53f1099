import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The three streams between us and a child. The input is complete before the child starts.
///
/// They are socket pairs, because these are closed in every other child from their first moment on: `pipe2`, which could
/// promise the same, is not in Swift's view of the C library.
struct Streams {
    struct Pair {
        var reading: Int32
        var writing: Int32
    }

    let input: Pair
    let output: Pair
    let complaint: Pair

    /// - Throws: `EAGAIN` when the system does not buffer `input`.
    init(input bytes: Data) throws(SystemError) {
        var made: [Pair] = []
        do throws(SystemError) {
            for _ in 0..<3 { made.append(try Self.make()) }
            try Self.fill(made[0], with: [UInt8](bytes))
            for pair in made[1...] { try checked { fcntl(pair.reading, F_SETFL, O_NONBLOCK) } }
        } catch {
            for pair in made { Self.close(pair) }
            throw error
        }
        (input, output, complaint) = (made[0], made[1], made[2])
        // The child must see the end of its input.
        _ = systemClose(input.writing)
    }

    /// Closes the ends the child holds now.
    func closeTheirs() {
        for descriptor in [input.reading, output.writing, complaint.writing] { _ = systemClose(descriptor) }
    }

    func closeOurs() {
        for descriptor in [output.reading, complaint.reading] { _ = systemClose(descriptor) }
    }

    func closeAll() {
        closeTheirs()
        closeOurs()
    }

    /// Two ends above the three standard numbers, which the child assigns anew.
    private static func make() throws(SystemError) -> Pair {
        var ends: [Int32] = [-1, -1]
        try checked { socketpair(AF_UNIX, kind, 0, &ends) }
        do throws(SystemError) {
            for index in ends.indices where ends[index] <= STDERR_FILENO {
                let low = ends[index]
                ends[index] = try checked { fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }
                _ = systemClose(low)
            }
        } catch {
            close(Pair(reading: ends[0], writing: ends[1]))
            throw error
        }
        return Pair(reading: ends[0], writing: ends[1])
    }

    #if canImport(Musl)
        private static let kind = SOCK_STREAM | SOCK_CLOEXEC
    #else
        private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #endif

    private static func fill(_ pair: Pair, with bytes: [UInt8]) throws(SystemError) {
        try checked { fcntl(pair.writing, F_SETFL, O_NONBLOCK) }
        var written = 0
        while written < bytes.count {
            written += try checked {
                bytes[written...].withUnsafeBytes { systemWrite(pair.writing, $0.baseAddress, $0.count) }
            }
        }
    }

    private static func close(_ pair: Pair) {
        _ = systemClose(pair.reading)
        _ = systemClose(pair.writing)
    }
}
