import AsyncHTTPClient
import NIOCore
import NIOSSL
import StrataDomain
import StrataNetworking

extension HTTPClient.Configuration {
    /// What the options say, adjusted by `adjust`, within the limits of the transport.
    init(_ options: AsyncHTTPOptions, adjusting adjust: (inout HTTPClient.Configuration) -> Void = { _ in }) {
        self.init()
        var tls = TLSConfiguration.strict(options.authorities)
        options.identity?.present(in: &tls)
        tlsConfiguration = tls
        timeout.connect = TimeAmount(options.connectTimeout)
        connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.connectionsPerOrigin
        connectionPool.idleTimeout = TimeAmount(max(.zero, min(options.keepTime, .seconds(3600))))
        adjust(&self)
        tlsConfiguration = tlsConfiguration ?? tls
        keepLimits()
    }

    /// Sets what the transport relies on, whatever it was.
    private mutating func keepLimits() {
        // The pipeline follows redirects, inflates and repeats.
        redirectConfiguration = .disallow
        decompression = .disabled
        connectionPool.retryConnectionEstablishment = false
        // Over HTTP/2 nothing here is tested, and the check of heads would have no place.
        httpVersion = .http1Only
        // The pipeline says what the server is told of a trace.
        tracing.tracer = nil
    }

    /// The configuration for one route.
    func connecting(
        by route: Route, _ options: AsyncHTTPOptions, _ interim: InterimListeners,
        _ admits: AsyncHTTPTransport.AdmitsAddress?
    ) -> Self {
        var configuration = self
        if case .tunnel(let proxy) = route { configuration.proxy = proxy.forTunnels }
        let isForwarded = route.reader != nil
        configuration.http1_1ConnectionDebugInitializer = { connection in
            if let refusal = PeerCheck.refusal(of: connection, admits) {
                connection.close(promise: nil)
                return connection.eventLoop.makeFailedFuture(refusal)
            }
            return HeadCheck.install(in: connection, options, interim, isForwarded: isForwarded)
        }
        return configuration
    }
}

extension UpstreamProxy {
    fileprivate var forTunnels: HTTPClient.Configuration.Proxy {
        let credentials = authorization?.reveal().split(separator: " ").last.map(String.init)
        return .server(
            host: origin.host, port: origin.port,
            authorization: credentials.map { .basic(credentials: $0) })
    }
}
