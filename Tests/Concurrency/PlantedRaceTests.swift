import Foundation
import Testing

/// A race that ThreadSanitizer must report: `Scripts/test --thread-sanitizer` runs it first.
struct PlantedRaceTests {
    // Sendable proof: none. The claim is false on purpose.
    private final class Unguarded: @unchecked Sendable {
        var value = 0
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["STRATA_PLANTED_FAULT"] == "1", "is asked for by a script"))
    func `two threads write one value without a lock`() async {
        let shared = Unguarded()
        let ends = (0..<2).map { _ in
            let end = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                for _ in 0..<10_000 { shared.value += 1 }
                end.signal()
            }
            return end
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                for end in ends { end.wait() }
                continuation.resume()
            }
        }
        #expect(shared.value > 0)
    }
}
