package import IncidentsDomain
package import StrataDomain

/// `GET /v1/incidents`: newest first, in pages.
package struct ListIncidents: RoutedEndpoint {
    package static let route = Route.get("/v1/incidents")
    package typealias Response = CursorPage<Stored<Incident>>

    @Query package var cursor: String?
    /// Incidents in a page, 1 to 200. Default 50.
    @Query package var limit: Int?

    package init(cursor: String? = nil, limit: Int? = nil) {
        self.cursor = cursor
        self.limit = limit
    }
}

/// `POST /v1/incidents`: repeatable with `Idempotency-Key`.
package struct CreateIncident: RoutedEndpoint {
    package static let route = Route.post("/v1/incidents")
    package static let successStatus = 201
    package typealias Response = Stored<Incident>

    @Body package var incident: Incident

    package init(incident: Incident) { self.incident = incident }
}

/// `GET /v1/incidents/{id}`.
package struct GetIncident: RoutedEndpoint {
    package static let route = Route.get("/v1/incidents/{id}")
    package typealias Response = Stored<Incident>

    @Path package var id: Incident.ID

    package init(id: Incident.ID) { self.id = id }
}

/// `PUT /v1/incidents/{id}`: needs `If-Match` (428), and that version (412).
package struct UpdateIncident: RoutedEndpoint {
    package static let route = Route.put("/v1/incidents/{id}")
    package typealias Response = Stored<Incident>

    @Path package var id: Incident.ID
    @Header package var ifMatch: EntityTag?
    @Body package var incident: Incident

    package init(id: Incident.ID, ifMatch: EntityTag?, incident: Incident) {
        self.id = id
        self.ifMatch = ifMatch
        self.incident = incident
    }
}

/// `DELETE /v1/incidents/{id}`: needs `If-Match` (428), and that version (412).
package struct DeleteIncident: RoutedEndpoint {
    package static let route = Route.delete("/v1/incidents/{id}")
    package typealias Response = NoContent

    @Path package var id: Incident.ID
    @Header package var ifMatch: EntityTag?

    package init(id: Incident.ID, ifMatch: EntityTag?) {
        self.id = id
        self.ifMatch = ifMatch
    }
}
