extension HTTPURL {
    /// The path without a slash at its end: the prefix of all paths below this base URL.
    var pathPrefix: String { path.hasSuffix("/") ? String(path.dropLast()) : path }

    /// The absolute URL of `target` as text: a path, which begins with `/`, lies below this base URL; a URL is unchanged.
    public func absolute(_ target: String) -> String {
        target.hasPrefix("/") ? "\(origin)\(pathPrefix)\(target)" : target
    }

    /// The path of `url` below this base URL, with its leading slash; `nil` for a URL that is not below it.
    public func relativePath(of url: HTTPURL) -> String? {
        guard url.origin == origin, url.path.hasPrefix(pathPrefix + "/") else { return nil }
        return String(url.path.dropFirst(pathPrefix.count))
    }
}
