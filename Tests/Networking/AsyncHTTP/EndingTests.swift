import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// How deadline, cancellation and shutdown end what is under way.
struct EndingTests {
    @Test func `shutdown lets requests in flight finish and takes no new ones`() async throws {
        let gate = Gate()
        let server = try await LoopbackServer.start(
            .init { _ in
                try? await gate.wait()
                return [.json(tideJSON)]
            })
        let rig = try Rig(server.url)
        async let answer = rig.client.send(ShowTide())
        try await server.waitForRequests(1)
        async let shutdown: Void = rig.transport.shutdown()
        try await eventually("a call is refused because of the shutdown") {
            let call = Task { await rig.failure(of: RemoveTide()) }
            await Task.yield()
            call.cancel()
            return await call.value.description.contains("shut down")
        }
        gate.open()
        #expect(try await answer == tide)
        await shutdown
        await rig.transport.shutdown()
        await server.stop()
    }

    @Test(arguments: [Reply.silent, halfAHead, .stalled], [true, false])
    func `a response that is late is a timeout, and its connection is closed`(reply: Reply, isPost: Bool) async throws {
        try await Rig.run(.init { _ in reply.steps }) { rig, server in
            async let failure = isPost ? rig.failure(of: AddTide()) : rig.failure(of: ShowTide())
            try await server.waitForRequests(1)
            rig.clock.advance(by: .seconds(10))
            #expect(await failure.kind == .timeout)
            try await server.waitForCloses(1)
        }
    }

    private static let halfAHead = Reply("half a head", [.send("HTTP/1.1 200 OK\r\nConte")], as: .silence)

    @Test func `waiting for a connection counts`() async throws {
        let server = try await LoopbackServer.start(.silent)
        let rig = try Rig(server.url, options: AsyncHTTPOptions(connectionsPerOrigin: 1, grace: .zero))
        async let first = rig.failure(of: ShowTide())
        try await server.waitForRequests(1)
        async let second = rig.failure(of: ShowTide(), CallOptions(deadline: .seconds(5)))
        await rig.clock.waitForSleeper(dueIn: .seconds(5))
        rig.clock.advance(by: .seconds(5))
        #expect(await second.kind == .timeout)
        #expect(server.requests.count == 1)
        rig.clock.advance(by: .seconds(5))
        #expect(await first.kind == .timeout)
        await rig.transport.shutdown()
        await server.stop()
    }

    @Test func `a transport that is dropped ends without a trap`() async throws {
        let server = try await LoopbackServer.start(.always(.json(tideJSON)))
        do {
            let rig = try Rig(server.url)
            _ = try await rig.client.send(ShowTide())
        }
        try await server.waitForCloses(1)
        #expect(server.endedConnections == server.connections)
        await server.stop()
    }

    @Test func `options of AsyncHTTPClient out of range are refused`() {
        #expect(throws: OptionsError.self) { try AsyncHTTPOptions(connectTimeout: .zero) }
        #expect(throws: OptionsError.self) { try AsyncHTTPOptions(idleTimeout: .seconds(86_400)) }
        #expect(throws: OptionsError.self) { try AsyncHTTPOptions(connectionsPerOrigin: 0) }
        #expect(throws: OptionsError.self) { try AsyncHTTPOptions(grace: .seconds(-1)) }
    }
}
