import Testing

/// A point of the contract that a transport cannot keep, and why.
///
/// The suite proves each of them: a deviation that is no longer there must be struck off.
struct Deviation: Sendable {
    enum Point: String, Sendable, CaseIterable {
        case repeatedFields, chunkedUpload, bodyOfGET, bodyOfBareRedirect, reuseAfterPOST, backpressure
        case survivesHalfHead, survivesLocation, readsUploads, sendsReadsOnce
    }

    let subject: Subject
    let point: Point
    let reason: String

    static let all: [Deviation] = [
        Deviation(
            subject: .urlSession, point: .repeatedFields,
            reason: "FoundationNetworking keeps fields in a dictionary: repeated ones are joined by a comma."),
        Deviation(
            subject: .urlSession, point: .chunkedUpload,
            reason: "A body of unknown length is put in a file first and sent with Content-Length."),
        Deviation(
            subject: .urlSession, point: .bodyOfGET, reason: "FoundationNetworking refuses a GET with a body."),
        Deviation(
            subject: .urlSession, point: .bodyOfBareRedirect,
            reason: "FoundationNetworking drops the body of a redirect without Location."),
        Deviation(
            subject: .urlSession, point: .reuseAfterPOST,
            reason:
                "libcurl repeats a request on a connection that died, so POST, PATCH and bodies get one of their own."),
        Deviation(
            subject: .urlSession, point: .survivesLocation,
            reason: "FoundationNetworking of Swift 6.3 ends the process over a Location such as //[::1]/x."),
        Deviation(
            subject: .urlSession, point: .sendsReadsOnce,
            reason: "libcurl sends an idempotent request once more when a connection it used before has died."),
        Deviation(
            subject: .urlSession, point: .backpressure,
            reason: "libcurl cannot be paused: more than unreadLimit bytes unread are an error."),
        Deviation(
            subject: .urlSession, point: .survivesHalfHead,
            reason: "FoundationNetworking of Swift 6.3 ends the process when a connection is closed within the head."),
        Deviation(
            subject: .scripted, point: .readsUploads,
            reason: "A script takes a request as it is and does not read its body."),
    ]
}

extension Subject {
    func deviates(in point: Deviation.Point) -> Bool {
        Deviation.all.contains { $0.subject == self && $0.point == point }
    }
}
