package import StrataDomain

/// `POST /v1/oauth/device_authorization` (RFC 8628, section 3.1): codes for a device that is to be logged in.
package struct AuthorizeDevice: RoutedEndpoint {
    package static let route = Route.post("/v1/oauth/device_authorization")
    package typealias Response = DeviceAuthorization
    package static let documentation = EndpointDocumentation(
        details: "Codes for a device that a user logs in at `/device` (RFC 8628, section 3.1).",
        problems: [403: ["sign_in_disabled"], 429: ["too_many_device_codes"]])

    @Body package var request: DeviceRequest

    package init(request: DeviceRequest) { self.request = request }
}

/// RFC 8628, section 3.1; as a form or as JSON. Clients do not register here, and a session has the rights of its user, so
/// `client_id` and `scope` are read by nothing.
package struct DeviceRequest: FormBody {
    package var clientId: String?
    package var scope: String?
    /// What the session is listed as, 1 to 200 bytes; an extension of ours.
    package var deviceName: String?

    package init(deviceName: String?) { self.deviceName = deviceName }
}

/// RFC 8628, section 3.2.
package struct DeviceAuthorization: Codable, Sendable {
    /// The secret of the device.
    package var deviceCode: String
    /// What the user types, such as `WDJB-MJHT`.
    package var userCode: String
    package var verificationUri: String
    /// The same page with the code filled in. This server always sends it; others need not.
    package var verificationUriComplete: String?
    /// Seconds until both codes expire.
    package var expiresIn: Int
    /// Seconds between two polls; a client assumes 5 without it.
    package var interval: Int?

    package init(
        deviceCode: String, userCode: String, verificationUri: String, verificationUriComplete: String,
        expiresIn: Int, interval: Int
    ) {
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verificationUri = verificationUri
        self.verificationUriComplete = verificationUriComplete
        self.expiresIn = expiresIn
        self.interval = interval
    }
}
