import StrataService

/// How users log in with a password, and how often.
struct LoginSettings: Sendable, Equatable {
    enum PasswordLogin: String, Sendable, CaseIterable {
        case on, off
    }

    var passwordLogin = PasswordLogin.on
    /// Of new password hashes.
    var passwordCost = ScryptCost.recommended
    /// Failed logins of a name from one address within the window.
    var failures = 10
    var windowSeconds = 900
    /// Logins of a name from one address.
    var rate = RateLimit(burst: 60, perSecond: 4)
    /// Most sessions of a user.
    var sessions = 50
}
