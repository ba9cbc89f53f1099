import RunbooksAPI
import StrataDomain

/// Reads all pages of the list.
struct RunbookPages {
    let client: any APIClient
    /// Runbooks in a page. A body of 256 KiB can take twice that as JSON, and a client reads 16 MiB at most.
    private let pageSize = 25
    /// Stops a defective server whose list does not end, after 50,000 runbooks.
    private let mostPages = 2000

    /// Every runbook in the order of the server, by title, then id. One that was renamed between two pages may arrive twice; the
    /// last copy counts.
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
