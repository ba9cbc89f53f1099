import Crypto
import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// What every downloader promises, the double that other tests use included.
struct DownloaderContractTests {
    enum Kind: CaseIterable, Sendable { case network, double }

    private struct GetFile: RoutedEndpoint {
        static let route = Route.get("/files/a")
        typealias Response = NoContent
    }

    private let directory: TemporaryDirectory
    private let origin = FileOrigin(content: FileOrigin.bytes(10_000))
    private var path: String { directory.file("a") }

    init() throws { directory = try TemporaryDirectory() }

    private func overNetwork(_ answer: ScriptedTransport.Answer) throws -> any Downloader {
        let bench = try Bench.plain(answer)
        return ResumableDownloads(client: bench.client, resilience: bench.resilience)
    }

    /// A downloader of `origin`.
    ///
    /// - Parameter isCut: Whether the connection is lost before the response.
    private func downloader(_ kind: Kind, isCut: Bool = false) throws -> any Downloader {
        switch kind {
        case .network: return try overNetwork(isCut ? .failure(.connectionLost("cut")) : origin.answer())
        case .double:
            let answers = MockAPIClient()
            answers.onStream(GetFile.self) { [origin] _, options in
                if isCut { throw NetworkError(.connectionLost("cut")) }
                let (head, body) = origin.plain(options.headers)
                return (head, stride(from: 0, to: body.count, by: 1000).map { Data(body.dropFirst($0).prefix(1000)) })
            }
            return FileDownloader(answers: answers) { bytes in
                guard let digest = ContentDigest(.sha256, Data(SHA256.hash(data: bytes))) else {
                    preconditionFailure("a SHA-256 has 32 bytes")
                }
                return digest
            }
        }
    }

    /// Leaves the first 4000 bytes behind, as an interrupted run does.
    private func interrupt(_ kind: Kind) async throws {
        switch kind {
        case .network:
            let cut = try overNetwork(origin.answer(cut: 4000))
            await #expect(throws: NetworkError.self) { try await download(cut) }
        case .double: try origin.content.prefix(4000).write(to: URL(filePath: FileDownloader.partPath(of: path)))
        }
    }

    @discardableResult
    private func download(
        _ downloader: any Downloader, digest: ContentDigest? = nil, limit: Int64? = nil,
        progress: TransferProgress? = nil
    ) async throws -> DownloadedFile {
        try await downloader.download(
            GetFile(), DownloadRequest(path: path, digest: digest, limit: limit, progress: progress),
            options: CallOptions())
    }

    @Test(arguments: Kind.allCases)
    func `a file arrives whole, replaces an older one and leaves nothing beside it`(kind: Kind) async throws {
        try directory.write("a", Data("old".utf8))
        let file = try await download(try downloader(kind))
        #expect(directory.content("a") == origin.content && directory.names == ["a"])
        #expect(
            file
                == DownloadedFile(
                    path: path, bytes: 10_000, digest: try origin.sha256, resumedFrom: 0, isVerified: false))
    }

    @Test(arguments: Kind.allCases)
    func `a download goes on behind what an interrupted one left`(kind: Kind) async throws {
        try await interrupt(kind)
        let file = try await download(try downloader(kind), digest: origin.sha256)
        #expect(directory.content("a") == origin.content && directory.names == ["a"])
        #expect(file.resumedFrom == 4000 && file.isVerified)
    }

    @Test(arguments: Kind.allCases)
    func `content of another digest is refused, and the older file stays`(kind: Kind) async throws {
        try directory.write("a", Data("old".utf8))
        let wrong = try #require(ContentDigest(.sha256, Data(count: 32)))
        let downloader = try downloader(kind)
        let error = await #expect(throws: NetworkError.self) { try await download(downloader, digest: wrong) }
        #expect(error?.kindText.hasPrefix("invalidResponse") == true)
        #expect(directory.content("a") == Data("old".utf8) && directory.names == ["a"])
    }

    @Test(arguments: Kind.allCases)
    func `content beyond the limit is refused and not kept`(kind: Kind) async throws {
        let downloader = try downloader(kind)
        let error = await #expect(throws: NetworkError.self) { try await download(downloader, limit: 9_999) }
        #expect(error?.kindText.hasPrefix("invalidResponse") == true)
        #expect(directory.names.isEmpty)
        #expect(try await download(try self.downloader(kind), limit: 10_000).bytes == 10_000)
    }

    @Test(arguments: Kind.allCases)
    func `a lost connection leaves the older file`(kind: Kind) async throws {
        try directory.write("a", Data("old".utf8))
        let downloader = try downloader(kind, isCut: true)
        let error = await #expect(throws: NetworkError.self) { try await download(downloader) }
        #expect(error?.kindText.hasPrefix("connectionLost") == true)
        #expect(directory.content("a") == Data("old".utf8) && directory.names == ["a"])
    }

    @Test(.timeLimit(.minutes(1)), arguments: Kind.allCases)
    func `progress counts to the last byte and ends with the download`(kind: Kind) async throws {
        let progress = TransferProgress()
        async let counts = progress.updates.reduce(into: [Int64]()) { $0.append($1.bytes) }
        try await download(try downloader(kind), progress: progress)
        #expect(await counts.last == 10_000)
    }
}
