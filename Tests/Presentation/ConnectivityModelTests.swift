import StrataDomain
import StrataPresentation
import StrataTesting
import Testing

@MainActor struct ConnectivityModelTests {
    @Test func `tells whether the network is there, and each return`() async throws {
        let monitor = ManualConnectivity()
        let model = ConnectivityModel { monitor }
        var returns = 0
        let following = Task { await model.follow { returns += 1 } }
        await monitor.waitUntilSeen()
        #expect(model.isOnline && returns == 0, "the first state is no return")
        monitor.set(.offline)
        try await eventually("it is offline") { !model.isOnline }
        monitor.set(.online)
        try await eventually("it is back") { model.isOnline && returns == 1 }
        following.cancel()
        await following.value
    }
}
