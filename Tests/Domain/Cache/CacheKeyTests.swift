import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

struct CacheKeyTests {
    @Test func `keys of different principals, methods, paths or queries differ`() {
        let spellings: [(principal: String, path: String, query: QueryItems)] = [
            ("ann", "/a", [:]), ("bob", "/a", [:]), ("", "/a", [:]), ("ann ", "/a", [:]), ("ann GET", "/a", [:]),
            ("ann GET /a?", "/a", [:]), ("Ann", "/a", [:]), ("ann", "/a/", [:]), ("ann", "/b", [:]),
            ("ann", "/a", ["x": "1"]),
            ("ann", "/a", ["x": ""]), ("ann", "/a", ["x": "1&y=2"]), ("ann", "/a", ["x": "1", "y": "2"]),
            ("ann", "/a", ["x=1": ""]),
            ("ann", "/a", ["x": "1", "x": "1"]),
        ]
        let keys = spellings.map { CacheKey(principal: $0.principal, path: $0.path, query: $0.query) }
        #expect(Set(keys).count == keys.count)
        let methods = HTTPMethod.common.map { CacheKey(principal: "ann", method: $0, path: "/a") }
        #expect(Set(methods).count == methods.count)
    }

    @Test func `the order of query items does not matter`() {
        #expect(
            CacheKey(principal: "ann", path: "/a", query: ["x": "1", "y": "2"])
                == CacheKey(principal: "ann", path: "/a", query: ["y": "2", "x": "1"]))
    }

    @Test func `a key of a request equals the key of its parts`() {
        let request = EndpointRequest(path: "/a", query: ["x": "1"], headers: ["X": "y"])
        #expect(CacheKey(principal: "ann", request) == CacheKey(principal: "ann", path: "/a", query: ["x": "1"]))
    }

    @Test func `a value from the future is not fresh`() {
        let at = { (seconds: Double) in Date(timeIntervalSince1970: seconds) }
        let value = CachedValue(value: 1, storedAt: at(100), freshUntil: at(200))
        #expect(value.isFresh(at: at(100)))
        #expect(value.isFresh(at: at(199)))
        #expect(!value.isFresh(at: at(200)))
        #expect(!value.isFresh(at: at(99)))
    }
}
