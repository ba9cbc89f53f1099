public import StrataNetworking

/// How much the transport waits for and keeps.
public struct URLSessionOptions: Sendable, Hashable {
    /// How long a server may send nothing, while connecting too, before a request times out. Default 60 s.
    public private(set) var idleTimeout = Duration.seconds(60)
    /// Connections kept to one origin. Default 16.
    public private(set) var connectionsPerOrigin = 16
    /// Bytes of one response that may have arrived before they are read. Default 16 MiB.
    public private(set) var unreadLimit = 1 << 24
    /// Bytes of one streamed request body that may be stored on the disk. Default 1 GiB.
    public private(set) var spoolLimit = 1 << 30
    /// How long `shutdown` waits for requests in flight. Default 5 s.
    public private(set) var grace = Duration.seconds(5)

    /// The defaults.
    public static let standard = URLSessionOptions()

    private init() {}

    /// - Parameters:
    ///   - idleTimeout: 1 s to 1 h, in whole seconds: FoundationNetworking cuts off the rest.
    ///   - connectionsPerOrigin: 1 to 10 000.
    ///   - unreadLimit: 64 KiB to 1 GiB.
    ///   - spoolLimit: Zero, which refuses streamed bodies, to 1 TiB.
    ///   - grace: Zero to 1 h.
    public init(
        idleTimeout: Duration = standard.idleTimeout, connectionsPerOrigin: Int = standard.connectionsPerOrigin,
        unreadLimit: Int = standard.unreadLimit, spoolLimit: Int = standard.spoolLimit,
        grace: Duration = standard.grace
    ) throws(OptionsError) {
        guard (.seconds(1)...(.seconds(3600))).contains(idleTimeout), idleTimeout.components.attoseconds == 0 else {
            throw OptionsError("An idle timeout of \(idleTimeout) is not possible; use whole seconds, 1 s to 1 h.")
        }
        guard (1...10_000).contains(connectionsPerOrigin) else {
            throw OptionsError("\(connectionsPerOrigin) connections per origin are not possible; use 1 to 10000.")
        }
        guard ((1 << 16)...(1 << 30)).contains(unreadLimit) else {
            throw OptionsError("\(unreadLimit) bytes unread are not possible; use 65536 to 1073741824.")
        }
        guard (0...(1 << 40)).contains(spoolLimit) else {
            throw OptionsError("\(spoolLimit) bytes on the disk are not possible; use 0 to 1099511627776.")
        }
        guard (.zero...(.seconds(3600))).contains(grace) else {
            throw OptionsError("A grace of \(grace) is not possible; use zero to 1 h.")
        }
        self.idleTimeout = idleTimeout
        self.connectionsPerOrigin = connectionsPerOrigin
        self.unreadLimit = unreadLimit
        self.spoolLimit = spoolLimit
        self.grace = grace
    }
}
