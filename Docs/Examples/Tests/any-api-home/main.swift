import Foundation
import StrataClient
import StrataOffline

// any-api-home rest|fastapi|jsonapi DATABASE ADDRESS: answers each line of standard input; README.md has the lines.

guard CommandLine.arguments.count == 4, let server = Home.Server(rawValue: CommandLine.arguments[1]) else {
    FileHandle.standardError.write(Data("any-api-home rest|fastapi|jsonapi DATABASE ADDRESS\n".utf8))
    exit(64)
}
let home = try Home(server, at: CommandLine.arguments[2], CommandLine.arguments[3])

/// One write for each line, so that lines of two tasks do not mix.
@Sendable func send(_ reply: Reply) {
    guard var line = try? JSONEncoder().encode(reply) else { return }
    line.append(UInt8(ascii: "\n"))
    try? FileHandle.standardOutput.write(contentsOf: line)
}

/// Standard input is read on a thread of its own, which waits.
let orders = AsyncStream<Order> { continuation in
    Thread.detachNewThread {
        while let line = readLine() {
            guard let order = try? JSONDecoder().decode(Order.self, from: Data(line.utf8)) else { continue }
            continuation.yield(order)
        }
        continuation.finish()
    }
}

for await order in orders {
    // A run takes as long as the network does; the other orders must not wait for it.
    if order.do == "sync" {
        Task { [home] in send(await home.reply(to: order)) }
    } else {
        send(await home.reply(to: order))
    }
}
