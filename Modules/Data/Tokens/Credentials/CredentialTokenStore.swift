import FoundationEssentials
public import StrataDomain
import StrataSystem

/// Tokens in a credential that systemd gives a service (systemd.exec, `LoadCredential=`): read, never written.
///
/// The file `$CREDENTIALS_DIRECTORY/NAME` has either the JSON of `FileTokenStore` or one line of text: an API key or an access token
/// that does not expire. White space around it is ignored.
public struct CredentialTokenStore: TokenStore {
    public let place: String
    private let path: String
    private let name: String

    /// - Parameters:
    ///   - name: As in the unit file.
    ///   - environment: Where `CREDENTIALS_DIRECTORY` is looked for.
    public init(name: String, environment: [String: String]) throws(TokenStoreError) {
        guard let directory = environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") else {
            throw TokenStoreError(
                "There are no credentials (CREDENTIALS_DIRECTORY is not set); run this as a systemd service with "
                    + "'LoadCredential=\(name):PATH'.")
        }
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2F || $0 < 0x20 }) else {
            throw TokenStoreError("'\(name)' cannot name a credential; use the name of the 'LoadCredential=' line.")
        }
        self.name = name
        path = "\(directory)/\(name)"
        place = "credential \(path)"
    }

    public var isReadOnly: Bool { true }

    public func read() async throws(TokenStoreError) -> SessionTokens? {
        guard let bytes = try await content() else { return nil }
        if bytes.first(where: { !Self.isSpace($0) }) == UInt8(ascii: "{") {
            do { return try StoredTokens(from: bytes).tokens() } catch {
                throw TokenStoreError(
                    "The credential '\(path)' is damaged (\(error)); correct it and restart the service.")
            }
        }
        return SessionTokens(access: try text(in: bytes), expiresAt: .distantFuture)
    }

    /// The bare text itself, for an API key.
    ///
    /// - Throws: When there is no such credential, or it is not one line of text.
    public func secret() async throws(TokenStoreError) -> Secret {
        guard let bytes = try await content() else {
            throw TokenStoreError("There is no credential '\(path)'; add 'LoadCredential=\(name):PATH' to the service.")
        }
        return try text(in: bytes)
    }

    public func write(_ tokens: SessionTokens) async throws(TokenStoreError) { throw refusal("replaced") }
    public func clear() async throws(TokenStoreError) { throw refusal("removed") }

    /// Runs `body` without a lock: a credential has no writer.
    public func withLock<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result { try await body() }

    private func refusal(_ verb: String) -> TokenStoreError {
        TokenStoreError(
            "The \(place) cannot be \(verb) by the service itself; change what 'LoadCredential=' names and restart it.")
    }

    private func content() async throws(TokenStoreError) -> Data? {
        try await runBlocking { [path] () throws(TokenStoreError) in try CredentialFile(path: path).read() }
    }

    private func text(in bytes: Data) throws(TokenStoreError) -> Secret {
        let start = bytes.firstIndex { !Self.isSpace($0) } ?? bytes.endIndex
        let end = bytes.lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? start
        let line = bytes[start..<max(start, end)]
        guard !line.isEmpty, line.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw TokenStoreError("The credential '\(path)' is not one line of printable text; correct it and restart.")
        }
        return Secret(String(decoding: line, as: UTF8.self))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
