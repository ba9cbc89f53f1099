/// Why a handshake of TLS failed, as a sentence.
///
/// NIOSSL keeps the reason of BoringSSL only in its description, between "OPENSSL_internal:" and the source line of the
/// library, so the description is read. A reason without a sentence here is shown in BoringSSL's own word.
struct TLSFailure: CustomStringConvertible {
    let description: String

    /// - Parameter text: the description of an error of NIOSSL.
    init(_ text: String) {
        let reason = Self.reason(in: text)
        description =
            switch reason {
            case "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST", "INVALID_OUTER_RECORD_TYPE",
                "UNEXPECTED_RECORD", "UNEXPECTED_MESSAGE":
                "the port answers without TLS. Use http://, or the port for https://."
            // Also for a certificate that has expired or is not valid yet: BoringSSL gives no other reason.
            case "CERTIFICATE_VERIFY_FAILED":
                "the certificate is not valid now, or not from an authority that is trusted here. Check the address and the "
                    + "clock of this machine, or add the authority."
            // Over TLS 1.2 also the answer to a missing certificate.
            case "SSLV3_ALERT_HANDSHAKE_FAILURE":
                "the server offers neither TLS 1.2 nor 1.3, or no cipher that this client takes, or it asks for a certificate of the client."
            case "TLSV1_ALERT_PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL", "NO_SHARED_CIPHER",
                "TLSV1_ALERT_INSUFFICIENT_SECURITY":
                "the server offers neither TLS 1.2 nor 1.3, or no cipher that this client takes. Update the server."
            case "TLSV1_CERTIFICATE_REQUIRED", "TLSV1_ALERT_CERTIFICATE_REQUIRED", "SSLV3_ALERT_BAD_CERTIFICATE":
                "the server asks for a certificate of the client, or refuses the one it got. Give one with 'identity' of AsyncHTTPOptions."
            case "TLSV1_ALERT_UNKNOWN_CA", "SSLV3_ALERT_CERTIFICATE_UNKNOWN", "TLSV1_ALERT_ACCESS_DENIED",
                "SSLV3_ALERT_CERTIFICATE_EXPIRED", "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE",
                "SSLV3_ALERT_CERTIFICATE_REVOKED":
                "the server does not accept the certificate of the client. Check 'identity' of AsyncHTTPOptions."
            case let reason?: reason.prefix(80).lowercased().split(separator: "_").joined(separator: " ")
            case nil where text.contains("EOF during handshake"):
                "the server ended the connection during the handshake."
            case nil where text.contains("failedToValidateHostname"):
                "the certificate is for another host. Check the address."
            case nil: "the handshake failed."
            }
    }

    /// `CERTIFICATE_VERIFY_FAILED` of "… OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at …".
    private static func reason(in text: String) -> String? {
        guard let mark = text.firstRange(of: "OPENSSL_internal:") else { return nil }
        let word = text[mark.upperBound...].prefix { $0 == "_" || $0.isASCII && ($0.isUppercase || $0.isNumber) }
        return word.isEmpty ? nil : String(word)
    }
}
