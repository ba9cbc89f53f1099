import CViewer
import FoundationEssentials
import HTTPTypes
import Hummingbird
import StrataConcurrency
import StrataDomain

extension RawRoute {
    /// The page at `/docs`, its files, and `/`, which leads to it.
    ///
    /// - Parameter service: The name, unless the pages have one.
    static func viewer(_ pages: PageStyle, service: String) -> [RawRoute] {
        [
            file("", "Show this document", "text/html") { Array(ViewerPage.html(title: pages.name ?? service).utf8) },
            file("/page.js", "Get script of the page", "text/javascript") { Array(ViewerPage.script.utf8) },
            file("/page.css", "Get style of the page", "text/css") { Array(ViewerPage.style(pages).utf8) },
            file("/viewer.js", "Get script of the viewer", "text/javascript", coding: "gzip") {
                Array(UnsafeBufferPointer(start: strata_viewer_script(), count: strata_viewer_script_size()))
            },
            file("/viewer.css", "Get style of the viewer", "text/css", coding: "gzip") {
                Array(UnsafeBufferPointer(start: strata_viewer_style(), count: strata_viewer_style_size()))
            },
            RawRoute(route: .get("/"), summary: "Go to the page", mediaType: "", emptyStatuses: [302]) { _ in
                Response(status: .found, headers: [.location: ViewerPage.path, .cacheControl: "no-cache"])
            },
        ]
    }

    /// - Parameters:
    ///   - coding: The content coding of the bytes. Every browser decodes gzip; the encoded form is the only one.
    ///   - bytes: Run at the first request.
    private static func file(
        _ name: String, _ summary: String, _ mediaType: String, coding: String? = nil,
        _ bytes: @escaping @Sendable () -> [UInt8]
    ) -> RawRoute {
        let response = Lazy {
            let content = bytes()
            return EncodedResponse(
                status: 200,
                headers: [
                    "Content-Type": "\(mediaType); charset=utf-8", "Cache-Control": "no-cache",
                    "ETag": EntityTag(of: content).text, "Content-Security-Policy": ViewerPage.contentPolicy,
                    "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
                ], body: Data(content))
        }
        return RawRoute(
            route: .get(ViewerPage.path + name), summary: summary, mediaType: mediaType, isTagged: true,
            emptyStatuses: [304]
        ) { call in
            var sent = Response(response.value, to: call.request)
            if let coding, sent.status == .ok {
                sent.headers[.contentEncoding] = coding
                sent.headers[.vary] = "Accept-Encoding"
            }
            return sent
        }
    }
}
