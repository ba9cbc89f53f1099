import StrataDomain
import StrataNetworking
import StrataTesting

/// Downloads of one file in a directory of their own, by a script, with nothing replaced but the transport.
struct DownloadRig {
    let directory: TemporaryDirectory
    var origin = FileOrigin(content: FileOrigin.bytes(10_000))

    init() throws { directory = try TemporaryDirectory() }

    @discardableResult
    func download(
        to name: String = "a", digest: ContentDigest? = nil, _ script: ScriptedTransport.Answer...
    ) async throws -> (file: DownloadedFile, transport: ScriptedTransport) {
        let bench = try bench(script)
        return (try await download(bench, to: "\(directory.path)/\(name)", digest: digest), bench.transport)
    }

    /// The text of a failure, and how many requests went out before it.
    func failure(
        to name: String = "a", _ script: ScriptedTransport.Answer...
    ) async throws -> (text: String, requests: Int) {
        let bench = try bench(script)
        do {
            _ = try await download(bench, to: "\(directory.path)/\(name)", digest: nil)
            return ("no failure", bench.transport.requests.count)
        } catch { return ("\(error)", bench.transport.requests.count) }
    }

    private func bench(_ script: [ScriptedTransport.Answer]) throws -> Bench {
        let policy = try RetryPolicy(attempts: 1, baseDelay: .zero, longestDelay: .zero)
        let bench = try Bench(resilience: ResilienceOptions(retry: policy))
        for answer in script { bench.transport.append(answer) }
        return bench
    }

    private func download(_ bench: Bench, to path: String, digest: ContentDigest?) async throws -> DownloadedFile {
        try await ResumableDownloads(client: bench.client, resilience: bench.resilience).download(
            RawRequest(.get, "/files/a"), DownloadRequest(path: path, digest: digest))
    }
}
