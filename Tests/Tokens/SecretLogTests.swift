import Logging
import StrataDomain
import StrataTesting
import Testing

/// Secrets in log messages and metadata.
struct SecretLogTests {
    @Test func `secrets in the message and metadata of a log are masked`() {
        let recorder = LogRecorder()
        let logger = recorder.logger()
        let secret = Secret("CANARY")
        let tokens = SessionTokens(access: secret, refresh: secret, expiresAt: SessionTokens.noon)
        logger.error(
            "\(secret) \(tokens)",
            metadata: [
                "text": "\(secret)", "object": .stringConvertible(secret), "list": ["\(tokens)"],
                "nested": ["key": .stringConvertible(secret)],
            ])
        #expect(recorder.lines.contains { $0.contains("<secret>") })
        #expect(!recorder.lines.contains { $0.contains("CANARY") })
    }
}
