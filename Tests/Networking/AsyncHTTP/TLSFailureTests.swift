import Testing

@testable import StrataAsyncHTTP

struct TLSFailureTests {
    private static func boring(_ reason: String) -> String {
        "handshakeFailed(NIOSSL.BoringSSLError.sslError([Error: 268435703 error:100000f7:SSL routines:"
            + "OPENSSL_internal:\(reason) at /build/CNIOBoringSSL/ssl/tls_record.cc:238]))"
    }

    @Test(arguments: [
        (boring("WRONG_VERSION_NUMBER"), "without TLS"),
        (boring("CERTIFICATE_VERIFY_FAILED"), "not from an authority that is trusted"),
        (boring("TLSV1_CERTIFICATE_REQUIRED"), "asks for a certificate of the client"),
        (boring("SSLV3_ALERT_HANDSHAKE_FAILURE"), "asks for a certificate of the client"),
        (boring("TLSV1_ALERT_UNKNOWN_CA"), "does not accept the certificate of the client"),
        (boring("TLSV1_ALERT_PROTOCOL_VERSION"), "neither TLS 1.2 nor 1.3"), (boring("DECODE_ERROR"), "decode error"),
        ("handshakeFailed(NIOSSL.BoringSSLError.sslError([Error:  EOF during handshake]))", "ended the connection"),
        ("NIOSSLExtraError.failedToValidateHostname: Couldn't find x in certificate from peer", "another host"),
        ("", "failed"), ("OPENSSL_internal:", "failed"), (boring("é/tmp"), "failed"),
        (boring(String(repeating: "A", count: 300)), "aaaa"),
    ])
    func `a failed handshake is a sentence without the library's source line`(text: String, part: String) {
        let sentence = TLSFailure(text).description
        #expect(sentence.contains(part))
        #expect(!sentence.contains("/build") && !sentence.contains("NIOSSL") && sentence.count < 200)
    }
}
