/// Why the kernel's tables could not be read.
enum NetlinkFault: Error, Sendable, Hashable {
    /// A structure of `needed` bytes, of which `available` are there.
    case truncated(what: String, needed: Int, available: Int)
    /// A length field that cannot be: less than its own header, or more than there is.
    case wrongLength(what: String, length: Int, available: Int)
    /// A field whose value the rest of the message contradicts.
    case wrongValue(what: String, value: Int)
    /// The kernel answered with an error number.
    case refused(Int32)
    /// A system call failed.
    case system(call: String, code: Int32)
    /// No answer came in time.
    case silent
}

extension NetlinkFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .truncated(let what, let needed, let available): "\(what) needs \(needed) bytes and has \(available)"
        case .wrongLength(let what, let length, let available):
            "\(what) claims \(length) bytes where \(available) are left"
        case .wrongValue(let what, let value): "\(what) cannot be \(value)"
        case .refused(let code): "the kernel refused with error \(code)"
        case .system(let call, let code): "\(call) failed with error \(code)"
        case .silent: "the kernel did not answer in time"
        }
    }
}
