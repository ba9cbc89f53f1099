import FoundationEssentials
import HTTPTypes
public import HummingbirdTesting
import NIOCore
import StrataDomain
public import StrataNetworking

/// Hands requests to the backend as bytes, as a socket would.
public struct InProcessTransport: Transport {
    private let client: any TestClientProtocol

    /// - Parameter client: What Hummingbird gives the body of a test.
    public init(client: any TestClientProtocol) { self.client = client }

    public func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        var headers = HTTPFields()
        for field in request.headers {
            if let name = HTTPField.Name(field.name) { headers.append(HTTPField(name: name, value: field.value)) }
        }
        let method = HTTPRequest.Method(request.method.rawValue) ?? .get
        let response = try await client.executeRequest(
            uri: request.url.target, method: method, headers: headers,
            body: request.body?.bytes.map { ByteBuffer(bytes: $0) })
        var fields = HeaderFields()
        for field in response.headers { fields.add(field.name.canonicalName, field.value) }
        try await receive(
            ClientResponse(
                ResponseHead(status: response.status.code, headers: fields),
                body: ResponseBody(Data(response.body.readableBytesView))))
    }
}
