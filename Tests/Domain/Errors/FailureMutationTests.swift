import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

/// Failures whose bodies are damaged.
struct FailureMutationTests {
    private static let bodies: [(type: String, text: String)] = [
        (
            "text/html",
            "<!DOCTYPE html>\n<html><head><TITLE lang=\"en\">502 Bad &amp; Gateway\u{1B}[2J</TITLE></head></html>"
        ),
        ("text/plain", "\r\n Bad\u{7} credentials é\u{202E}\nmore"),
        (
            "application/problem+json",
            #"{"title":"T","status":422,"detail":"D","errors":[{"field":"a.b","message":"m"}]}"#
        ),
        ("application/json", #"{"error":{"code":7,"message":"M","errors":[{"reason":"r"}]},"errors":{"name":["n"]}}"#),
    ]

    @Test(arguments: 0..<10)
    func `a damaged body of a failure hides no status and shows no control character`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for round in 0..<100 {
            let (type, sound) = Self.bodies[round % Self.bodies.count]
            var bytes = Array(sound.utf8)
            for _ in 0..<Int.random(in: 1..<8, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.insert(Array("<>/\"{}[]:,\\\u{1B}\n".utf8).randomElement(using: &random) ?? 0, at: place)
                default: bytes.removeSubrange(place...)
                }
            }
            let head = ResponseHead(status: 503, headers: ["Content-Type": type])
            let response = FailedResponse(head, bytes: Data(bytes))
            let error = NetworkError(response)
            #expect(error.response?.status == 503 && error.isRetryable)
            #expect(response.problem == nil || response.line == nil)
            guard let line = response.line else { continue }
            #expect(line.count <= 201 && !line.isEmpty)
            let controls = line.unicodeScalars.filter { [.control, .format].contains($0.properties.generalCategory) }
            #expect(controls.isEmpty, "\(bytes)")
        }
    }
}
