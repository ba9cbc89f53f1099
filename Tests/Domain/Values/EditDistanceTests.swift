import Testing

@testable import StrataDomain

struct EditDistanceTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("list", "list", 0), ("lst", "list", 1), ("lits", "list", 1), ("lisst", "list", 1),
        ("kitten", "sitting", 3), ("ca", "abc", 3),
    ])
    func `the distance counts typing mistakes, a swap as one`(left: String, right: String, distance: Int) {
        #expect(EditDistance.between(Array(left.utf8), Array(right.utf8)) == distance)
        #expect(EditDistance.between(Array(right.utf8), Array(left.utf8)) == distance)
    }

    @Test(arguments: [
        ("journl", "journal"), ("jounral", "journal"), ("staus", "status"), ("run", "runbooks"), ("xyz", nil),
        ("", nil),
        ("s", nil), ("syn", "sync"),
    ])
    func `the nearest word is suggested if it is near enough`(word: String, meant: String?) {
        #expect(EditDistance.nearest(to: word, among: ["journal", "runbooks", "status", "sync"]) == meant)
    }
}
