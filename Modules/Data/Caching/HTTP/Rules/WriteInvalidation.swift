/// What a request that may have changed something makes unusable (RFC 9111, section 4.4).
enum WriteInvalidation {
    /// The URLs whose stored responses must be validated after an answer, each once; the target first.
    static func urls(_ request: CacheRequest, status: Int, fields: FieldList) -> [String] {
        guard !request.isSafe, (200..<400).contains(status) else { return [] }
        var urls = [request.url]
        for name in ["Location", "Content-Location"] {
            guard let text = fields.value(name), let url = resolve(text, against: request.url),
                origin(of: url) == origin(of: request.url), !urls.contains(url)
            else { continue }
            urls.append(url)
        }
        return urls
    }

    /// An absolute URL without fragment (RFC 3986, section 5); `nil` for one of another scheme than HTTP.
    static func resolve(_ reference: String, against base: String) -> String? {
        let text = String(reference.trimmedOWS.prefix { $0 != "#" })
        if let scheme = text.firstRange(of: "://"), text[..<scheme.lowerBound].allSatisfy({ $0.isLetter }) {
            let origin = text[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
            guard ["http", "https"].contains(text[..<scheme.lowerBound].lowercased()), !origin.isEmpty else {
                return nil
            }
            let start = text[..<origin.endIndex].lowercased()
            let rest = text[origin.endIndex...]
            return withoutDefaultPort(start) + (rest.hasPrefix("/") ? rest : "/" + rest)
        }
        let origin = origin(of: base)
        if text.hasPrefix("//") { return resolve(base.prefix { $0 != ":" } + ":" + text, against: base) }
        let target = base.dropFirst(origin.count)
        let path = target.prefix { $0 != "?" }
        if text.isEmpty { return base }
        if text.hasPrefix("?") { return origin + path + text }
        let query = text.firstIndex(of: "?") ?? text.endIndex
        let joined = text.hasPrefix("/") ? text[..<query] : directory(path) + text[..<query]
        return origin + withoutDots(String(joined)) + text[query...]
    }

    static func origin(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return "" }
        return String(url[..<scheme.upperBound]) + url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
    }

    private static func withoutDefaultPort(_ origin: String) -> String {
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")]
        where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            return String(origin.dropLast(port.count))
        }
        return origin
    }

    private static func directory(_ path: Substring) -> Substring {
        path[...(path.lastIndex(of: "/") ?? path.startIndex)]
    }

    private static func withoutDots(_ path: String) -> String {
        var kept: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            switch part {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(part)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}
