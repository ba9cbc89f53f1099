import FoundationEssentials
public import Hummingbird
import Logging
import NIOCore
import StrataConcurrency

/// The connection of a request.
public struct ServiceContext: InitializableFromSource, Sendable {
    /// Address of the peer; empty when there is none.
    let peer: String
    let logger: Logger
    private let channel: any Channel

    public init(source: ApplicationRequestContextSource) {
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress ?? ""
        logger = source.logger
    }

    /// Sends `100 Continue` to a client that waits for it (RFC 9110, section 10.1.1).
    func sendContinue() { channel.triggerUserOutboundEvent(ConnectionCommand.sendContinue, promise: nil) }
}

/// An event for the `ConnectionGuard` of a channel.
enum ConnectionCommand: Sendable {
    /// Send `100 Continue` if the client of the current request waits for it.
    case sendContinue
    /// Close at once, also during a request.
    case close
}

/// One request in the middlewares and the endpoint.
struct ServiceCall: Sendable {
    let request: Request
    /// Address of the peer of the socket; empty when there is none.
    let peer: String
    /// The client, also behind trusted proxies.
    let origin: ClientOrigin
    let receivedAt: Date
    var requestId: String
    var logger: Logger
    /// Sends `100 Continue` to a client that waits for it.
    var sendContinue: @Sendable () -> Void = {}
    /// Written by inner middlewares, read by outer ones.
    let notes = CallNotes()

    /// Call once before the body is read, when the request is accepted.
    func acceptBody() { if request.headers[.expect] != nil { sendContinue() } }
}

/// Facts about a request that inner middlewares find and outer ones report.
@dynamicMemberLookup final class CallNotes: Sendable {
    struct Notes {
        /// Template of the matched route; `nil` when none matched.
        var route: String?
        /// The key of the caller; `nil` without valid credentials.
        var principal: String?
        /// The remaining rate of the caller; `nil` for a request that is not counted.
        var quota: RateQuota?
        var body = BodyState.unread
    }

    enum BodyState: Sendable, Hashable {
        case unread
        /// Partly read.
        case interrupted
        case consumed
    }

    private let notes = Mutex(Notes())

    subscript<Value: Sendable>(dynamicMember member: any WritableKeyPath<Notes, Value> & Sendable) -> Value {
        get { notes.withLock { $0[keyPath: member] } }
        set { notes.withLock { $0[keyPath: member] = newValue } }
    }
}
