import FoundationEssentials
import StrataDomain
import Testing

/// The errors of documents that have another spelling than the type.
struct JSONFailureTests {
    private struct Line: Decodable { var unitPrice: Int, labels: [String: Int]? }
    private struct Order: Decodable { var orderId: Int, lines: [Line]? }
    private struct Declared: Decodable {
        var id: Int
        enum CodingKeys: String, CodingKey { case id = "order_id" }
    }

    private func failure<Value: Decodable>(
        _ type: Value.Type, _ json: String, _ form: JSONForm
    ) -> WireJSON.Failure? {
        do { _ = try form.decode(type, from: Data(json.utf8)) } catch { return error }
        return nil
    }

    @Test func `as declared, a missing key is told from its snake-case spelling`() {
        #expect(
            failure(Order.self, #"{"order_id":1}"#, .asDeclared)?.description
                == "Order: key 'orderId' is missing; the document has 'order_id' there. Write \"order_id\" in CodingKeys, "
                + "or use the form .snakeCase if all keys are spelled so.")
        #expect(
            failure(Order.self, #"{"OrderID":1}"#, .asDeclared)?.description
                == "Order: key 'orderId' is missing; the document has 'OrderID' there. Write \"OrderID\" in CodingKeys."
        )
    }

    @Test func `in snake case, CodingKeys that are not camel case are told their form`() {
        #expect(
            failure(Declared.self, #"{"order_id":1}"#, .snakeCase)?.description
                == "Declared: key 'order_id' is missing; the document has 'order_id' there, which the form .snakeCase reads as "
                + "'orderId'. Name the property or its CodingKey so, or use the form .asDeclared, which takes CodingKeys as they "
                + "are.")
        #expect(failure(Declared.self, #"{"order_id":1}"#, .asDeclared) == nil)
    }

    @Test func `a function's spelling of a missing key is named`() {
        let form = JSONForm(keys: .converted(encode: { "x-\($0)" }, decode: { String($0.dropFirst(2)) }))
        let failure = failure(Order.self, #"{"orderID":1}"#, form)
        #expect(failure?.path == "x-orderId")
        #expect(failure?.hint?.contains("'orderID' there, which this form's function reads as 'derID'") == true)
    }

    @Test func `without another spelling a missing key has no hint`() {
        let failure = failure(Order.self, #"{"id":1,"order":2}"#, .asDeclared)
        #expect(failure?.description == "Order: key 'orderId' is missing; expected a value.")
        #expect(failure?.hint == nil)
    }

    @Test(arguments: [
        (#"{"orderId":1,"lines":[{"unitPrice":1},{"unitPrice":"x"}]}"#, "lines.1.unitPrice"),
        (#"{"orderId":1,"lines":[{"unitPrice":1,"labels":{"a_B":1,"aB":"x"}}]}"#, "lines.0.labels.aB"),
        (#"{"orderId":1,"lines":[{"unitPrice":1,"labels":{"a":1,"a\u0042":true}}]}"#, "lines.0.labels.aB"),
        (#" { "x" : [ "}" , { "\"": "]" } , 1 ] , "orderId" : "1" }"#, "orderId"),
        (#"{"orderId":1,"lines":[{"unitPrice":1},{"unitPrice":1.5}]}"#, "lines.1.unitPrice"),
        (#"{"orderId":1,"lines":[{"unitPrice":1},{}]}"#, "lines.1.unitPrice"),
        (#"{"orderId":1,"lines":[[],{}]}"#, "lines.0"), (#"{"orderId":1,"lines":7}"#, "lines"), ("[]", "body"),
        ("7", "body"), ("null", "body"),
    ])
    func `as declared, a path has the keys of the document`(json: String, path: String) {
        #expect(failure(Order.self, json, .asDeclared)?.path == path)
    }

    @Test func `in snake case, a path has the keys of the document, whichever spelling that is`() {
        let first = #"{"order_id":1,"lines":[{"unit_price":"x"}]}"#
        #expect(failure(Order.self, first, .snakeCase)?.path == "lines.0.unit_price")
        let second = #"{"orderId":1,"lines":[{"unitPrice":"x"}]}"#
        #expect(failure(Order.self, second, .snakeCase)?.path == "lines.0.unitPrice")
        let third = #"{"orderId":1,"lines":[{"unit_price":1,"labels":{"aB":"x"}}]}"#
        #expect(failure(Order.self, third, .snakeCase)?.path == "lines.0.labels.aB")
    }

    @Test func `the key of a large document is named too`() {
        let lines = (0..<20_000).map { $0 == 19_999 ? #"{"unitPrice":"x"}"# : #"{"unitPrice":\#($0)}"# }
        let json = #"{"lines":[\#(lines.joined(separator: ","))],"orderId":1}"#
        #expect(failure(Order.self, json, .asDeclared)?.path == "lines.19999.unitPrice")
    }

    @Test func `a document with a byte order mark is walked as well`() {
        #expect(failure(Order.self, "\u{FEFF}{\"order_id\":1}", .asDeclared)?.hint?.contains("order_id") == true)
    }

    @Test func `an unknown value at the root is a mismatch, not a broken document`() {
        let failure = failure(Grade.self, "\"SPRING\"", .asDeclared)
        #expect(failure?.kind == .mismatch)
        #expect(failure?.description == "Grade: 'body' must be a valid value.")
    }

    @Test func `an empty document is called that`() {
        let failure = failure(Order.self, "", .asDeclared)
        #expect(failure?.kind == .notJSON)
        #expect(failure?.description.hasPrefix("Order: the document is empty; ") == true)
        #expect(
            self.failure(Order.self, "<html>", .asDeclared)?.description == "Order: the document is not valid JSON.")
    }

    @Test func `no text of a failure has a value of the document`() {
        for json in [
            #"{"orderId":"CANARY"}"#, #"{"order_id":"CANARY"}"#, #"{"orderId":1,"lines":"CANARY"}"#, "\"CANARY\"",
            #"{"orderId":1,"lines":[{"unitPrice":1,"labels":{"a":"CANARY"}}]}"#, "CANARY",
        ] {
            let failure = failure(Order.self, json, .asDeclared)
            #expect(failure != nil)
            #expect(failure.map { "\($0)" }?.contains("CANARY") == false)
        }
    }
}
