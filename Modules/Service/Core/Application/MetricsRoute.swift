import HTTPTypes
import Hummingbird
import NIOCore
import StrataDomain

/// `GET /metrics`: text, so it has no endpoint type.
enum MetricsRoute {
    static let route = Route.get(Probes.metrics)

    static func handler(_ registry: PrometheusRegistry) -> EndpointResponder.Handler {
        .raw { _ in
            Response(
                status: .ok, headers: [.contentType: PrometheusText.contentType, .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: registry.text())))
        }
    }
}
