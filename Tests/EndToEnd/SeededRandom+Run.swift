import Foundation
import StrataTesting

extension SeededRandom {
    /// Numbers for one run of a test. `STRATA_SEED` repeats those of an earlier run, whose seed was printed.
    ///
    /// The moments of a kill are then the same; how far the programs have come by then is not.
    static func ofRun(_ test: String) -> SeededRandom { SeededRandom(seed: seedOfRun(test)) }

    /// The seed of `ofRun`, for a test that names it in its failure.
    static func seedOfRun(_ test: String) -> UInt64 {
        let seed = ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...999_999)
        print("\(test): STRATA_SEED=\(seed)")
        return seed
    }
}
