#if POSTGRES
    import StrataFeatureTesting
    import Testing

    extension PostgresTestServer {
        static let isMissing: Comment =
            "STRATA_TEST_POSTGRES has no address of a PostgreSQL server; Scripts/test starts one."
    }
#endif
