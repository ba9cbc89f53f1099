import StrataDomain
import Testing

@testable import StrataNetworking

struct TokenRefusalTests {
    static let challenges: [([String], TokenRefusal?)] = [
        ([], .certain), (["Bearer error=\"invalid_token\""], .certain),
        (["Bearer realm=\"a, b\", error=\"invalid_token\", error_description=\"old\""], .certain),
        (["bearer error=invalid_token"], .certain),
        (["Basic realm=\"x\"", "Bearer error=\"invalid_token\""], .certain),
        (["Bearer"], .possible), (["Bearer realm=\"tides\""], .possible), (["Basic realm=\"x\", Bearer"], .possible),
        (["Bearer error=\"invalid_credentials\""], nil), (["Bearer error=\"insufficient_scope\""], nil),
        (["Basic realm=\"Bearer error=invalid_token\""], nil), (["BearerX error=\"invalid_token\""], nil),
    ]

    @Test(arguments: challenges)
    func `a 401 speaks of the token as its challenges say`(challenges: [String], expected: TokenRefusal?) {
        var headers = HeaderFields()
        for challenge in challenges { headers.add("WWW-Authenticate", challenge) }
        #expect(TokenRefusal(ResponseHead(status: 401, headers: headers)) == expected)
    }

    @Test(arguments: [200, 400, 403, 407]) func `another status says nothing about the token`(status: Int) {
        let headers: HeaderFields = ["WWW-Authenticate": "Bearer error=\"invalid_token\""]
        #expect(TokenRefusal(ResponseHead(status: status, headers: headers)) == nil)
    }
}
