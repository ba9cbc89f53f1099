import FoundationEssentials
import StrataHTTP

/// Adds fields to the calls of a closure and keeps `ETag` and `Date` of the responses.
actor ObservedClient: APIClient {
    private nonisolated let base: any APIClient
    private let added: CallOptions
    private(set) var entityTag: String?
    /// Of the first response: what changed since then may be missing in it.
    private(set) var date: Date?

    init(_ base: any APIClient, adding headers: HeaderFields) {
        self.base = base
        added = CallOptions(headers: headers)
    }

    /// A client for one write.
    init(_ base: any APIClient, for write: RemoteWrite, _ abilities: RemoteAbilities) {
        self.base = base
        var options = CallOptions()
        if let tag = write.entityTag { options.headers["If-Match"] = tag }
        if case .idempotencyKey(let header) = abilities.repeats {
            // The client repeats a POST whose key it knows; another name is only a field.
            if header.lowercased() == "idempotency-key" {
                options.idempotencyKey = write.id
            } else {
                options.headers[header] = write.id
            }
        }
        added = options
    }

    nonisolated var context: ClientContext { base.context }

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        let response = try await base.response(to: endpoint, options: options.overlaying(added))
        note(response.head)
        return response
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions, receive: @escaping ReceiveBody<Result>
    ) async throws(NetworkError) -> Result {
        try await base.stream(endpoint, options: options.overlaying(added), receive: receive)
    }

    private func note(_ head: ResponseHead) {
        // `If-Match` compares strongly (RFC 9110, section 13.1.1): a weak tag never fits.
        entityTag = head.headers["ETag"].flatMap { $0.hasPrefix("W/") ? nil : $0 }
        date = date ?? head.headers["Date"].flatMap { HTTPDate.date(from: $0, now: context.wallClock.now) }
    }
}
