import FoundationEssentials
import StrataSystem

/// Whether a URL may be a receiver of webhooks, as far as its text tells.
///
/// The text gives a clear error early, and no more: a name can lead anywhere. The transport looks at the address of each connection
/// (`AsyncHTTPTransport(_:admitting:)`).
enum WebhookTarget {
    /// - Parameter allowsPrivate: Also `http`, and addresses that are not public.
    /// - Throws: `JobFailure.permanent` naming the fault, without the query.
    static func check(_ url: String, allowsPrivate: Bool) throws(JobFailure) {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty, parts.fragment == nil else {
            throw .permanent("The URL of the receiver cannot be read; write it like https://example.com/hooks.")
        }
        let scheme = parts.scheme?.lowercased()
        guard scheme == "https" || allowsPrivate && scheme == "http" else {
            throw .permanent("The URL of the receiver at '\(host)' is not https.")
        }
        guard parts.user == nil, parts.password == nil else {
            throw .permanent("The URL of the receiver at '\(host)' has a user or a password; remove it.")
        }
        guard !allowsPrivate else { return }
        let name = host.lowercased().trimming(["[", "]"]).trimming(["."])
        if let address = IPAddress(name), !address.isPublic { throw refusal(host) }
        let isLocal = ["localhost", "local", "internal"].contains { name == $0 || name.hasSuffix(".\($0)") }
        guard !isLocal else { throw refusal(host) }
    }

    private static func refusal(_ host: String) -> JobFailure {
        .permanent("The receiver at '\(host)' is not in the public Internet; allow private addresses if it is meant.")
    }
}

extension String {
    fileprivate func trimming(_ characters: Set<Character>) -> String {
        var text = self[...]
        while let first = text.first, characters.contains(first) { text = text.dropFirst() }
        while let last = text.last, characters.contains(last) { text = text.dropLast() }
        return String(text)
    }
}
