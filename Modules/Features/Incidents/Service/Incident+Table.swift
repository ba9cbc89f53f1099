import IncidentsDomain
import StrataService

extension Incident {
    static let table = EntityTable<Incident>()

    /// What was released never changes; a new field comes by a further migration.
    static let migration = StoreMigration(
        "incidents-1",
        """
        CREATE TABLE incidents (
            id TEXT NOT NULL PRIMARY KEY,
            title TEXT NOT NULL,
            alias TEXT,
            details TEXT NOT NULL,
            note TEXT,
            severity TEXT NOT NULL,
            phase TEXT,
            started_at BIGINT NOT NULL,
            ended_at BIGINT,
            count BIGINT NOT NULL,
            size BIGINT,
            load DOUBLE PRECISION NOT NULL,
            ratio DOUBLE PRECISION,
            is_public BIGINT NOT NULL,
            done BIGINT,
            device TEXT NOT NULL,
            peer TEXT,
            page TEXT NOT NULL,
            link TEXT,
            owner TEXT NOT NULL,
            runbook TEXT,
            slug TEXT NOT NULL UNIQUE,
            token TEXT,
            version BIGINT NOT NULL,
            updated_at BIGINT NOT NULL)
        """)
}
