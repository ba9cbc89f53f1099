import StrataService

/// The JSON of the responses as an owner of a busy route writes it. Strata alone uses it.
extension Item: JSONWritable {
    func write(to text: inout JSONText) throws { PricedItem(self, times: 1).write(to: &text, withTotal: false) }
}

extension PricedItem: JSONWritable {
    func write(to text: inout JSONText) throws { write(to: &text, withTotal: true) }

    fileprivate func write(to text: inout JSONText, withTotal: Bool) {
        text.raw(active ? #"{"active":true,"category":"# : #"{"active":false,"category":"#)
        text.string(category)
        text.member(#","id":"#, id)
        text.raw(#","name":"#)
        text.string(name)
        text.member(#","price":"#, price)
        text.member(#","quantity":"#, quantity)
        text.member(#","rating":{"count":"#, rating.count)
        text.member(#","score":"#, rating.score)
        text.raw(#"},"tags":["#)
        var separator: StaticString = ""
        for tag in tags {
            text.raw(separator)
            text.string(tag)
            separator = ","
        }
        text.raw("]")
        if withTotal { text.member(#","total":"#, total) }
        text.raw("}")
    }
}

extension PricedItems: JSONWritable {
    func write(to text: inout JSONText) throws {
        text.member(#"{"count":"#, count)
        text.raw(#","items":"#)
        try items.write(to: &text)
        text.raw("}")
    }
}

extension FoundItems: JSONWritable {
    func write(to text: inout JSONText) throws {
        text.member(#"{"count":"#, count)
        text.raw(#","items":"#)
        try items.write(to: &text)
        text.raw("}")
    }
}

extension ItemPage: JSONWritable {
    func write(to text: inout JSONText) throws {
        text.raw(#"{"items":"#)
        try items.write(to: &text)
        text.member(#","limit":"#, limit)
        text.member(#","page":"#, page)
        text.member(#","total":"#, total)
        text.raw("}")
    }
}

extension NewItem: JSONWritable {
    func write(to text: inout JSONText) throws {
        text.raw(#"{"category":"#)
        text.string(category)
        text.member(#","id":"#, id)
        text.raw(#","name":"#)
        text.string(name)
        text.member(#","price":"#, price)
        text.member(#","quantity":"#, quantity)
        text.raw("}")
    }
}

extension ChangedItem: JSONWritable {
    func write(to text: inout JSONText) throws {
        text.member(#"{"id":"#, id)
        text.raw(#","name":"#)
        text.string(name)
        text.member(#","price":"#, price)
        text.member(#","quantity":"#, quantity)
        text.raw("}")
    }
}

extension JSONText {
    /// Appends a number behind its key.
    fileprivate mutating func member(_ key: StaticString, _ number: Int) {
        raw(key)
        integer(number)
    }
}
