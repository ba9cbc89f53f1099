public import StrataDomain

extension Secret {
    /// A token from a server, as it can stand in a header field and in a file: 1 to 16,384 visible ASCII characters
    /// (RFC 6749, appendix A, without the space).
    ///
    /// - Parameter name: In the error: `access token`.
    /// - Throws: `.invalidResponse` for any other text, which is not repeated.
    public init(token text: String, _ name: String) throws(NetworkError) {
        guard (1...16_384).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw NetworkError(
                .invalidResponse("the server sent an empty \(name), or one with characters that no token has"))
        }
        self.init(text)
    }

    /// - Throws: `.invalidResponse` when the tokens of a response are not of the type `Bearer`, in any case (RFC 6749,
    ///   section 5.1).
    public static func checkType(_ type: String) throws(NetworkError) {
        guard type.lowercased() == "bearer" else {
            throw NetworkError(
                .invalidResponse("the server sent a token of type '\(type.prefix(40))', of which only Bearer is usable")
            )
        }
    }
}
