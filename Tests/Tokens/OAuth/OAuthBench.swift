import Foundation
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting

@testable import StrataTokens

/// An OAuth client with a scripted server, its own clocks and predictable randomness.
struct OAuthBench {
    let transport = ScriptedTransport()
    let clock = ManualWallClock(SessionTokens.noon)
    let log = LogRecorder()

    static let server = "https://id.test"

    func oauth(
        _ client: OAuthClient = .public(id: "app"), server: OAuthServer? = nil, resilience: Resilience? = nil,
        timer: any Clock<Duration> = ContinuousClock(),
        random: @escaping RandomBytes = { [UInt8](repeating: 7, count: $0) }
    ) throws -> OAuth {
        try OAuth(
            server: try server
                ?? .endpoints(
                    token: "\(Self.server)/oauth/token", authorization: "\(Self.server)/authorize?tenant=a%20b",
                    device: "\(Self.server)/device"),
            client: client, transport: transport,
            resilience: try resilience ?? Resilience(ResilienceOptions(retry: .never)),
            clock: ServerClock(clock), timer: timer, random: random, logger: log.logger())
    }

    func answer(_ body: String, status: Int = 200) { transport.append(.json(body, status: status)) }

    /// An answer with the access token `access`.
    func answer(token access: String, refresh: String? = nil, living life: Int = 900) {
        let refresh = refresh.map { #","refresh_token":"\#($0)""# } ?? ""
        answer(#"{"access_token":"\#(access)","token_type":"Bearer","expires_in":\#(life)\#(refresh)}"#)
    }

    /// The bodies of all requests, in order.
    var forms: [String] {
        transport.requests.map { String(decoding: $0.body?.bytes ?? Data(), as: UTF8.self) }
    }
}

/// A clock on which every sleep is over at once.
final class RecordingClock: Clock {
    private let slept = Mutex<[Duration]>([])
    var waits: [Duration] { slept.withLock { $0 } }
    var now: ManualClock.Instant { .init(offset: waits.reduce(.zero, +)) }
    let minimumResolution = Duration.nanoseconds(1)

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        let wait = now.duration(to: deadline)
        slept.withLock { $0.append(wait) }
    }
}

extension NetworkError {
    /// The error with all that a program could print of it.
    var everything: String { "\(self) \(kind) \(errorDescription ?? "") \(String(describing: problem))" }
}
