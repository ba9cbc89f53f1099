import StrataDomain

extension HeaderFields {
    /// Without the fields that may hold a credential of the origin they were meant for.
    ///
    /// Names decide, and generously: losing a harmless field at a foreign origin costs less than showing it a secret.
    func withoutCredentials() -> HeaderFields {
        var result = HeaderFields()
        for field in self where !field.isCredential { result.add(field.name, field.value) }
        return result
    }

    /// The values in these fields that must never be shown or carried elsewhere.
    var credentials: [Secret] {
        filter(\.isCredential).flatMap { field in
            // `Bearer abc` is a secret, and so is `abc` alone; so is each value of `a=abc; b=def`.
            let last = field.value.split(separator: " ").last.map(String.init) ?? ""
            let values = field.value.split(separator: ";").compactMap { pair in
                pair.firstIndex(of: "=").map { String(pair[pair.index(after: $0)...]) }
            }
            return ([field.value, last] + values).filter { $0.utf8.count >= 4 }.map(Secret.init)
        }
    }
}

extension HeaderFields.Field {
    var isCredential: Bool {
        let name = name.lowercased()
        guard name != "idempotency-key", name != "sec-websocket-key" else { return false }
        return Redaction.standard.isSensitive(name) || name.hasSuffix("key")
            || ["auth", "cookie", "session", "jwt", "csrf", "xsrf", "passcode", "otp"].contains { name.contains($0) }
    }
}
