package import SpecimensDomain
package import StrataDomain

/// `GET /v1/specimens`: newest first, in pages.
package struct ListSpecimens: RoutedEndpoint {
    package static let route = Route.get("/v1/specimens")
    package typealias Response = CursorPage<Stored<Specimen>>

    @Query package var cursor: String?
    /// Specimens in a page, 1 to 200. Default 50.
    @Query package var limit: Int?

    package init(cursor: String? = nil, limit: Int? = nil) {
        self.cursor = cursor
        self.limit = limit
    }
}

/// `POST /v1/specimens`: repeatable with `Idempotency-Key`.
package struct CreateSpecimen: RoutedEndpoint {
    package static let route = Route.post("/v1/specimens")
    package static let successStatus = 201
    package typealias Response = Stored<Specimen>

    @Body package var specimen: Specimen

    package init(specimen: Specimen) { self.specimen = specimen }
}

/// `GET /v1/specimens/{id}`.
package struct GetSpecimen: RoutedEndpoint {
    package static let route = Route.get("/v1/specimens/{id}")
    package typealias Response = Stored<Specimen>

    @Path package var id: Specimen.ID

    package init(id: Specimen.ID) { self.id = id }
}

/// `PUT /v1/specimens/{id}`: needs `If-Match` (428), and that version (412).
package struct UpdateSpecimen: RoutedEndpoint {
    package static let route = Route.put("/v1/specimens/{id}")
    package typealias Response = Stored<Specimen>

    @Path package var id: Specimen.ID
    @Header package var ifMatch: IfMatch?
    @Body package var specimen: Specimen

    package init(id: Specimen.ID, ifMatch: EntityTag?, specimen: Specimen) {
        self.id = id
        self.ifMatch = ifMatch.map(IfMatch.init)
        self.specimen = specimen
    }
}

/// `DELETE /v1/specimens/{id}`: needs `If-Match` (428), and that version (412).
package struct DeleteSpecimen: RoutedEndpoint {
    package static let route = Route.delete("/v1/specimens/{id}")
    package typealias Response = NoContent

    @Path package var id: Specimen.ID
    @Header package var ifMatch: IfMatch?

    package init(id: Specimen.ID, ifMatch: EntityTag?) {
        self.id = id
        self.ifMatch = ifMatch.map(IfMatch.init)
    }
}
