import AttachmentsAPI
import AttachmentsDomain
import Foundation
import Glibc
import HummingbirdTesting
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

/// Uploads and downloads that do not come to their end, over real sockets.
@Suite struct InterruptedUploadTests {
    private let form = FormSample(name: "smoke.log", type: "text/plain", content: Data(count: 400_000))

    private func head(_ backend: AttachmentsBackend) async throws -> String {
        "POST /v1/journal/entries/\(try await backend.entry())/attachments HTTP/1.1\r\nHost: a\r\n"
            + "Authorization: Bearer ada\r\nContent-Type: \(form.contentType)\r\n"
            + "Content-Length: \(form.body.count)\r\n\r\n"
    }

    /// Half of an upload, and the wait until the backend writes it.
    private func begin(_ backend: AttachmentsBackend) async throws -> PlainSocket {
        let socket = try PlainSocket(port: backend.client.port ?? 0)
        socket.send(Data(try await head(backend).utf8) + form.body.prefix(263_000))
        // Until the first piece is stored: what is still on its way then is less than a span must bring.
        try await eventually(try await isWritten(backend))
        return socket
    }

    private func isWritten(_ backend: AttachmentsBackend) async throws -> Bool {
        if backend.place == .tables { return try await backend.contents()[1] > 0 }
        return backend.staged.contains { size(backend.directory + "/incoming/\($0)") > 0 }
    }

    private func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    @Test(arguments: ContentPlace.allCases)
    func `an upload that breaks off leaves nothing`(_ place: ContentPlace) async throws {
        try await withAttachmentsBackend(.live, in: place) { backend in
            for ends in [PlainSocket.End.finish, .close] {
                let socket = try await begin(backend)
                socket.end(ends)
                try await eventually(try await backend.contents()[1] == 0)
                #expect(try await backend.contents() == [0, 0])
            }
        }
    }

    @Test(arguments: ContentPlace.allCases)
    func `an upload that stalls is 408 and leaves nothing`(_ place: ContentPlace) async throws {
        let clock = ManualClock()
        let limits = ServiceLimits()
        try await withAttachmentsBackend(.live, in: place, clock: clock) { backend in
            let socket = try await begin(backend)
            // The first span had bytes enough, and a span in which the service still stores them passes, too.
            let spans = Task {
                while true {
                    await clock.waitForSleeper(dueIn: limits.bodyGrace)
                    if Task.isCancelled { return }
                    clock.advance(by: limits.bodyGrace)
                }
            }
            let answer = try await socket.readToEnd()
            spans.cancel()
            // Ends the wait of the other task.
            let sleeper = Task { try await clock.sleep(for: limits.bodyGrace) }
            await spans.value
            sleeper.cancel()
            #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
            #expect(answer.contains("body_too_slow"))
            #expect(try await backend.contents() == [0, 0])
        }
    }

    @Test func `a reader who goes away in the middle leaves the file closed`() async throws {
        try await withAttachmentsBackend(.live, limit: 50_000_000) { backend in
            let entry = try await backend.entry()
            let id = try await backend.upload(Data(count: 20_000_000), to: entry).attachment().id.rawValue
            let socket = try PlainSocket(port: backend.client.port ?? 0)
            socket.send(
                Data(
                    "GET /v1/attachments/\(id)/content HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ada\r\n\r\n".utf8))
            #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            let path = backend.directory + "/" + (backend.files.first ?? "")
            #expect(openFiles().contains(path))
            socket.end(.close)
            try await eventually(!openFiles().contains(path))
        }
    }

    /// What this process has open.
    private func openFiles() -> Set<String> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return Set(
            names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") })
    }
}

/// A plain socket to 127.0.0.1, for messages that stop halfway.
final class PlainSocket: Sendable {
    enum End: Sendable { case finish, close }

    private let descriptor: CInt
    private let pool = BlockingPool(threads: 1, queueLimit: 8)

    struct Refused: Error {}

    init(port: Int) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr = in_addr(s_addr: inet_addr("127.0.0.1"))
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard result == 0 else { throw Refused() }
        var time = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func send(_ bytes: Data) {
        bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = Glibc.send(
                    descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, CInt(MSG_NOSIGNAL))
                guard count > 0 else { return }
                sent += count
            }
        }
    }

    /// Stops sending, or goes away at once with a reset.
    func end(_ end: End) {
        switch end {
        case .finish: shutdown(descriptor, CInt(SHUT_WR))
        case .close:
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
            // The kernel resets a connection that is connected to nothing.
            var nowhere = sockaddr(
                sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
        }
    }

    func readToEnd() async throws -> String { try await read(until: nil) }

    func read(until marker: String?) async throws -> String {
        let descriptor = descriptor
        return try await pool.run {
            var text = ""
            var buffer = [UInt8](repeating: 0, count: 4096)
            while marker.map({ !text.contains($0) }) ?? true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return text }
                text += String(decoding: buffer.prefix(count), as: UTF8.self)
            }
            return text
        }
    }
}
