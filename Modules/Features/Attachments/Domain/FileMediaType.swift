/// The media type of a file: guessed from its name by the sender, checked by the receiver, believed by nobody.
package enum FileMediaType {
    /// For content nobody knows anything about (RFC 2046, section 4.5.1).
    package static let unknown = "application/octet-stream"

    /// What the extension says; `unknown` for one that is not in the table.
    package static func guessed(from name: FileName) -> String {
        name.pathExtension.flatMap { byExtension[$0] } ?? unknown
    }

    /// Whether `text` is `type/subtype` with or without parameters, in at most 127 visible ASCII characters and spaces
    /// (RFC 9110, section 8.3.1).
    package static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= 127, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return false }
        var essence = text.prefix { $0 != ";" }
        // White space may stand before a semicolon, nowhere else.
        if essence.endIndex != text.endIndex { while essence.last == " " { essence.removeLast() } }
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy(isToken)
    }

    /// RFC 9110, section 5.6.2.
    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    /// What people attach to a journal: logs, screenshots, dumps, archives (iana.org/assignments/media-types).
    private static let byExtension: [String: String] = [
        "txt": "text/plain", "log": "text/plain", "conf": "text/plain", "out": "text/plain", "err": "text/plain",
        "md": "text/markdown", "csv": "text/csv", "html": "text/html", "htm": "text/html", "css": "text/css",
        "json": "application/json", "xml": "application/xml", "yaml": "application/yaml", "yml": "application/yaml",
        "pdf": "application/pdf", "zip": "application/zip", "gz": "application/gzip", "tgz": "application/gzip",
        "zst": "application/zstd", "tar": "application/x-tar", "xz": "application/x-xz", "bz2": "application/x-bzip2",
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
        "svg": "image/svg+xml", "mp4": "video/mp4", "webm": "video/webm", "mp3": "audio/mpeg", "wav": "audio/wav",
        "pcap": "application/vnd.tcpdump.pcap", "sqlite": "application/vnd.sqlite3",
    ]
}
