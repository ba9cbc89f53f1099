import Foundation
import StrataConcurrency
import StrataNetworking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Leads what the sessions tell to the exchange it belongs to.
///
/// FoundationNetworking asks only the delegate of a session, never that of a task, so there is one for all.
final class SessionEvents: NSObject, URLSessionDataDelegate {
    // By task object: its number is unique within a session only.
    private let exchanges = Mutex<[ObjectIdentifier: Exchange]>([:])

    func add(_ exchange: Exchange, for task: URLSessionTask) {
        exchanges.withLock { $0[ObjectIdentifier(task)] = exchange }
    }

    func remove(_ task: URLSessionTask) {
        exchanges.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(task)) }
    }

    var all: [Exchange] { exchanges.withLock { Array($0.values) } }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[ObjectIdentifier(task)] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.received(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.received(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchange(of: task)?.completed(error)
    }

    /// No redirect is followed: the pipeline decides, so that no credential is copied to another origin.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// No credential is looked up: a 401 goes to the pipeline like any other response.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // It asks after the last byte of the response, and would not end the task by itself.
            exchange(of: task)?.completed(nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        #else
            completionHandler(.performDefaultHandling, nil)
        #endif
    }
}
