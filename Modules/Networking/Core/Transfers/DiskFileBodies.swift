import FoundationEssentials
public import StrataDomain
import StrataSystem

/// Makes bodies of files on the local disk: a piece of 64 KiB in memory at a time, the file open only while it is sent.
public struct DiskFileBodies: FileBodies {
    /// Bodies from the files of this machine.
    public init() {}

    public func body(ofFileAt path: String, contentType: String?) async throws(NetworkError) -> UploadBody {
        let noted = try await FileReader.reading(path).status
        return .stream(length: Int(noted.size), isReplayable: true, contentType: contentType) {
            let reader = try await FileReader.reading(path, unchangedSince: noted)
            return AsyncThrowingStream { try await reader.read() }
        }
    }
}
