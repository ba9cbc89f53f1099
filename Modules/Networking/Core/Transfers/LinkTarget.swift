import StrataSystem

/// The target of a symbolic link, which need not exist.
///
/// `curl -o` and `wget -O` write through a link. A `rename` over the link would leave its target as it was.
enum LinkTarget {
    /// As many as the kernel follows (path_resolution(7)).
    private static let longestChain = 40

    /// The path at the end of the chain of links; `path` itself when it is not a link.
    ///
    /// - Throws: `ELOOP` for a circle of links.
    static func path(of path: String) throws(Errno) -> String {
        var path = path
        for _ in 0..<longestChain {
            guard let status = try? Stat(path: path, following: false), status.isSymbolicLink else { return path }
            let target = try target(of: path)
            let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            path = target.hasPrefix("/") ? target : parent + target
        }
        throw .tooManySymbolicLinkLevels
    }

    private static func target(of link: String) throws(Errno) -> String {
        let capacity = Int(PATH_MAX)
        var bytes = [CChar](repeating: 0, count: capacity)
        let count = try systemCall { readlink(link, &bytes, capacity) }
        return String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
