import Foundation
import StrataClient

enum Connections {
    /// A call to a server whose certificate is from an authority of our own.
    static func get(
        _ address: String, authorities: String, proxy: ProxySelection, identity: ClientIdentity? = nil
    ) async throws {
        let trusted = try CertificateAuthorities(pem: Data(contentsOf: URL(fileURLWithPath: authorities)))
        let http = try AsyncHTTPOptions(authorities: trusted, identity: identity, proxy: proxy)
        let name: String = try await StrataClient(address, http: http).get("/whoami")
        say(name)
    }
}
