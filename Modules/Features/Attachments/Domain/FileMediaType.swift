/// The media type of a file, guessed from its name.
package enum FileMediaType {
    /// For content of an unknown type (RFC 2046, section 4.5.1).
    package static let unknown = "application/octet-stream"

    /// The type of the extension; `unknown` for an extension that is not in the table.
    package static func guessed(from name: FileName) -> String {
        name.pathExtension.flatMap { byExtension[$0] } ?? unknown
    }

    /// What is attached: logs, screenshots, dumps, archives (iana.org/assignments/media-types).
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
