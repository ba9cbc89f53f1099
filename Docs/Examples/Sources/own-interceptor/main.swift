import StrataClient

/// Names the tenant of the task in each call.
struct TenantInterceptor: Interceptor {
    @TaskLocal static var tenant = "none"

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        var request = request
        request.headers["X-Tenant"] = Self.tenant
        try await next(request) { [summary = request.summary] response in
            print(summary, "→", response.head.status)
            try await receive(response)
        }
    }
}

let client = try StrataClient(CommandLine.arguments[1], interceptors: [TenantInterceptor()])
do {
    let name: String = try await TenantInterceptor.$tenant.withValue("north") { try await client.get("/tenant") }
    print(name)
} catch {
    print(error)
}
