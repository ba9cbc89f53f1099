import Foundation
import StrataTesting
import Testing

/// `shiftlog fetch` from a server that counts what it sends.
@Suite(.serialized) struct FetchTests {
    static let mebibyte = 1 << 20

    @Test func `killed at ten points of a download, it goes on each time and fetches no byte twice but one buffer`()
        async throws
    {
        let bench = try await Bench(mebibytes: 64)
        let kills = 10
        // What is sent beyond the bytes that are in the file, sockets included, is never more than this.
        let buffer = Self.mebibyte
        let server = try await ContentServer(bench.content, pace: .init(file: bench.output, window: buffer))
        var random = SeededRandom(seed: 31)
        let points = (0..<kills).map { _ in
            Int.random(in: 1..<bench.content.count - 5 * Self.mebibyte, using: &random)
        }.sorted()

        var kept: [Int] = []
        for (index, point) in points.enumerated() {
            // Not to the end, however late the kill comes.
            server.hold(at: point + 4 * Self.mebibyte)
            let program = try bench.start(server)
            try await eventually("byte \(point) is sent") { server.position >= point || server.isHeld }
            program.signal(SIGKILL)
            #expect(try await program.outcome().wasSignalled)
            try await eventually("delivery \(index) ends") { server.deliveries.count == index + 1 }
            kept.append(fileSize(bench.output + ".part"))
            #expect(!FileManager.default.fileExists(atPath: bench.output), "half a file is at the destination")
        }
        server.hold(at: nil)
        let result = try await bench.start(server).outcome()

        #expect(result.status == 0, "\(result.err)")
        let fetched = try result.json()
        #expect(fetched["verified"].flag == true && fetched["size"].int == bench.content.count)
        #expect((fetched["resumed_from"].int ?? 0) > 0)
        #expect(try await sha256(ofFileAt: bench.output) == bench.digest)
        let sent = server.deliveries.reduce(0) { $0 + $1.sent }
        print("fetch: \(kills) kills, \(sent - bench.content.count) of \(bench.content.count) bytes sent twice")
        #expect(sent >= bench.content.count)
        #expect(sent <= bench.content.count + kills * buffer, "kills at \(points)")
        #expect(server.deliveries.map(\.start) == [0] + kept, "a byte that was kept is fetched again")
        #expect(server.deliveries.dropFirst().allSatisfy { $0.status == 206 || $0.start == 0 })
        #expect(try bench.leftovers.isEmpty)
    }

    @Test func `a wrong digest exits with 65 and leaves nothing, and an older file as it was`() async throws {
        let bench = try await Bench(mebibytes: 2)
        let server = try await ContentServer(bench.content)
        let wrong = String(repeating: "0", count: 64)
        let refused = try await bench.start(server, digest: wrong).outcome()
        #expect(refused.status == 65)
        #expect(refused.err.contains(wrong) || refused.err.contains("sha-256"), "\(refused.err)")
        #expect(!FileManager.default.fileExists(atPath: bench.output))
        #expect(try bench.leftovers.isEmpty)

        try Data("older".utf8).write(to: URL(filePath: bench.output))
        #expect(try await bench.start(server, digest: wrong).outcome().status == 65)
        #expect(try String(contentsOf: URL(filePath: bench.output), encoding: .utf8) == "older")
        #expect(try await bench.start(server).outcome().status == 0)
        #expect(try await sha256(ofFileAt: bench.output) == bench.digest)
    }

    @Test func `an interrupt exits with 130, and the next run goes on from there`() async throws {
        let bench = try await Bench(mebibytes: 4)
        let server = try await ContentServer(bench.content)
        let interrupted = try await bench.interrupt(server, at: 2 * Self.mebibyte, by: SIGINT)
        #expect(interrupted.status == 130 && !interrupted.wasSignalled)
        #expect(!FileManager.default.fileExists(atPath: bench.output))
        server.hold(at: nil)

        let result = try await bench.start(server).outcome()

        #expect(result.status == 0, "\(result.err)")
        #expect(try result.json()["resumed_from"].int == 2 * Self.mebibyte)
        #expect(server.deliveries.map(\.start) == [0, 2 * Self.mebibyte])
        #expect(server.deliveries.reduce(0) { $0 + $1.sent } == bench.content.count)
        #expect(try await sha256(ofFileAt: bench.output) == bench.digest)
    }

    /// A content, its digest, and a place to fetch it to.
    private struct Bench {
        let workspace: Workspace
        let content: [UInt8]
        let digest: String
        var output: String { workspace.root + "/downloads/fetched" }

        init(mebibytes: Int) async throws {
            workspace = try Workspace()
            let source = workspace.root + "/source"
            try writeRandomFile(source, mebibytes: mebibytes)
            content = Array(try Data(contentsOf: URL(filePath: source)))
            digest = try await sha256(ofFileAt: source)
            try FileManager.default.createDirectory(
                atPath: workspace.root + "/downloads", withIntermediateDirectories: true)
        }

        func start(_ server: ContentServer, digest: String? = nil) throws -> Program {
            try workspace.start(
                "shiftlog",
                ["fetch", server.url, "-o", output, "--digest", "sha-256=\(digest ?? self.digest)", "--json"])
        }

        /// Ends a download by a signal once `position` bytes are in the file.
        @discardableResult
        func interrupt(_ server: ContentServer, at position: Int, by signal: Int32) async throws -> Outcome {
            server.hold(at: position)
            let program = try start(server)
            try await eventually("\(position) bytes are saved") { fileSize(output + ".part") == position }
            program.signal(signal)
            let outcome = try await program.outcome()
            try await eventually("the delivery ends") { server.deliveries.count == 1 }
            return outcome
        }

        /// What is beside the destination.
        var leftovers: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: workspace.root + "/downloads")
                    .filter { $0 != "fetched" }
            }
        }
    }
}
