/// A resource at the server; each read is a request.
public protocol RemoteResourceRepository: ResourceRepository {
    /// Sends a request, and turns a network error into an error with the next step.
    ///
    /// - Parameter id: The row that the request is about, if it is about one.
    func send<Call: Endpoint>(_ call: Call, about id: Item.ID?) async throws(DomainError) -> Call.Response
}

extension RemoteResourceRepository {
    public func list(upTo limit: Int) async throws(DomainError) -> (items: [Item], total: Int?) {
        let items = try await send(ListResources<Item>(), about: nil).items
        return (items, items.count)
    }

    public func delete(_ id: Item.ID) async throws(DomainError) {
        _ = try await send(DeleteResource<Item>(id: id), about: id)
    }
}
