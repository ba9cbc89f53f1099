import StrataDomain
import StrataNetworking

/// The stored responses that a write invalidates (RFC 9111, section 4.4).
enum WriteInvalidation {
    /// The URLs whose stored responses must be revalidated after a write, each once; the target first.
    static func urls(_ request: CacheRequest, status: Int, fields: HeaderFields) -> [String] {
        guard !request.isSafe, (200..<400).contains(status) else { return [] }
        var urls = [request.url]
        guard let target = try? HTTPURL(request.url) else { return urls }
        for name in ["Location", "Content-Location"] {
            guard let text = fields[name], let url = try? target.resolving(text.trimmed), url.origin == target.origin,
                !urls.contains(url.description)
            else { continue }
            urls.append(url.description)
        }
        return urls
    }
}
