import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Damaged `Link` fields through the client: each list ends, and the credential stays at its origin.
struct PagesMutationTests {
    private struct ListTides: ManualEndpoint {
        typealias Response = [Int]
        var method: HTTPMethod { .get }
        var path: String { "/tides" }
    }

    /// The credential of the client, which the server repeats.
    private static let secret = Canary("bearer token", text: "canary-pages-9e4a70d6b3")
    private static let limit = 4

    private static let fields = [
        "<?page=2&access_token=\(secret.text)>; rel=\"next\"; title=\"a, b\"",
        "<http://tides.test/tides?page=2&access_token=\(secret.text)>; rel=next, <https://evil.test/>; rel=\"last\"",
        "<https://evil.test/tides?page=2&access_token=\(secret.text)>; rel=\"next last\"",
        "<//evil.test/tides?page=2&access_token=\(secret.text)>;rel=next", "</.//evil.test/x>; rel=next",
        "<http://tides.test@evil.test/tides?page=2>; rel=next", "<http://tides.test:81/x?page=2>; rel=next",
        "</a/../b;x=%2F?page=2#f>; rel=next; anchor=\"/x\", <http:x>; rel=next, <\\\\evil.test/x>; rel=\"next\"",
    ]

    @Test(.timeLimit(.minutes(1)), arguments: 0..<10)
    func `a damaged link brings no request to another origin, and the list ends`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            var links: [String] = []
            for _ in 0...Self.limit {
                let sound = Self.fields[Int.random(in: 0..<Self.fields.count, using: &random)]
                links.append(String(decoding: random.damaged(sound, adding: "<>\"/\\@:?#;,=. "), as: UTF8.self))
            }
            try await check(links)
        }
    }

    /// - Parameter links: One for each page; there is one more than pages that are taken.
    private func check(_ links: [String]) async throws {
        let count = CallCounter()
        let page = ScriptedTransport.Answer { _ in
            let link = links[min(count.increment(), links.count) - 1]
            let head = ResponseHead(status: 200, headers: ["Content-Type": "application/json", "Link": link])
            return ClientResponse(head, body: ResponseBody(Data("[1]".utf8)))
        }
        let bench = try Bench(then: page, auth: .token(Self.secret.secret))
        var (pages, failure) = (0, NetworkError?.none)
        do throws(NetworkError) {
            for try await _ in bench.client.pages(ListTides(), next: .link, upTo: Self.limit) { pages += 1 }
        } catch { failure = error }

        let requests = bench.transport.requests
        #expect(requests.allSatisfy { $0.url.origin.description == "http://tides.test" }, "\(links)")
        #expect(requests.allSatisfy { $0.headers.values("Authorization") == ["Bearer \(Self.secret.text)"] })
        #expect(pages == requests.count && (1...Self.limit).contains(pages), "\(links)")
        var sinks = Sinks()
        if let failure {
            let isKnown = if case .invalidResponse = failure.kind { true } else { false }
            #expect(isKnown, "\(failure.kindText) for \(links)")
            sinks.add(value: failure, as: "error")
        }
        sinks.add("log", bench.logs.lines.joined(separator: "\n"))
        #expect(sinks.leaks(of: [Self.secret]).isEmpty, "\(links)")
    }
}
