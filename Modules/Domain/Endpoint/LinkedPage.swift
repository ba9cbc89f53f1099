/// A response that is one of several pages; the server adds the `Link` field (RFC 8288).
public protocol LinkedPage {
    /// Query items that replace those of this request to get the next page; `nil` on the last page.
    var nextPageQuery: [String: String]? { get }
}
