/// A path of this service to which a page sends the browser.
public enum LocalPath {
    /// Longest path with its query, in bytes.
    public static let longest = 1024

    /// `path` if a browser reads it as a path of the page's own host, otherwise `standard`.
    ///
    /// Refused: another scheme or host, also as `//host` and `/\host`, which browsers read alike; a space and a control character,
    /// which browsers drop; a fragment; and characters that are not ASCII, which a link has encoded.
    public static func accepted(_ path: String?, otherwise standard: String) -> String {
        guard let path, path.utf8.count <= longest, path.hasPrefix("/"), !path.hasPrefix("//"),
            path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"\\#<>".utf8.contains($0) })
        else { return standard }
        return path
    }
}
