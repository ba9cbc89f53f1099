import RunbooksAPI
import StrataDomain

/// Walks the pages of the list.
struct RunbookPages {
    let client: any APIClient
    /// Runbooks in a page. A body of 256 KiB can take twice that as JSON, and a client reads 16 MiB at most.
    private let pageSize = 25
    /// A server that never comes to an end is broken; 50,000 runbooks are more than anybody reads.
    private let mostPages = 2000

    /// Every runbook in the server's order, by title, then id.
    ///
    /// A runbook that was renamed between two pages may come twice; it is listed once, as it came last.
    func all() async throws(DomainError) -> [RunbookPayload] {
        var payloads: [RunbookPayload] = []
        var seen: Set<String> = []
        var cursor: String?
        repeat {
            let page = try await page(after: cursor)
            payloads += page.items
            cursor = page.nextCursor
            if let cursor, !seen.insert(cursor).inserted || seen.count > mostPages {
                throw .unexpected("The server's list of runbooks has no end; tell its administrator.")
            }
        } while cursor != nil
        return Self.unique(payloads)
    }

    private func page(after cursor: String?) async throws(DomainError) -> CursorPage<RunbookPayload> {
        do throws(NetworkError) { return try await client.send(ListRunbooks(cursor: cursor, limit: pageSize)) } catch {
            throw .runbooks(error)
        }
    }

    private static func unique(_ payloads: [RunbookPayload]) -> [RunbookPayload] {
        let places = Dictionary(payloads.enumerated().map { ($1.id, $0) }) { _, last in last }
        return payloads.enumerated().filter { places[$1.id] == $0 }.map(\.element)
    }
}
