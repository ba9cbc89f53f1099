import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataTokens

/// What a token endpoint may answer instead of tokens, and the sentence that a user gets.
struct TokenEndpointRefusalTests {
    private let bench = OAuthBench()

    private func failure(_ answer: ScriptedTransport.Answer) async throws -> NetworkError {
        bench.transport.append(answer)
        let client = OAuthClient.basic(id: "app", secret: Secret("CANARY-secret"))
        let tokens = try bench.oauth(client).clientCredentials()
        let error = try #require(await outcome { () throws(NetworkError) in try await tokens.currentToken() }.error)
        #expect(!error.everything.contains("CANARY"))
        return error
    }

    @Test(arguments: [
        (401, "invalid_client"), (400, "invalid_client"), (400, "unauthorized_client"), (400, "invalid_scope"),
        (400, "invalid_request"), (400, "unsupported_grant_type"),
    ])
    func `a refused client is told what to check`(status: Int, code: String) async throws {
        let error = try await failure(.json(#"{"error":"\#(code)","error_description":"say why"}"#, status: status))
        #expect(error.description.contains("\(code), say why"))
        #expect(error.description.contains("check client id, secret and scope"))
        #expect(!error.isRetryable && !error.isUnauthorized)
    }

    @Test(arguments: [#"{"error":{"message":"no"}}"#, #"{"message":"no"}"#, "[]", "null", "{"])
    func `a refusal in another form names the status`(body: String) async throws {
        let error = try await failure(.json(body, status: 422))
        #expect(error.description.contains("422") && error.description.contains("check its URL"), "\(error)")
    }

    @Test func `a type of tokens that cannot be sent is refused with its name, and Bearer is taken in any case`()
        async throws
    {
        let error = try await failure(.json(#"{"access_token":"CANARY","token_type":"DPoP"}"#))
        #expect(error.description.contains("'DPoP'"))
        for type in ["Bearer", "bearer", "BEARER"] {
            bench.answer(#"{"access_token":"a","token_type":"\#(type)","scope":["a"]}"#)
            #expect(try await bench.oauth().clientCredentials().currentToken() == Secret("a"))
        }
    }

    @Test(arguments: [500, 502, 503, 429, 408])
    func `a failing server can be asked again`(status: Int) async throws {
        #expect(try await failure(.json(#"{"error":"server_error"}"#, status: status)).isRetryable)
    }

    @Test func `an answer without an end is cut off`() async throws {
        let error = try await failure(.endless(Data(repeating: 0x20, count: 1 << 16)))
        #expect(error.description.contains("larger than"), "\(error)")
    }
}
