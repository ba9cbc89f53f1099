import StrataClient

struct Number: Decodable, Sendable {
    var number: Int
    var text: String
}

enum Streams {
    /// Prints `count` events behind the event `id`: id, kind and data of each.
    static func events(_ address: String, path: String, since id: String, count: Int) async throws {
        let client = try StrataClient(address)
        var left = count
        for try await event in client.events(path, since: id) {
            let number = try event.decode(Number.self)
            say("\(event.id) \(event.event) \(number.number) \(number.text == "two\nlines")")
            left -= 1
            if left == 0 { break }
        }
    }
}
