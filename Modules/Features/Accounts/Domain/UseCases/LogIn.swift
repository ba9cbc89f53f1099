package import StrataDomain

/// Starts a session and keeps its tokens.
package struct LogIn: Sendable {
    private let repository: any SessionRepository
    package init(_ repository: any SessionRepository) { self.repository = repository }

    /// Where the tokens are kept, for people.
    ///
    /// - Parameter device: What the session is listed as; cut to 100 bytes.
    /// - Throws: `.validation` for an empty name or password, before anything is sent; `.unauthorized` for a wrong one.
    package func callAsFunction(
        username: String, password: Secret, device: String
    ) async throws(DomainError) -> String {
        var check = FieldCheck()
        check.text("username", username, bytes: 1...64)
        // Only the length of what may be sent: which passwords are good is decided when they are set.
        if !(1...1024).contains(password.reveal().utf8.count) { check.refuse("password", "must have 1 to 1024 bytes") }
        try check.orThrow("The login was not sent.")
        return try await repository.login(username: username, password: password, device: Self.shortened(device))
    }

    private static func shortened(_ device: String) -> String {
        var name = device
        while name.utf8.count > 100 { name.removeLast() }
        return name
    }
}
