public import FoundationEssentials
import StrataDomain
import StrataNetworking

/// What goes wrong between a client and a server.
extension ScriptedTransport.Answer {
    /// `answer`, after `delay` on `clock`.
    public static func delayed(
        by delay: Duration, on clock: any Clock<Duration>, then answer: ScriptedTransport.Answer
    ) -> ScriptedTransport.Answer {
        ScriptedTransport.Answer { request in
            try await clock.sleep(for: delay)
            return try await answer.make(request)
        }
    }

    /// A head that announces `announced` bytes, `body`, and then the end of the connection.
    ///
    /// - Parameter announced: Sent as `Content-Length`; a body of that length is whole.
    public static func truncated(announced: Int, body: Data, status: Int = 200) -> ScriptedTransport.Answer {
        let isWhole = body.count >= announced
        return chunks(
            body.isEmpty ? [] : [body.prefix(announced)], status: status,
            headers: [FieldName.contentLength: "\(announced)"],
            then: isWhole ? nil : NetworkError(.connectionLost("the connection was closed in mid-message")))
    }

    /// `answer`, whose connection is reset before byte `count` of the body; 0 is the first.
    public static func reset(atByte count: Int, of answer: ScriptedTransport.Answer) -> ScriptedTransport.Answer {
        ScriptedTransport.Answer { request in
            try await answer.make(request).broken(after: count, "the connection was reset at byte \(count)")
        }
    }

    /// Something that is no HTTP.
    public static var garbage: ScriptedTransport.Answer { .failure(.invalidResponse("it is no legal HTTP")) }

    /// A 200 whose body never ends; each chunk is made when it is asked for.
    public static func endless(_ chunk: Data) -> ScriptedTransport.Answer {
        streamed { _ in chunk }
    }

    /// A 200 with a body in pieces: the piece of number n, from 0, comes once `gates[n]` is open.
    public static func slow(_ chunks: [Data], gates: [Gate]) -> ScriptedTransport.Answer {
        streamed { number in
            guard number < chunks.count else { return nil }
            if number < gates.count { try await gates[number].wait() }
            return chunks[number]
        }
    }

    /// Interim answers before `answer`, which a transport passes over (RFC 9110, section 15.2).
    ///
    /// - Parameter statuses: 100 to 199; another one is an error of the script.
    public static func interim(_ statuses: [Int], then answer: ScriptedTransport.Answer) -> ScriptedTransport.Answer {
        guard let wrong = statuses.first(where: { !(100..<200).contains($0) }) else { return answer }
        return .failure(.unexpected("\(wrong) is no interim status; use 100 to 199"))
    }

    private static func streamed(_ chunk: @escaping @Sendable (Int) async throws -> Data?) -> ScriptedTransport.Answer {
        ScriptedTransport.Answer { _ in
            ClientResponse(ResponseHead(status: 200), body: ResponseBody(ChunkSource(chunk: chunk)))
        }
    }
}
