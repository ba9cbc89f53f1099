import Foundation
import StrataConcurrency

/// A backend with an entry to attach files to.
final class AttachmentBench: Sendable {
    let workspace: Workspace
    let relay: Relay?
    let entry: String
    private let running: Mutex<Server>

    /// - Parameter isRelayed: Whether the client speaks with the server through a relay.
    init(settings: [String: String] = [:], isRelayed: Bool = false) async throws {
        workspace = try Workspace(settings: settings)
        let server = try await workspace.startServer()
        running = Mutex(server)
        relay = try isRelayed ? Relay(to: server.port) : nil
        let seen = Server(url: relay?.url ?? server.url, program: server.program)
        try await workspace.login(server: seen)
        let added = try await workspace.shiftlog(
            ["journal", "add", "it broke", "--host", "web1", "--json"], server: seen)
        entry = try added.json()["id"].text ?? ""
    }

    /// As the client sees it.
    var server: Server { Server(url: relay?.url ?? running.withLock { $0.url }, program: program) }
    var program: Program { running.withLock { $0.program } }

    func start(_ arguments: [String], home: String = "home") throws -> Program {
        try workspace.start("shiftlog", arguments, home: home, server: server)
    }

    func run(_ arguments: [String], home: String = "home") async throws -> Outcome {
        try await start(arguments, home: home).outcome()
    }

    func stop() { program.signal(SIGTERM) }
    func kill() { program.signal(SIGKILL) }

    /// Starts the backend at the same port once the old one has ended.
    func restart(by signal: Int32 = SIGKILL) async throws {
        let port = running.withLock { $0.port }
        program.signal(signal)
        _ = try await program.outcome()
        let server = try await workspace.startServer(port: port, users: [])
        running.withLock { $0 = server }
    }

    func list() async throws -> [AttachmentTests.Attachment] {
        let listed = try await run(["attachments", "list", entry, "--json"])
        try require(listed.status == 0, "list: \(listed.err)")
        return try JSONDecoder().decode([AttachmentTests.Attachment].self, from: Data(listed.out.utf8))
    }

    /// Bytes of the upload in progress that the backend has stored, as it says itself; 0 before the first one.
    func storedBytes() async throws -> Int {
        let folder = workspace.root + "/home/state/uploads/default"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard let name = names.first(where: { !$0.contains(".") }),
            let record = FileManager.default.contents(atPath: "\(folder)/\(name)")
        else { return 0 }
        let url = try JSON(String(decoding: record, as: UTF8.self))["url"].text ?? ""
        let path = "/" + url.split(separator: "/").dropFirst(2).joined(separator: "/")
        let headers = [
            "Host: 127.0.0.1", "Connection: close", "Authorization: Bearer \(try workspace.keptToken("access_token"))",
        ]
        let answer = try await RawHTTP.send(
            RawHTTP.request("HEAD", Array(path.utf8), headers: headers), port: running.withLock { $0.port })
        let field = answer.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("upload-offset:") }
        guard let field, let offset = Int(field.filter(\.isNumber)) else {
            throw EndToEndError("no offset: \(answer.head)")
        }
        return offset
    }

    func addMember(_ name: String) async throws {
        try await workspace.createUser(name)
        try await workspace.login(as: name, home: name, server: server)
    }

    func file(_ name: String, mebibytes: Int) async throws -> (path: String, digest: String) {
        let path = "\(workspace.root)/\(name)"
        try writeRandomFile(path, mebibytes: mebibytes)
        return (path, try await sha256(ofFileAt: path))
    }

    /// Files that the backend keeps, finished or not.
    var contents: [String] {
        get throws {
            let folder = workspace.root + "/server.sqlite.attachments"
            return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
                var isFolder = ObjCBool(false)
                return FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
                    && !isFolder.boolValue
            }
        }
    }

    /// Uploads by hand, with the credential in `header`.
    func upload(
        _ text: String, named name: String, header: String?, key: String? = nil
    ) async throws -> RawHTTP.Answer {
        let part = "Content-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\nContent-Type: text/plain"
        let body = "--edge\r\n\(part)\r\n\r\n\(text)\r\n--edge--\r\n"
        var headers = ["Host: 127.0.0.1", "Connection: close", "Content-Type: multipart/form-data; boundary=edge"]
        if let header { headers.append(header) }
        if let key { headers.append("Idempotency-Key: \(key)") }
        let path = Array("/v1/journal/entries/\(entry)/attachments".utf8)
        return try await RawHTTP.send(
            RawHTTP.request("POST", path, headers: headers, body: Array(body.utf8)), port: server.port)
    }

    func get(_ path: String, header: String?) async throws -> RawHTTP.Answer {
        let headers = ["Host: 127.0.0.1", "Connection: close"] + (header.map { [$0] } ?? [])
        return try await RawHTTP.send(RawHTTP.request("GET", Array(path.utf8), headers: headers), port: server.port)
    }

    static let attachmentKeys: Set = ["id", "entry_id", "file_name", "media_type", "size", "digest", "created_at"]
    static let fetchedKeys: Set = ["id", "path", "size", "digest", "resumed_from", "already_there"]

    static func base64(hex: String) -> String {
        var bytes: [UInt8] = []
        var rest = hex[...]
        while rest.count >= 2, let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return Data(bytes).base64EncodedString()
    }
}
