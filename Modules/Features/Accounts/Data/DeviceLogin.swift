import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataTokens

/// The device's part of a login by a browser (RFC 8628): asks for codes, and polls until the user has decided.
///
/// A poll whose response was lost is repeated like any other: the server sends the tokens again while they are unused.
struct DeviceLogin: Sendable {
    private let client: any APIClient
    private let clock: ServerClock
    private let timer: any Clock<Duration>

    /// - Parameter client: Sends without credentials.
    init(client: any APIClient, clock: ServerClock, timer: any Clock<Duration>) {
        self.client = client
        self.clock = clock
        self.timer = timer
    }

    /// - Parameters:
    ///   - limit: For all requests and waits together. Default: `nil`, until the codes expire.
    ///   - show: Gets the code and the page once, before the first poll.
    /// - Throws: `.validation` with the error of RFC 8628, section 3.5, in its problem; `.timeout` at the limit;
    ///   `.cancelled`.
    func tokens(
        device: String, within limit: Duration? = nil, show: @Sendable (DeviceCode) -> Void
    ) async throws(NetworkError) -> SessionTokens {
        let elapsed = Self.stopwatch(timer)
        let request = AuthorizeDevice(request: DeviceRequest(deviceName: device))
        let codes = try await client.response(to: request, options: CallOptions(deadline: limit)).value
        try show(DeviceCode(codes))
        let polling = DevicePolling(interval: codes.interval, expiresIn: codes.expiresIn, timer: timer)
        return try await polling.tokens(within: limit.map { $0 - elapsed() }) { left throws(NetworkError) in
            let asked = clock.now
            let answer = try await client.response(
                to: RefreshSession(grant: TokenGrant(deviceCode: codes.deviceCode)),
                options: CallOptions(deadline: left))
            return try SessionTokens(answer.value, askedAt: clock.learn(from: answer.head, askedAt: asked))
        }
    }

    private static func stopwatch(_ clock: some Clock<Duration>) -> () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}

extension DeviceCode {
    /// - Throws: `.invalidResponse` for a page that is no short `http` or `https` URL, since a user opens it.
    init(_ codes: DeviceAuthorization) throws(NetworkError) {
        let link = codes.verificationUriComplete ?? codes.verificationUri
        guard [codes.verificationUri, link].allSatisfy(Self.isPage), (1...100).contains(codes.userCode.utf8.count)
        else {
            throw NetworkError(.invalidResponse("the server sent no usable page or code for the login"))
        }
        self.init(code: codes.userCode, page: codes.verificationUri, link: link)
    }

    /// At most 1,000 visible ASCII characters.
    private static func isPage(_ text: String) -> Bool {
        let scheme = text.prefix { $0 != "/" }.lowercased()
        return ["http:", "https:"].contains(scheme) && text.dropFirst(scheme.count).hasPrefix("//")
            && text.utf8.count <= 1000 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension NetworkError {
    /// The error code of an OAuth endpoint; `nil` for any other failure.
    var oauthError: String? {
        switch kind {
        case .validation(let problem), .unauthorized(let problem): problem?.error
        default: nil
        }
    }
}
