extension APIClient {
    /// The lines of a text that the server sends as it arises, without their ends.
    ///
    /// There is no total deadline unless `options` state one; the idle timeout ends a silent connection. The stream is not
    /// opened again after a failure.
    ///
    /// - Parameter limit: Bytes of a line, 1 or more; a longer one is `.invalidResponse`. Default 1 MiB.
    public func lines<E: Endpoint>(
        _ endpoint: E, upTo limit: Int = 1 << 20, options: CallOptions = CallOptions()
    ) -> ResponseStream<String> {
        elements(of: endpoint, by: LineParser(upTo: limit), options)
    }

    /// The rows of newline-delimited JSON, each decoded when its line arrived.
    ///
    /// Deadline and failures as with `lines`.
    ///
    /// - Parameter limit: Bytes of a row, 1 or more; a larger one is `.invalidResponse`. Default 1 MiB.
    public func json<E: Endpoint, Row: Decodable & Sendable>(
        _ endpoint: E, of row: Row.Type, upTo limit: Int = 1 << 20, options: CallOptions = CallOptions()
    ) -> ResponseStream<Row> {
        elements(of: endpoint, by: JSONRowParser(of: row, upTo: limit, in: E.json.or(context.json)), options)
    }

    private func elements<E: Endpoint, Parser: ChunkParser>(
        of endpoint: E, by parser: Parser, _ options: CallOptions
    ) -> ResponseStream<Parser.Element> {
        ResponseStream { (outlet) async throws(NetworkError) in
            try await self.stream(endpoint, options: options) { _, chunks in
                for try await element in chunks.parsed(by: parser) { try await outlet.send(element) }
            }
        }
    }
}
