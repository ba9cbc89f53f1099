import FoundationEssentials
import StrataDomain
import StrataSystem

/// One run of an upload, from the record of an earlier one to the response.
struct UploadRun: Sendable {
    /// New beginnings of one run, and appends without progress that others have overtaken.
    private static let longestRestarts = 3
    /// Bytes of a response that are read.
    private static let answerLimit = 1 << 20

    let client: HTTPAPIClient
    let resilience: Resilience
    let target: HTTPURL
    /// The request of the endpoint, whose body is the file.
    let request: RawRequest
    let upload: UploadRequest
    /// Of the file when the run began.
    let file: Stat
    let options: CallOptions
    let record: UploadRecordFile

    private var answers: UploadAnswers { UploadAnswers(size: file.size) }
    private var content: UploadRecord.Content { .init(upload, file, key: options.idempotencyKey) }

    /// The upload resource, and what the server has said of it last.
    private struct Place {
        let url: HTTPURL
        /// `nil` when the server must be asked.
        var state: UploadAnswers.State?
    }

    /// - Returns: The response and the bytes of earlier runs; `nil` when the server cannot resume uploads.
    func response() async throws(NetworkError) -> (CollectedResponse, resumedFrom: Int64)? {
        let deadline = resilience.deadline(
            options.deadline == .inherited ? .after(ResumableUploads.longestTime) : options.deadline, isStream: true)
        var place = try await recorded(before: deadline).map { Place(url: $0) }
        var (attempt, overtaken, restarts, furthest) = (1, 0, 0, Int64(0))
        // Bytes at the first contact; `nil` before.
        var found: Int64?
        while true {
            guard let now = place else {
                switch try await create(before: deadline) {
                case .unsupported: return nil
                case .complete(let response): return (response, found ?? file.size)
                case .created(let url, let state):
                    try await record.write(UploadRecord(url: url.description, content: content))
                    place = Place(url: url, state: state)
                    (found, furthest, overtaken) = (found.map { min($0, state.offset) }, 0, 0)
                }
                continue
            }
            guard let state = now.state else {
                guard let state = try await state(of: now.url, before: deadline) else {
                    try restart(&restarts, "the server has lost it")
                    await record.clear()
                    (place, found) = (nil, 0)
                    continue
                }
                place?.state = state
                continue
            }
            if state.isComplete {
                // Its response was lost; the same request again is answered with it.
                guard options.idempotencyKey != nil else {
                    await record.clear()
                    throw NetworkError(.connectionLost("the upload is complete, and its response was lost"))
                }
                try restart(&restarts, "it is complete, and the server does not repeat its response")
                await record.clear()
                (place, found) = (nil, found ?? file.size)
                continue
            }
            let start = found ?? state.offset
            found = start
            if state.offset > furthest { (attempt, overtaken, furthest) = (1, 0, state.offset) }
            let sent = Locked(state.offset)
            do throws(NetworkError) {
                let part = answers.next(after: state)
                let response = try await append(part, to: now.url, before: deadline, resumedFrom: start, sent: sent)
                if part.upperBound == file.size { return (response, start) }
                place?.state?.offset = part.upperBound
            } catch {
                place?.state = nil
                guard !Task.isCancelled else { throw NetworkError(.cancelled, request: error.request) }
                if UploadAnswers.isOvertaken(error) {
                    overtaken += 1
                    guard overtaken <= Self.longestRestarts else { throw error }
                    if overtaken > 1 { try await pause(after: error, attempt: 1, isFree: true, deadline) }
                } else {
                    try await pause(after: error, attempt: attempt, isFree: sent.value > state.offset, deadline)
                    attempt += 1
                }
            }
        }
    }

    private func restart(_ count: inout Int, _ reason: String) throws(NetworkError) {
        count += 1
        guard count <= Self.longestRestarts else {
            throw NetworkError(
                .invalidResponse("the upload cannot go on: \(reason); it was begun anew \(count - 1) times"))
        }
    }

    /// Waits before the server is asked again.
    ///
    /// - Parameter isFree: Whether the retry budget is not charged, because bytes were sent.
    /// - Throws: `error` when it must not be repeated.
    private func pause(
        after error: NetworkError, attempt: Int, isFree: Bool, _ deadline: Deadline
    ) async throws(NetworkError) {
        let retry = resilience.options.retry.limited(to: options.retry.attempts)
        let failure = UploadAnswers.isOvertaken(error) ? RetryFailure.ambiguous : RetryFailure(error)
        // An append that took effect is found by the offset, so it never takes effect twice.
        let decision = retry.decide(
            failure, attempt: attempt, of: RetrySubject(name: "PATCH", isRepeatable: true),
            remaining: deadline.remaining, random: resilience.random())
        guard case .retry(let wait, _) = decision else { throw error }
        if !isFree, !resilience.options.budget.withdraw(for: target.origin) { throw error }
        do { try await resilience.time.sleep(for: wait) } catch { throw NetworkError(.cancelled) }
    }

    // MARK: - Requests

    /// The upload of an earlier run; `nil` without one, and when it was of another content, which is cancelled.
    private func recorded(before deadline: Deadline) async throws(NetworkError) -> HTTPURL? {
        guard let record = await record.read(), let url = try? HTTPURL(record.url), url.origin == target.origin else {
            return nil
        }
        guard record.content != content else { return url }
        await self.record.clear()
        // The server would keep it for some time; what it says does not matter.
        _ = try? await send(RawRequest(.delete, url.description, headers: request.headers), before: deadline)
        guard !Task.isCancelled else { throw NetworkError(.cancelled) }
        return nil
    }

    private enum Creation {
        case created(HTTPURL, UploadAnswers.State)
        case complete(CollectedResponse)
        case unsupported
    }

    /// Creates an upload without content: its address must be known before the first byte is sent, and not every transport
    /// passes on interim responses.
    private func create(before deadline: Deadline) async throws(NetworkError) -> Creation {
        var creation = request
        creation.body = .bytes(Data(), contentType: upload.contentType)
        creation.headers[UploadFields.complete] = UploadFields.text(false)
        creation.headers[UploadFields.length] = String(file.size)
        creation.headers["Content-Disposition"] = ContentDisposition.inline(upload.fileName)
        creation.headers["Repr-Digest"] = upload.digest?.field
        do throws(NetworkError) {
            let response = try await send(creation, key: options.idempotencyKey, before: deadline)
            switch try answers.creation(response.head, at: target) {
            case .created(let url, let state): return .created(url, state)
            case .complete: return .complete(response)
            case .unsupported: return .unsupported
            }
        } catch {
            guard UploadAnswers.isUnsupported(error) else { throw error }
            return .unsupported
        }
    }

    /// - Returns: `nil` when the server does not have the upload any more.
    private func state(of url: HTTPURL, before deadline: Deadline) async throws(NetworkError) -> UploadAnswers.State? {
        do throws(NetworkError) {
            let response = try await send(
                RawRequest(.head, url.description, headers: request.headers), before: deadline)
            return try answers.state(response.head)
        } catch {
            guard UploadAnswers.isGone(error) else { throw error }
            return nil
        }
    }

    /// Sends a part of the file. It is sent once: after a failure the server is asked how much of it arrived.
    private func append(
        _ part: Range<Int64>, to url: HTTPURL, before deadline: Deadline, resumedFrom: Int64, sent: Locked<Int64>
    ) async throws(NetworkError) -> CollectedResponse {
        var append = RawRequest(.patch, url.description, headers: request.headers)
        append.headers[UploadFields.offset] = String(part.lowerBound)
        append.headers[UploadFields.complete] = UploadFields.text(part.upperBound == file.size)
        let (path, file, progress) = (upload.path, file, upload.progress)
        @Sendable func report(_ place: Int64) {
            sent.value = place
            progress?.report(TransferCount(bytes: place, total: file.size, resumedFrom: resumedFrom))
        }
        append.body = .stream(
            length: part.count, isReplayable: false, contentType: UploadFields.partial
        ) {
            let reader = try await FileReader.reading(path, part, unchangedSince: file)
            report(part.lowerBound)
            return AsyncThrowingStream {
                let piece = try await reader.read()
                if piece != nil { report(await reader.position) }
                return piece
            }
        }
        return try await send(append, attemptTimeout: deadline.remaining, before: deadline)
    }

    /// - Throws: Also for a status of 300 or more.
    private func send(
        _ request: RawRequest, key: String? = nil, attemptTimeout: Duration? = nil, before deadline: Deadline
    ) async throws(NetworkError) -> CollectedResponse {
        var call = options
        call.idempotencyKey = key
        call.deadline = deadline.isNone ? .none : .after(deadline.remaining)
        call.attemptTimeout = attemptTimeout
        let (wallClock, method) = (resilience.wallClock, request.method)
        return try await client.stream(request, options: call, events: { _ in }) { head, body in
            let response = try await CollectedResponse(
                ClientResponse(head, body: ResponseBody(body)), to: method, upTo: Self.answerLimit)
            guard response.isSuccess else { throw response.failure(now: wallClock.now) }
            return response
        }
    }
}
