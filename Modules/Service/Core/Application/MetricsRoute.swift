import HTTPTypes
import Hummingbird
import NIOCore
import StrataDomain

extension RawRoute {
    /// `GET /metrics`: text, so it has no endpoint type.
    static func metrics(_ registry: PrometheusRegistry) -> RawRoute {
        RawRoute(
            route: .get(Probes.metrics), summary: "Get metrics",
            mediaType: MediaType.essence(PrometheusText.contentType)
        ) { _ in
            Response(
                status: .ok, headers: [.contentType: PrometheusText.contentType, .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: registry.text())))
        }
    }
}
