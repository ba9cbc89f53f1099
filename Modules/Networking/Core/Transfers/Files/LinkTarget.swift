import StrataSystem

/// Where a symbolic link leads, also to a file that is yet to be made.
///
/// `curl -o` and `wget -O` write through a link. To put a file in place of the link, as a plain `rename` does, would cut
/// off whoever reads it under its own name.
enum LinkTarget {
    /// As many as the kernel follows (path_resolution(7)).
    private static let longestChain = 40

    /// `path` itself when it is no link; else the path at the end of the chain.
    ///
    /// - Throws: `ELOOP` for links that lead nowhere but to each other.
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
