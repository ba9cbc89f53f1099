import FoundationEssentials
import StrataDomain

/// One download, from the part to the destination.
struct DownloadRun: Sendable {
    /// Restarts of one run after responses that do not continue the part.
    private static let longestRestarts = 3

    let client: HTTPAPIClient
    let resilience: Resilience
    let part: PartFile
    let request: RawRequest
    let download: DownloadRequest
    let options: CallOptions
    let events: EventSink

    /// The result of one exchange.
    private enum Step: Sendable {
        /// The part has all announced bytes.
        case arrived(PartRecord)
        /// The server says that the part is complete.
        case ended(PartRecord)
        /// The server sent a shorter range.
        case more
        case again(String)
    }

    func file() async throws(NetworkError) -> DownloadedFile {
        let deadline = resilience.deadline(
            options.deadline == .inherited ? .after(ResumableDownloads.longestTime) : options.deadline, isStream: true)
        let found = await part.size
        var (attempt, restarts, furthest) = (1, 0, found)
        let isWhole = Locked(false)
        while true {
            let started = Locked(false)
            do {
                let step = try await exchange(before: deadline, found: found, isWhole: isWhole, started: started)
                switch step {
                case .arrived(let record):
                    return try await finished(record, resumedFrom: isWhole.value ? 0 : found)
                case .ended(let record):
                    if let file = try await finishedIfRight(record, resumedFrom: isWhole.value ? 0 : found) {
                        return file
                    }
                    try await restart("what is there does not match its digest", &restarts)
                case .more: break
                case .again(let reason): try await restart(reason, &restarts)
                }
            } catch {
                // A failure before the body was retried by the pipeline.
                guard !Task.isCancelled else {
                    throw NetworkError(.cancelled, request: error.request, attempts: error.attempts)
                }
                guard started.value else { throw error }
                let size = await part.size
                let hasProgress = size > furthest
                attempt = hasProgress ? 1 : attempt
                furthest = max(furthest, size)
                let wait = try decide(after: error, attempt: attempt, isFree: hasProgress, deadline)
                do { try await resilience.time.sleep(for: wait) } catch { throw NetworkError(.cancelled) }
                attempt += 1
            }
        }
    }

    private func restart(_ reason: String, _ count: inout Int) async throws(NetworkError) {
        count += 1
        guard count <= Self.longestRestarts else {
            throw NetworkError(.invalidResponse("\(reason); it was begun anew \(Self.longestRestarts) times"))
        }
        try await part.reset()
    }

    /// - Returns: The wait before the next exchange.
    /// - Parameter isFree: Whether bytes have arrived since the last failure; then the retry budget is not charged.
    private func decide(
        after error: NetworkError, attempt: Int, isFree: Bool, _ deadline: Deadline
    ) throws(NetworkError) -> Duration {
        let (options, random) = (resilience.options, resilience.random())
        let decision = options.retry.limited(to: self.options.retry.attempts).decide(
            RetryFailure(error), attempt: attempt, of: RetrySubject(.get, hasIdempotencyKey: false),
            remaining: deadline.remaining, random: random)
        guard case .retry(let wait, _) = decision else { throw error }
        if !isFree, let origin = try? HTTPURL(request.url).origin, !options.budget.withdraw(for: origin) { throw error }
        return wait
    }

    private func exchange(
        before deadline: Deadline, found: Int64, isWhole: Locked<Bool>, started: Locked<Bool>
    ) async throws(NetworkError) -> Step {
        let record = await part.record()
        let plan = DownloadPlan(
            source: PartRecord.source(of: request.url), record: record, size: await part.size)
        var call = options
        call.deadline = deadline.isNone ? .none : .after(deadline.remaining)
        for field in plan.headers { call.headers[field.name] = field.value }
        let now = resilience.wallClock.now
        return try await client.stream(request, options: call, events: events) { head, body in
            switch plan.read(head, now: now) {
            case .whole(let record):
                if let total = record.total { try await checkLimit(total) }
                try await part.begin(record)
                isWhole.value = true
                started.value = true
                try await save(body, length: record.total, total: record.total, resumedFrom: 0)
                return .arrived(record)
            case .rest(let record, let length):
                try await checkLimit(await part.size + length)
                try await part.note(record)
                started.value = true
                try await save(
                    body, length: length, total: record.total, resumedFrom: isWhole.value ? 0 : found)
                let size = await part.size
                return size == record.total ? .arrived(record) : .more
            case .complete(let record): return .ended(record)
            case .again(let reason): return .again(reason)
            case .unusable(let reason): throw NetworkError(.invalidResponse(reason))
            case .failure: throw try await failure(head, body, now: now)
            }
        }
    }

    private func save(
        _ body: any AsyncSequence<Data, any Error> & Sendable, length: Int64?, total: Int64?, resumedFrom: Int64
    ) async throws {
        var received: Int64 = 0
        var size = await part.size
        download.progress?.report(TransferCount(bytes: size, total: total, resumedFrom: resumedFrom))
        for try await chunk in body {
            received += Int64(chunk.count)
            if let length, received > length {
                try await part.reset()
                throw NetworkError(.invalidResponse("\(length) bytes were announced and more were sent"))
            }
            try await checkLimit(size + Int64(chunk.count))
            try await part.append(chunk)
            size += Int64(chunk.count)
            download.progress?.report(TransferCount(bytes: size, total: total, resumedFrom: resumedFrom))
        }
        // A cancelled stream may end without an error.
        try Task.checkCancellation()
        if let length, received < length {
            throw NetworkError(.connectionLost("the body ended after \(received) of \(length) bytes"))
        }
    }

    /// - Throws: `.invalidResponse` for content over the limit; the part is dropped.
    private func checkLimit(_ bytes: Int64) async throws(NetworkError) {
        guard let limit = download.limit, bytes > limit else { return }
        try await part.reset()
        throw NetworkError(.invalidResponse("it has more than the \(limit) bytes that were allowed"))
    }

    private func failure(
        _ head: ResponseHead, _ body: any AsyncSequence<Data, any Error> & Sendable, now: Date
    ) async throws -> NetworkError {
        let response = ClientResponse(head, body: ResponseBody(body))
        return try await CollectedResponse(response, to: .get, upTo: 0).failure(now: now)
    }
}

extension DownloadRun {
    /// - Throws: `.invalidResponse` when the content does not match its digest; the part is dropped.
    private func finished(_ record: PartRecord, resumedFrom: Int64) async throws(NetworkError) -> DownloadedFile {
        let digest = try await part.digest(.sha256)
        if let mismatch = try await mismatch(record, sha256: digest) {
            try await part.reset()
            throw NetworkError(.invalidResponse(mismatch))
        }
        let size = await part.size
        try await part.finish()
        return DownloadedFile(
            path: download.path, bytes: size, digest: digest, resumedFrom: resumedFrom,
            isVerified: download.digest != nil || !record.digests.isEmpty)
    }

    /// - Returns: `nil` when the content does not match.
    private func finishedIfRight(
        _ record: PartRecord, resumedFrom: Int64
    ) async throws(NetworkError) -> DownloadedFile? {
        guard try await mismatch(record, sha256: part.digest(.sha256)) == nil else { return nil }
        return try await finished(record, resumedFrom: resumedFrom)
    }

    private func mismatch(_ record: PartRecord, sha256: ContentDigest) async throws(NetworkError) -> String? {
        let stated = record.digests.flatMap(ContentDigest.list)
        for expected in [download.digest].compactMap(\.self) + stated {
            let actual = expected.algorithm == .sha256 ? sha256 : try await part.digest(expected.algorithm)
            if actual != expected { return "the content is \(actual) and should be \(expected)" }
        }
        return nil
    }
}
