import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// The table of device grants. It stores only digests of codes; every replica sees it.
enum DeviceGrantTable {
    static let migration = StoreMigration(
        "accounts-3-device-grants",
        """
        CREATE TABLE device_grant (
            id TEXT NOT NULL PRIMARY KEY, user_code_hash TEXT NOT NULL UNIQUE, device TEXT NOT NULL,
            address TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, poll_interval BIGINT NOT NULL,
            polled_at BIGINT, ticket_hash TEXT UNIQUE, ticket_user_id TEXT, user_id TEXT, is_allowed BIGINT,
            decided_at BIGINT, session_id TEXT)
        """,
        "CREATE INDEX device_grant_expiry ON device_grant (expires_at)",
        "CREATE INDEX device_grant_address ON device_grant (address)"
    )

    /// What counts the grants of a client, and when the account of a ticket was changed last.
    static let networkMigration = StoreMigration(
        "accounts-4-device-grant-networks",
        "ALTER TABLE device_grant ADD COLUMN network TEXT",
        "ALTER TABLE device_grant ADD COLUMN ticket_user_updated_at BIGINT",
        "CREATE INDEX device_grant_network ON device_grant (network)"
    )

    private static let columns: Statement = """
        id, device, address, created_at, expires_at, poll_interval, polled_at, user_id, is_allowed, decided_at, \
        ticket_user_updated_at, session_id
        """

    /// Expired grants stay for an hour, so that a late poll gets `expired_token`. Those of a clock that was set back go at once.
    static func prune(at now: Date, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            """
            DELETE FROM device_grant
            WHERE expires_at <= \(now.addingTimeInterval(-3600)) OR expires_at > \(DeviceGrant.latestExpiry(at: now))
            """)
    }

    /// How many grants of a client, and of all clients, wait for a user.
    ///
    /// - Parameter network: `ClientNetwork.key` of the client.
    static func open(of network: String, at now: Date, in store: any StoreReader) throws -> (here: Int, all: Int) {
        func count(_ grants: Statement) throws -> Int {
            try store.row(
                "SELECT COUNT(*) AS total FROM device_grant WHERE \(grants) \(isCurrent(at: now)) AND decided_at IS NULL"
            )?.int("total") ?? 0
        }
        return (try count("network = \(network) AND"), try count(""))
    }

    /// A condition of a `WHERE`: the grant has not expired.
    private static func isCurrent(at now: Date) -> Statement {
        "expires_at > \(now) AND expires_at <= \(DeviceGrant.latestExpiry(at: now))"
    }

    static func insert(_ grant: DeviceGrant, userCodeHash: String, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO device_grant (
                id, user_code_hash, device, address, network, created_at, expires_at, poll_interval)
            VALUES (\(grant.id), \(userCodeHash), \(grant.device), \(grant.address), \(grant.network), \(grant.createdAt),
                \(grant.expiresAt), \(grant.interval))
            """)
    }

    static func exists(userCodeHash: String, in store: any StoreReader) throws -> Bool {
        try store.row("SELECT id FROM device_grant WHERE user_code_hash = \(userCodeHash)") != nil
    }

    /// The grant of a device code, locked until the transaction ends: its next poll waits on an engine with several writers.
    static func locked(_ id: String, in transaction: any StoreTransaction) throws -> DeviceGrant? {
        try transaction.row(
            "UPDATE device_grant SET poll_interval = poll_interval WHERE id = \(id) RETURNING \(columns)"
        ).map(DeviceGrant.init)
    }

    static func notePoll(
        _ id: String, at now: Date, interval: Int, in transaction: any StoreTransaction
    ) throws {
        try transaction.execute(
            "UPDATE device_grant SET polled_at = \(now), poll_interval = \(interval) WHERE id = \(id)")
    }

    static func setSession(_ sessionId: String, of id: String, in transaction: any StoreTransaction) throws {
        try transaction.execute("UPDATE device_grant SET session_id = \(sessionId) WHERE id = \(id)")
    }

    /// The undecided grant of a user code. From now on only `ticketHash`, in the name of `user`, can decide it.
    static func offer(
        userCodeHash: String, to user: User, ticketHash: String, at now: Date, in transaction: any StoreTransaction
    ) throws -> DeviceGrant? {
        try transaction.row(
            """
            UPDATE device_grant SET ticket_hash = \(ticketHash), ticket_user_id = \(user.id.rawValue),
                ticket_user_updated_at = \(user.updatedAt)
            WHERE user_code_hash = \(userCodeHash) AND \(isCurrent(at: now)) AND decided_at IS NULL
            RETURNING \(columns)
            """
        ).map(DeviceGrant.init)
    }

    /// Decides the grant of a ticket, unless it is decided. The first decision stays.
    ///
    /// - Returns: The grant; `nil` for an unknown ticket and for an expired grant.
    static func decide(
        ticketHash: String, isAllowed: Bool, at now: Date, in transaction: any StoreTransaction
    ) throws -> DeviceGrant? {
        try transaction.execute(
            """
            UPDATE device_grant SET user_id = ticket_user_id, is_allowed = \(isAllowed ? 1 : 0), decided_at = \(now)
            WHERE ticket_hash = \(ticketHash) AND \(isCurrent(at: now)) AND decided_at IS NULL
            """)
        return try transaction.row(
            "SELECT \(columns) FROM device_grant WHERE ticket_hash = \(ticketHash) AND \(isCurrent(at: now))"
        ).map(DeviceGrant.init)
    }
}

extension DeviceGrant {
    fileprivate init(_ row: StoreRow) throws {
        var decision: Decision?
        if let userId = try row.textIfAny("user_id") {
            decision = Decision(
                userId: userId, isAllowed: try row.bool("is_allowed"),
                userUpdatedAt: try row.dateIfAny("ticket_user_updated_at"))
        }
        self.init(
            id: try row.text("id"), device: try row.text("device"), address: try row.text("address"),
            createdAt: try row.date("created_at"), expiresAt: try row.date("expires_at"),
            interval: try row.int("poll_interval"), polledAt: try row.dateIfAny("polled_at"), decision: decision,
            sessionId: try row.textIfAny("session_id"))
    }
}
