package import StrataService

/// The backend half of attachments.
package struct AttachmentsService: FeatureService {
    package init() {}

    package var migrations: [StoreMigration] { [] }

    package func mount(on routes: inout APIRoutes) {}
}
