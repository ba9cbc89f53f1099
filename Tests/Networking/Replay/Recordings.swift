import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting

/// Recordings in a directory of the test.
struct Recordings {
    let directory: TemporaryDirectory
    let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.file("tides.har")
    }

    /// A client of `http://tides.test` that retries at once.
    func client(_ transport: any Transport, auth: AuthStyle = .none) throws -> HTTPAPIClient {
        try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: transport, auth: auth,
            resilience: Resilience(.atOnce, clock: ManualClock(), random: { 0.5 }),
            options: ClientOptions(coalescesReads: false))
    }

    func recorder(
        _ base: any Transport, secrets: [Secret] = [], bodyLimit: Int = 1 << 20, clock: ManualClock = ManualClock()
    ) -> RecordingTransport {
        RecordingTransport(
            wrapping: base, to: file, secrets: secrets, bodyLimit: bodyLimit, clock: clock, wallClock: ManualWallClock()
        )
    }

    /// Sends `requests` one by one through a recording of `answers`, and writes the file.
    func record(
        _ requests: [RawRequest], _ answers: [ScriptedTransport.Answer], auth: AuthStyle = .none,
        secrets: [Secret] = [],
        bodyLimit: Int = 1 << 20
    ) async throws {
        let transport = ScriptedTransport()
        for answer in answers { transport.append(answer) }
        let recorder = recorder(ReadingTransport(base: transport), secrets: secrets, bodyLimit: bodyLimit)
        let client = try client(recorder, auth: auth)
        for request in requests { _ = try? await client.collect(request) }
        try recorder.finish()
    }

    /// The text of the file.
    var text: String { directory.content("tides.har").map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// The entries of the file.
    var entries: [JSONValue] {
        get throws {
            let document = try WireJSON.decode(JSONValue.self, from: Data(text.utf8))
            guard case .array(let entries) = document.object?["log"]?.object?["entries"] else { return [] }
            return entries
        }
    }

    /// Writes a file as another program does, with these entries.
    func write(_ entries: String..., before: [UInt8] = []) throws {
        let text = #"{"log":{"version":"1.2","creator":{},"pages":[],"entries":[\#(entries.joined(separator: ","))]}}"#
        try directory.write("tides.har", Data(before) + Data(text.utf8))
    }

    func replay(repeatsLast: Bool = false) throws -> ReplayTransport {
        try ReplayTransport(har: file, repeatsLast: repeatsLast)
    }
}

extension RawClient {
    func collect(_ request: RawRequest) async throws(NetworkError) -> RawResponse {
        try await collect(request, upTo: 1 << 20, options: CallOptions(), events: { _ in })
    }

    /// The text of the response to a GET.
    func text(_ url: String) async throws(NetworkError) -> String {
        String(decoding: try await collect(RawRequest(.get, url)).bytes, as: UTF8.self)
    }

    /// Why a request fails.
    func failure(_ request: RawRequest) async -> String {
        do throws(NetworkError) {
            _ = try await collect(request)
            return "the call succeeded"
        } catch {
            return error.description
        }
    }
}

/// Reads the body of each request, as a transport with a connection does.
private struct ReadingTransport: Transport {
    let base: ScriptedTransport

    func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        if let body = request.body {
            for try await _ in try await body.open() {}
        }
        try await base.send(request, receive: receive)
    }
}
