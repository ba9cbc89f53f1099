public import StrataDomain

extension ByteSource {
    /// All of it as text.
    ///
    /// - Parameters:
    ///   - limit: Bytes to accept at most.
    ///   - name: For messages: the path as it was given.
    /// - Throws: `.validation` for more than `limit` bytes or invalid UTF-8.
    public func text(limit: Int, name: String) async throws(DomainError) -> String {
        var bytes: [UInt8] = []
        while let piece = try await next() {
            bytes += piece
            guard bytes.count <= limit else {
                throw .validation("'\(name)' is larger than \(limit) bytes. Give a shorter text.")
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .validation("'\(name)' is not valid UTF-8. Convert it first, for example with iconv.")
        }
        return text
    }
}
