public import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataSystem

/// `fetch URL|PATH -o FILE`.
public struct FetchCommand: RequestConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Download into a file, and resume an interrupted download.",
        discussion: """
            The file appears when it is complete and its digest is correct, and replaces an older one. Until then the \
            received part lies beside it, and the same command resumes it if the server sends an ETag. Without --timeout \
            the limit is 24 hours.

            --max-bytes limits the size; without it a download may fill the disk. Without --digest, the digest that the \
            server sends is compared.

            With --json: {"path", "size", "digest", "resumed_from", "verified"}.

            Exit codes: 65 for a wrong digest, no content, or more than --max-bytes; 66 for 404; 69 if the server is \
            unreachable; 73 if the disk cannot take it; 75 for timeouts, 429, and 503 with Retry-After.

            Example: \(ProgramName.current) fetch https://example.org/disk.img -o disk.img
            """)

    /// What is called, and how.
    @OptionGroup package var call: CallArguments
    /// `--output`: the file that is written.
    @Option(
        name: [.short, .long], help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
    public var output: String
    /// `--digest`: what the content must have; `nil` for what the server says.
    @Option(
        help: ArgumentHelp(
            "Expected digest: sha-256= or sha-512= with hexadecimal digits or Base64, or hexadecimal digits alone.",
            valueName: "digest"))
    public var digest: String?
    /// `--max-bytes`: the most bytes; `nil` for no limit of its own.
    @Option(help: ArgumentHelp("Maximum size of the file in bytes.", valueName: "n"))
    public var maxBytes: Int?
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func validate() throws {
        try RequestArguments.check(maxBytes, "--max-bytes", in: 1...(1 << 60))
        _ = try expected()
    }

    /// The call has the limit.
    public var timeLimit: Duration? { nil }

    public func run(_ tools: RequestTools, _ console: Console) async throws {
        try checkDestination()
        var settings = RequestSettings()
        settings.deadline = options.deadline ?? Self.longestTime
        settings.retries = call.retries
        let downloader = try tools.makeDownloader(settings)
        let progress = TransferProgress()
        let request = RawRequest(.get, call.target, headers: try RequestArguments.headers(call.headers))
        let download = DownloadRequest(
            path: output, digest: try expected(), limit: maxBytes.map(Int64.init), progress: progress)
        let deadline = settings.deadline
        let (result, bytes) = await console.outcome(showing: progress, "fetch \(output)", clock: tools.clock) {
            () async throws(NetworkError) in
            try await downloader.download(
                request, download, options: CallOptions(deadline: deadline), events: { _ in })
        }
        let file: DownloadedFile
        do { file = try result.get() } catch {
            let kept = await downloader.beginning(of: output)
            throw CommandFailure(ExitStatus(error), FailureSentence(error, kept: kept, hadArrived: bytes > 0).text)
        }
        if console.isJSON {
            return try console.json(
                [
                    "path": file.path, "size": file.bytes, "digest": file.digest.description,
                    "resumed_from": file.resumedFrom, "verified": file.isVerified,
                ] as JSONDocument)
        }
        console.out("\(file.path)  \(file.bytes) bytes  \(file.digest)")
        if file.resumedFrom > 0 { console.note("went on behind \(file.resumedFrom) bytes of an earlier run") }
        if !file.isVerified { console.note("no digest was stated to compare with; --digest gives one") }
    }

    private static let longestTime = Duration.seconds(24 * 3600)

    private func expected() throws -> ContentDigest? {
        guard let digest else { return nil }
        guard let expected = ContentDigest(text: digest) else {
            throw ValidationError(
                "'\(SafeText.oneLine(digest))' is no digest. Write sha-256= or sha-512= and the digest as hexadecimal "
                    + "digits or Base64.")
        }
        return expected
    }

    private func checkDestination() throws {
        var status = stat()
        let isDirectory = stat(output, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        guard !isDirectory, !output.hasSuffix("/"), !output.isEmpty else {
            throw CommandFailure(.cannotWrite, "'\(output)' is a directory. Name a file in it with -o.")
        }
    }
}
