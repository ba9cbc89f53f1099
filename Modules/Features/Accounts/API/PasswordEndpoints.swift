package import StrataDomain

/// `PUT /v1/me/password`: every other session of the caller ends.
package struct ChangePassword: RoutedEndpoint {
    package static let route = Route.put("/v1/me/password")
    package typealias Response = NoContent
    package static let documentation = EndpointDocumentation(
        details:
            "Every other session of the caller ends. A wrong current password is 422, and counts as a failed login.",
        problems: [403: ["sign_in_disabled"], 429: ["too_many_logins"]])
    /// A repetition whose first answer was lost would find another current password.
    package var options: CallOptions { CallOptions(retry: .never) }

    @Body package var change: PasswordChange

    package init(change: PasswordChange) { self.change = change }
}

/// `POST /v1/password-resets`: mails a link, if the account exists and has an address. The answer does not tell.
package struct RequestPasswordReset: RoutedEndpoint {
    package static let route = Route.post("/v1/password-resets")
    package static let successStatus = 202
    package typealias Response = NoContent
    package static let documentation = EndpointDocumentation(
        details: """
            Mails a link to the page `/password-reset`, if the account exists and has an address. The answer is the same in \
            any case.
            """,
        problems: [
            403: ["password_reset_disabled", "sign_in_disabled"], 429: ["too_many_password_resets"],
        ])

    @Body package var request: PasswordResetRequest

    package init(request: PasswordResetRequest) { self.request = request }
}

/// The body of `PUT /v1/me/password`.
package struct PasswordChange: Codable, Sendable {
    package var currentPassword: String
    package var newPassword: String

    package init(currentPassword: String, newPassword: String) {
        self.currentPassword = currentPassword
        self.newPassword = newPassword
    }
}

extension PasswordChange: SchemaRefining {
    package static func refined(_ schema: JSONSchema) -> JSONSchema {
        var schema = schema
        schema.properties["new_password"] = .text(8...1024)
        return schema
    }
}

/// The body of `POST /v1/password-resets`.
package struct PasswordResetRequest: Codable, Sendable {
    package var username: String

    package init(username: String) { self.username = username }
}
