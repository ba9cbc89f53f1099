import Hummingbird
import Logging

// Hummingbird alone with one route, the upper limit of what a server on it can reach.

let router = Router()
router.get("health/live") { _, _ in
    Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: .init(byteBuffer: ByteBuffer(string: #"{"status":"live"}"#)))
}
let application = Application(
    router: router,
    configuration: .init(address: .hostname("127.0.0.1", port: Int(CommandLine.arguments[1]) ?? 8080)),
    logger: Logger(label: "hummingbird") { _ in SwiftLogNoOpLogHandler() })
try await application.runService()
