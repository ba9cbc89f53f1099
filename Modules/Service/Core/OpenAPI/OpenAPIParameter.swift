import StrataDomain

/// The parameters that every endpoint has.
enum OpenAPIParameter {
    /// A reference to the deadline.
    static let deadline: JSONValue = ["$ref": "#/components/parameters/X-Request-Deadline-Ms"]

    static let components: [String: JSONValue] = [
        "X-Request-Deadline-Ms": [
            "name": "X-Request-Deadline-Ms", "in": "header", "required": false,
            "description": """
            Milliseconds from the arrival of the request in which the response is of use; then 504. The service has a shorter \
            limit of its own for most operations.
            """,
            "schema": .object(JSONSchema.integer(1...999_999_999_999_999_999).keywords),
        ]
    ]
}
