import FoundationEssentials
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
                throw .validation("\(Self.quoted(name)) is larger than \(limit) bytes. Give a shorter text.")
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .validation("\(Self.quoted(name)) is not valid UTF-8. Convert it first, for example with iconv.")
        }
        return text
    }

    private static func quoted(_ name: String) -> String { name == "-" ? "Standard input" : "File '\(name)'" }
}

extension Console {
    /// The text in the file at `path`; `-` is standard input.
    ///
    /// - Parameter limit: Bytes to accept at most.
    /// - Throws: `CommandFailure` with status 66 for a file that cannot be read; `.validation` for one that is too large or
    ///   not UTF-8.
    public func text(of path: String, limit: Int) async throws -> String {
        try await DescriptorSource.open(path, or: input).text(limit: limit, name: path)
    }

    /// A password from standard input, less one line break at its end.
    public func passwordFromInput() async throws(DomainError) -> Secret {
        var text = try await input.bytes().text(limit: 4096, name: "-")
        if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
        return Secret(text)
    }
}
