/// Limits in bytes, counts and time. Every value has a default that suits a small service.
public struct ServiceLimits: Sendable, Hashable {
    /// Largest request body in bytes, unless the endpoint is `BodyLimited`. Default 1 MiB.
    public var maxBody = 1024 * 1024
    /// Longest path with query, in bytes. Default 8 KiB.
    public var maxTarget = 8 * 1024
    /// Largest sum of all header fields, in bytes. Default 32 KiB.
    public var maxHeaders = 32 * 1024
    /// Most header fields. Default 100.
    public var maxHeaderCount = 100
    /// Longest time from the head of a request to its response; more than the 30 s of a long poll. For an upload
    /// `transferTime` applies instead once its caller is authorized. Default 60 s.
    public var requestTime: Duration = .seconds(60)
    /// Longest time of an upload, or of sending a response, at any rate. Default 24 h.
    public var transferTime: Duration = .seconds(86_400)
    /// Files and long responses that one caller may send or fetch at once; one more is 429. Default 32.
    public var transfersPerCaller = 32
    /// The span in which a body must bring the bytes of `minimumBodyRate`. Default 10 s.
    public var bodyGrace: Duration = .seconds(10)
    /// Bytes per second, at least 1, of a body in each span of `bodyGrace` and of the reader of a response. Default 512.
    public var minimumBodyRate = 512
    /// Longest time a whole request may take to arrive, also after its response was sent, unless its body keeps
    /// `minimumBodyRate`. Default 2 min.
    public var requestReadTime: Duration = .seconds(120)
    /// Idle timeout of a connection, and longest time of a request head. Default 30 s.
    public var idleTime: Duration = .seconds(30)
    /// Longest pause of a reader while response bytes wait. The kernel of a reader takes up to 128 KiB at a time, so a steady
    /// reader at 1 KiB/s pauses for 2 min. Default 3 min.
    public var writeTime: Duration = .seconds(180)
    /// Response bytes that may wait for readers, over all connections. Above it the connections of the slowest readers are
    /// closed. Above half of it a read whose response is larger than 128 KiB waits before it is encoded, up to 10 s; a caller
    /// without such a response waits only above all of it. On one connection some 128 KiB of a file wait at most. Default
    /// 32 MiB.
    public var maxWaitingBytes = 32 * 1024 * 1024
    /// Bytes of request bodies of more than 32 KiB in memory, over all connections, without those of uploads, which go to a file.
    /// Above half of it a request waits before its body is read, up to 10 s; a caller without such a request waits only above all
    /// of it. While one waits, connections that have sent less than 128 KiB/s after 3 s are closed. One body may pass it. Default 64 MiB.
    public var maxReceivedBytes = 64 * 1024 * 1024
    /// How long the drain waits for requests in flight. Default 10 s.
    public var drainTime: Duration = .seconds(10)
    /// Most connections at once; one more evicts the connection that has been idle longest. Fewer when the limit of open
    /// files, which the service raises, does not allow as many. Default 4096.
    public var maxConnections = 4096
    /// Most connections at once from one address, or one IPv6 network of 64 bits; one more is closed. At most half of
    /// `maxConnections`. Trusted proxies and Unix-domain sockets are exempt. Default 256.
    public var maxConnectionsPerAddress = 256
    /// Stored response bytes of the idempotency keys of one caller, for responses of more than 2 KiB; a new one drops the oldest.
    /// Default 32 MiB.
    public var maxIdempotentBytes = 32 * 1024 * 1024
    /// Requests of each user, host token and address.
    public var rates = RateLimits()

    /// The standard limits.
    public init() {}
}
