import SpecimensDomain
import StrataService

extension Specimen {
    static let table = EntityTable<Specimen>()

    /// What was released never changes; a new field comes by a further migration.
    static let migration = StoreMigration(
        "specimens-1",
        """
        CREATE TABLE specimens (
            id TEXT NOT NULL PRIMARY KEY,
            pet_name TEXT NOT NULL,
            folk_name TEXT,
            field_notes TEXT NOT NULL,
            lab_notes TEXT,
            leg_count BIGINT NOT NULL,
            spot_count BIGINT,
            weight_grams DOUBLE PRECISION NOT NULL,
            length_meters DOUBLE PRECISION,
            is_venomous BIGINT NOT NULL,
            is_nocturnal BIGINT,
            found_at BIGINT NOT NULL,
            examined_at BIGINT,
            batch_uuid TEXT NOT NULL,
            twin_uuid TEXT,
            web_page TEXT NOT NULL,
            photo_link TEXT,
            home_terrain TEXT NOT NULL,
            main_diet TEXT,
            kept_by TEXT NOT NULL,
            found_by TEXT,
            catalog_code TEXT NOT NULL UNIQUE,
            finder_name TEXT,
            version BIGINT NOT NULL,
            updated_at BIGINT NOT NULL)
        """)
}
