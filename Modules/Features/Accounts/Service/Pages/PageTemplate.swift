import FoundationEssentials
import Mustache
import StrataDomain
import StrataHTTP
import StrataService

/// A page in the style of this service. It works without a script.
struct PageTemplate: Sendable {
    private let template: MustacheTemplate?

    /// - Parameter main: What comes after the heading, as a Mustache template.
    init(_ main: String) {
        // The library's own escaping compares characters, so a combining mark after a quotation mark hides it.
        MustacheContentTypes.register(EscapedText(), named: EscapedText.name)
        template = try? MustacheTemplate(
            string: "{{% CONTENT_TYPE:\(EscapedText.name)}}\n" + Self.head + main + "\n</main>\n</body>\n</html>\n")
    }

    private struct EscapedText: MustacheContentType {
        static let name = "STRATA_HTML"
        func escapeText(_ text: String) -> String { HTMLText.escaped(text) }
    }

    /// The page with `values`, of which `title` is the heading.
    ///
    /// - Parameter service: The name of the service.
    func page(
        _ values: [String: Any], of service: String, style: PageStyle, status: Int
    ) throws -> HTMLPage {
        guard let template else { throw StoreError.failed("the template of a page is broken") }
        let nonce = OpaqueToken.make(prefix: "").reveal()
        let all = values.merging(["service": service, "nonce": nonce, "style": style.customProperties]) { $1 }
        return HTMLPage(status: status, html: template.render(all), styleNonce: nonce)
    }

    private static let head = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{title}} – {{service}}</title>
        <style nonce="{{nonce}}">
        {{{style}}}
        :root{color-scheme:light dark;--ink:#1b1f24;--dim:#57606a;--page:#f6f8fa;--card:#fff;--line:#8c959f;--bad:#b3261e}
        @media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--dim:#9aa4af;--page:#0f1215;--card:#1a1e23;--line:#6e7681;
        --bad:#ff8a80}}
        *{box-sizing:border-box}
        body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);margin:0;padding:1rem}
        main{max-width:28rem;margin:2rem auto;padding:1.5rem;background:var(--card);border:1px solid var(--line);
        border-radius:.75rem}
        h1{font-size:1.35rem;margin:0 0 .75rem}label{display:block;font-weight:600;margin-top:1rem}
        input{width:100%;font:inherit;padding:.6rem;margin-top:.25rem;color:var(--ink);background:var(--page);
        border:1px solid var(--line);border-radius:.4rem}
        #user_code,.code{font-family:ui-monospace,monospace;font-size:1.4rem;letter-spacing:.1em}
        .button{display:block;text-align:center;text-decoration:none}
        button,.button{font:inherit;font-weight:600;width:100%;padding:.7rem;margin-top:1rem;border-radius:.4rem;cursor:pointer;
        border:1px solid var(--main);background:var(--main);color:var(--on)}
        button.plain{background:none;color:var(--main)}
        a{color:var(--main)}main.wide{max-width:80rem}nav a,p a{margin-right:.75rem}.list{overflow-x:auto}
        table{border-collapse:collapse;width:100%}th,td{text-align:start;padding:.4rem .75rem .4rem 0;vertical-align:top;
        border-bottom:1px solid var(--line);overflow-wrap:anywhere;min-width:6rem}td,dd{overflow-y:clip}
        .row{display:inline-block}.row button{width:auto;margin:.15rem 0;padding:.25rem .6rem}
        :focus-visible{outline:3px solid var(--main);outline-offset:2px}
        dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}dt{color:var(--dim)}
        dd{margin:0;overflow-wrap:anywhere}.error{color:var(--bad);font-weight:600}.dim{color:var(--dim)}
        </style>
        </head>
        <body>
        <main{{#isWide}} class="wide"{{/isWide}}>
        <h1>{{title}}</h1>
        """ + "\n"
}
