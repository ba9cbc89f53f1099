import FoundationEssentials
public import Hummingbird
import Logging
import NIOCore
import StrataConcurrency

/// What the server knows about the connection of a request.
public struct ServiceContext: InitializableFromSource, Sendable {
    /// The peer's address; empty where there is none.
    let peer: String
    let logger: Logger
    private let channel: any Channel

    public init(source: ApplicationRequestContextSource) {
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress ?? ""
        logger = source.logger
    }

    /// Tells a sender that waits with its body to go on (RFC 9110, section 10.1.1).
    func inviteBody() { channel.triggerUserOutboundEvent(ConnectionOrder.proceed, promise: nil) }
}

/// One request on its way through the middlewares.
struct ServiceCall: Sendable {
    let request: Request
    /// The socket's peer; empty where it has no address.
    let peer: String
    /// Whose call it is, worked out once.
    let origin: ClientOrigin
    let receivedAt: Date
    var requestId: String
    var logger: Logger
    /// Tells a sender that waits with its body to go on.
    var proceed: @Sendable () -> Void = {}
    /// Written further in, read further out.
    let notes = CallNotes()

    /// Called once before the body is read, when nothing speaks against the request any more.
    func inviteBody() { if request.headers[.expect] != nil { proceed() } }
}

/// What inner steps learn about a call and outer steps report.
final class CallNotes: Sendable {
    private struct Notes {
        var route: String?
        var principal: String?
        var quota: RateQuota?
        var body = BodyState.unread
    }

    enum BodyState: Sendable, Hashable {
        case unread
        /// Reading began and did not come to the end.
        case interrupted
        case consumed
    }

    private let notes = Mutex(Notes())

    /// The template of the matched route; `nil` when none matched.
    var route: String? {
        get { notes.withLock { $0.route } }
        set { notes.withLock { $0.route = newValue } }
    }
    var principal: String? {
        get { notes.withLock { $0.principal } }
        set { notes.withLock { $0.principal = newValue } }
    }
    /// What is left of the caller's rate; `nil` where none was counted.
    var quota: RateQuota? {
        get { notes.withLock { $0.quota } }
        set { notes.withLock { $0.quota = newValue } }
    }
    var body: BodyState {
        get { notes.withLock { $0.body } }
        set { notes.withLock { $0.body = newValue } }
    }
}
