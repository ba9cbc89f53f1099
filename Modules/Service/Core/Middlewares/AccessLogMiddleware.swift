import HTTPTypes
import Hummingbird
import Logging
import StrataSystem

/// Writes one log line per request, with route and path. Query, body and header fields may hold secrets and are left out.
struct AccessLogMiddleware: ServiceMiddleware {
    func finish(_ response: inout Response, of call: ServiceCall) {
        // Probes arrive every few seconds and would flood the log.
        let level: Logger.Level = call.notes.route.map(Probes.contains) ?? false ? .debug : .info
        if call.logLevel <= level { log(response, to: call, at: level) }
    }

    private func log(_ response: Response, to call: ServiceCall, at level: Logger.Level) {
        var metadata: Logger.Metadata = [
            "method": "\(call.request.method.rawValue)",
            "path": "\(Self.path(call.request))",
            "status": .stringConvertible(response.status.code),
            "duration_ms": .stringConvertible(call.age.inNanoseconds / 1_000_000),
            "client": "\(call.origin.address)",
        ]
        if call.peer != call.origin.address { metadata["proxy"] = "\(call.peer)" }
        if let scheme = call.origin.scheme { metadata["scheme"] = "\(scheme)" }
        if let route = call.notes.route { metadata["route"] = "\(route)" }
        if let principal = call.notes.principal { metadata["principal"] = "\(principal)" }
        call.logger.log(level: level, "request", metadata: metadata)
    }

    /// The path as sent, cut to 200 characters; `?` replaces other characters than visible ASCII.
    private static func path(_ request: Request) -> String {
        let path = (request.head.path ?? "").prefix { $0 != "?" }
        return String(
            path.unicodeScalars.prefix(200).map { (0x21...0x7E).contains($0.value) ? Character($0) : "?" })
    }
}
