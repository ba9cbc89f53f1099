import FoundationEssentials
import StrataService
import Testing

@Suite struct StatementTests {
    @Test func `a value is a parameter, never a piece of SQL`() {
        let text = "x'; DROP TABLE note; --"
        let statement: Statement = "SELECT * FROM note WHERE text = \(text) AND level > \(3)"
        #expect(statement.sql { _ in "?" } == "SELECT * FROM note WHERE text = ? AND level > ?")
        #expect(statement.sql { "$\($0)" } == "SELECT * FROM note WHERE text = $1 AND level > $2")
        #expect(statement.values == [.text(text), .integer(3)])
    }

    @Test func `a missing value is NULL`() {
        let nothing: String? = nil
        let statement: Statement = "UPDATE note SET text = \(nothing)"
        #expect(statement.values == [.null])
    }

    @Test func `a list has one parameter for each element`() {
        let statement: Statement = "SELECT 1 WHERE id IN (\(list: ["a", "b", "c"])) AND level = \(1)"
        #expect(statement.sql { "$\($0)" } == "SELECT 1 WHERE id IN ($1, $2, $3) AND level = $4")
    }

    @Test func `an empty list matches nothing`() {
        let statement: Statement = "SELECT 1 WHERE id IN (\(list: [String]()))"
        #expect(statement.sql { _ in "?" } == "SELECT 1 WHERE id IN (NULL)")
        #expect(statement.values.isEmpty)
    }

    @Test func `a statement inside a statement keeps the order of values`() {
        let filter: Statement = "level > \(7) AND text <> \("no")"
        let statement: Statement = "SELECT \(1) WHERE \(filter) LIMIT \(9)"
        #expect(statement.sql { "$\($0)" } == "SELECT $1 WHERE level > $2 AND text <> $3 LIMIT $4")
        #expect(statement.values == [.integer(1), .integer(7), .text("no"), .integer(9)])
    }

    @Test func `a time is stored in whole milliseconds`() {
        let statement: Statement = "SELECT \(Date(timeIntervalSince1970: 1.2345))"
        #expect(statement.values == [.integer(1235)])
    }
}
