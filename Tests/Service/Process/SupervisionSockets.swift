import Foundation
import StrataTesting

@testable import StrataService

/// A socket of this process that a service may be handed; open until the service closes it.
struct ListeningSocket {
    let descriptor: Int32
    let port: Int

    struct Unusable: Error {}

    /// - Parameter listens: `false` leaves it bound only.
    init(family: Int32 = AF_INET, listens: Bool = true) throws {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(family)
        var length = socklen_t(family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
        let isBound = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound, !listens || listen(descriptor, 16) == 0 else {
            close(descriptor)
            throw Unusable()
        }
        self.descriptor = descriptor
        // The port stands at one place in both families.
        port = withUnsafeBytes(of: storage) { Int($0[2]) << 8 | Int($0[3]) }
    }
}

extension Supervision {
    /// As a service manager would hand `descriptor` to this process.
    static func handing(_ descriptor: Int32) throws -> Supervision {
        try Supervision(
            environment: ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "1"], processId: getpid(),
            firstDescriptor: descriptor)
    }
}

/// Where a service reports to.
final class ManagerSocket: Sendable {
    let name: String
    private let descriptor: Int32
    private let path: String?
    private let pool = BlockingPool(threads: 1, queueLimit: 8)

    struct Silence: Error {}

    init(isAbstract: Bool = true) throws {
        let unique = "strata-notify-\(UUID().uuidString)"
        path = isAbstract ? nil : NSTemporaryDirectory() + unique
        name = path ?? "@\(unique)"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { throw ListeningSocket.Unusable() }
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        if let path { unlink(path) }
    }

    /// The next message.
    ///
    /// - Throws: `Silence` when none comes within 20 s.
    func message() async throws -> String {
        let descriptor = descriptor
        return try await pool.run { try Self.received(from: descriptor, flags: 0) }
    }

    /// A message that is there already.
    func messageAtHand() -> String? { try? Self.received(from: descriptor, flags: Int32(MSG_DONTWAIT)) }

    private static func received(from descriptor: Int32, flags: Int32) throws -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, flags)
        guard count >= 0 else { throw Silence() }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
