public import FoundationEssentials
import StrataDomain
import StrataNetworking

/// Shows a user where to allow the login of a device. The name has the same reason as `ReceiveBody`.
public typealias ShowPrompt = @Sendable (DevicePrompt) async -> Void

/// What a user needs to allow the login of a device (RFC 8628, section 3.3).
public struct DevicePrompt: Sendable, Hashable {
    /// What the user types at `page`: 1 to 100 printable ASCII characters.
    public let code: String
    /// The `http` or `https` URL to open on any device with a browser.
    public let page: String
    /// The same page with the code filled in, for a link or a QR code; `nil` where the server sends none.
    public let link: String?
    /// When the code expires.
    public let expiresAt: Date
}

/// A response of a device authorization endpoint (RFC 8628, section 3.2).
struct DeviceAuthorizationCodes: Sendable {
    /// Proves the device to the server.
    let device: Secret
    let prompt: DevicePrompt
    let expiresIn: Int
    let interval: Int?

    /// The time that codes without `expires_in` live.
    private static let defaultLife = 600.0

    /// - Parameter now: When the codes were asked for.
    /// - Throws: `.invalidResponse` without a code, or with a page that is no short `http` or `https` URL, since a user opens it.
    init(_ members: [String: JSONValue], now: Date) throws(NetworkError) {
        // `verification_url` is the name of a draft, which Google kept.
        let page = (members["verification_uri"] ?? members["verification_url"])?.string ?? ""
        let link = members["verification_uri_complete"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        let code = members["user_code"]?.string ?? ""
        guard let device = members["device_code"]?.string, !device.isEmpty, (1...100).contains(code.utf8.count),
            code.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), Self.isPage(page), link.map(Self.isPage) ?? true
        else { throw NetworkError(.invalidResponse("the server sent no usable page or code for the login")) }
        let life = min(max(1, members["expires_in"]?.seconds ?? Self.defaultLife), 3600)
        self.device = Secret(device)
        expiresIn = Int(life)
        interval = members["interval"]?.seconds.map { Int(min(max(1, $0), 60)) }
        prompt = DevicePrompt(code: code, page: page, link: link, expiresAt: now.addingTimeInterval(life))
    }

    private static func isPage(_ text: String) -> Bool {
        text.utf8.count <= 1000 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } && (try? HTTPURL(text)) != nil
    }
}
