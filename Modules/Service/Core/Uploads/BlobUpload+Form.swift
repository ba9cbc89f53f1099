extension BlobUpload {
    /// Appends the rest of the current part of a form.
    ///
    /// - Throws: As for bytes; what `form` throws.
    public func append(_ form: UploadForm) async throws {
        while let bytes = try await form.nextBytes() { try await append(bytes) }
    }
}
