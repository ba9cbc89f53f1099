import AttachmentsAPI
import AttachmentsDomain
import Foundation
import HummingbirdTesting
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

/// Uploads and downloads that do not come to their end, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct InterruptedUploadTests {
    private let form = FormSample(name: "smoke.log", type: "text/plain", content: Data(count: 400_000))

    private func head(_ backend: AttachmentsBackend) async throws -> String {
        "POST /v1/journal/entries/\(try await backend.entry())/attachments HTTP/1.1\r\nHost: a\r\n"
            + "Authorization: Bearer ada\r\nContent-Type: \(form.contentType)\r\n"
            + "Content-Length: \(form.body.count)\r\n\r\n"
    }

    /// Half of an upload, and the wait until the backend writes it.
    private func begin(_ backend: AttachmentsBackend) async throws -> RawConnection {
        let socket = try await RawConnection(port: backend.client.port ?? 0)
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
            for isReset in [false, true] {
                let socket = try await begin(backend)
                if isReset { await socket.reset() } else { socket.finishSending() }
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
            let socket = try await RawConnection(port: backend.client.port ?? 0)
            socket.send(
                Data(
                    "GET /v1/attachments/\(id)/content HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ada\r\n\r\n".utf8))
            #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            let path = backend.directory + "/" + (backend.files.first ?? "")
            #expect(openFiles().contains(path))
            await socket.reset()
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
