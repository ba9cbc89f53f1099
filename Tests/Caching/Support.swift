import Foundation
import Logging
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

/// What the tests keep.
struct Tide: Codable, Sendable, Hashable {
    var station: String
    var metres: Double
    var at = Date(timeIntervalSince1970: 1_795_251_600.123)

    static let low = Tide(station: "BAR7", metres: 0.4)
    static let high = Tide(station: "BAR7", metres: 3.9)
}

extension CacheKey {
    static func tide(_ station: String = "BAR7", principal: String = "ada") -> CacheKey {
        CacheKey(principal: principal, path: "/tides/\(station)")
    }
}

/// The three ways to set up the cache.
enum CacheKind: CaseIterable, Sendable {
    case memory, disk, both

    func make(
        in directory: TemporaryDirectory, clock: any WallClock, limits: CacheLimits = CacheLimits()
    ) -> TwoTierCache {
        var limits = limits
        if self == .disk { limits.memoryEntries = 0 }
        return TwoTierCache(
            directory: self == .memory ? nil : directory.path, limits: limits, clock: clock, logger: .silent)
    }
}

/// The disk tier of a cache in `directory`, without a cache over it.
func tier(in directory: TemporaryDirectory, clock: any WallClock = SystemWallClock()) -> DiskTier {
    DiskTier(
        directory.path, namespace: "responses", limit: CacheLimits().diskBytes, clock: clock, logger: .silent)
}

/// The database files of a cache below `directory`, newest last.
func databases(in directory: TemporaryDirectory) throws -> [String] {
    let folder = directory.path + "/responses"
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".sqlite") }
        .sorted()
        .map { "\(folder)/\($0)" }
}
