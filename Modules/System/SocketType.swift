/// The types of `socket(2)` as numbers: Glibc has them as an enumeration, other C libraries as integers.
package enum SocketType {
    #if canImport(Glibc)
        package static let stream = CInt(SOCK_STREAM.rawValue)
        package static let datagram = CInt(SOCK_DGRAM.rawValue)
    #else
        package static let stream = SOCK_STREAM
        package static let datagram = SOCK_DGRAM
    #endif
}
