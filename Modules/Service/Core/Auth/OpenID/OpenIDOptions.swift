import FoundationEssentials
public import StrataDomain

/// The OpenID provider at which users sign in, and how this service is registered there.
public struct OpenIDOptions: Sendable, Equatable {
    /// What happens at the first sign-in of a user whom no account is linked to.
    public enum Accounts: String, Sendable, CaseIterable {
        /// It is refused, until an administrator links an account.
        case link
        /// A member is created and linked.
        case create
    }

    /// The issuer, byte for byte as its tokens name it.
    public let issuer: String
    /// The id of this service at the provider.
    public let clientId: String
    /// `nil` for a client without a secret, which PKCE alone protects.
    public let clientSecret: Secret?
    /// The name of the provider on pages.
    public let name: String
    /// What happens to a user without an account; `nil` leaves it to the rule of the program, which is `link` without one.
    public let accounts: Accounts?

    /// - Parameters:
    ///   - issuer: `https` without a query; `http` for an address of this machine only.
    ///   - clientId: 1 to 255 visible ASCII characters.
    ///   - name: 1 to 40 characters. Default: the host of the issuer.
    ///   - accounts: In place of the program's rule. Default: that rule.
    /// - Throws: `OpenIDOptionsError` naming what cannot be used; it does not repeat the secret.
    public init(
        issuer: String, clientId: String, clientSecret: Secret? = nil, name: String? = nil, accounts: Accounts? = nil
    ) throws(OpenIDOptionsError) {
        guard let host = OpenIDURL.host(issuer, allowsLoopback: true), !issuer.contains("?") else {
            throw .issuer
        }
        guard (1...255).contains(clientId.utf8.count), clientId.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .clientId
        }
        let name = name ?? host
        guard (1...40).contains(name.count), !name.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            throw .name
        }
        (self.issuer, self.clientId, self.clientSecret) = (issuer, clientId, clientSecret)
        (self.name, self.accounts) = (name, accounts)
    }

    /// Whether the provider is on this machine, where `http` is no risk.
    var isLocal: Bool { issuer.hasPrefix("http:") }
}

/// Which of the options cannot be used.
public enum OpenIDOptionsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The issuer is no `https` URL.
    case issuer
    /// The client id is empty, too long, or has other characters.
    case clientId
    /// The name is empty, too long, or has control characters.
    case name

    public var description: String {
        switch self {
        case .issuer: "must be a URL like https://id.example.org, without a query; http only for this machine"
        case .clientId: "must be 1 to 255 visible ASCII characters"
        case .name: "must be 1 to 40 characters"
        }
    }
}

/// The URLs of a provider.
enum OpenIDURL {
    /// The host of an absolute URL without user, password and fragment; `nil` for anything else.
    ///
    /// - Parameter allowsLoopback: Also takes `http` to an address of this machine.
    static func host(_ text: String, allowsLoopback: Bool) -> String? {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.user == nil,
            parts.password == nil, parts.fragment == nil
        else { return nil }
        let isLoopback = ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host)
        guard parts.scheme == "https" || parts.scheme == "http" && allowsLoopback && isLoopback else { return nil }
        return host
    }
}
