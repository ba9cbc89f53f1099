import FoundationEssentials
import StrataDomain
import StrataNetworking

/// One exchange of a recording: a request, and its response or the reason why there is none.
struct HAREntry: Sendable {
    struct Body: Sendable {
        /// `nil` for a body that was not kept.
        var bytes: Data?
        var size: Int
        /// Why the body ended before its end; `nil` for a whole one.
        var failure: RecordedFailure?
    }

    struct Response: Sendable {
        var head: ResponseHead
        var body: Body
    }

    var started = Date(timeIntervalSince1970: 0)
    var method: String
    var url: String
    var requestHeaders: HeaderFields
    /// `nil` for none.
    var requestBody: Body?
    var outcome: Result<Response, RecordedFailure>
    /// Until the head of the response arrived.
    var wait = Duration.zero
    /// From the head of the response to its end.
    var receive = Duration.zero
}

/// A failure of a transport, as it stands in a recording.
enum RecordedFailure: String, Error, Sendable {
    case offline
    case connectionLost = "connection-lost"
    case timeout, tls
    case invalidResponse = "invalid-response"
    /// The body was not read to its end.
    case unread
    /// The body is larger than the recording keeps.
    case tooLarge = "too-large"

    /// - Returns: `nil` for what says nothing about the server, such as a cancelled call.
    init?(_ error: any Error) {
        switch (error as? NetworkError)?.kind {
        case .offline: self = .offline
        case .connectionLost: self = .connectionLost
        case .timeout: self = .timeout
        case .tls: self = .tls
        case .invalidResponse: self = .invalidResponse
        default: return nil
        }
    }

    /// The failure that a replay meets.
    var error: NetworkError {
        switch self {
        case .offline: NetworkError(.offline("no connection was made when this was recorded"))
        case .connectionLost: NetworkError(.connectionLost("the connection was lost when this was recorded"))
        case .timeout: NetworkError(.timeout)
        case .tls: NetworkError(.tls("there was no secure connection when this was recorded"))
        case .invalidResponse: NetworkError(.invalidResponse("it was not usable when this was recorded"))
        case .unread:
            NetworkError(.unexpected("the recording ends here: the rest of the body was not read. Record it again"))
        case .tooLarge:
            NetworkError(
                .unexpected("the recording does not hold this body. Record it again with a larger 'bodyLimit'"))
        }
    }
}
