import StrataDomain

/// The page at `/docs`, which shows the OpenAPI document in Swagger UI.
///
/// All files come from this program. The content policy forbids every other host and inline scripts.
enum ViewerPage {
    static let path = "/docs"

    /// - Parameter title: The name of the service.
    static func html(title: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(escaped(title))</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="docs/viewer.css">
        <link rel="stylesheet" href="docs/page.css">
        <script src="docs/viewer.js" defer></script>
        <script src="docs/page.js" defer></script>
        </head>
        <body>
        <main id="viewer"><p>The document is at <a href="openapi.json">openapi.json</a>. This page needs JavaScript to show it.</p></main>
        </body>
        </html>
        """
    }

    /// Swagger UI has a dark theme that follows a class of the root element.
    static let script = """
        const dark = matchMedia("(prefers-color-scheme: dark)");
        const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
        follow();
        dark.addEventListener("change", follow);
        SwaggerUIBundle({
          url: "openapi.json",
          dom_id: "#viewer",
          deepLinking: true,
          displayRequestDuration: true,
          filter: true,
          validatorUrl: null,
        });

        """

    static let style = """
        body { margin: 0; background: #fff; color: #3b4151; font-family: sans-serif; }
        html.dark-mode body { background: #1c2022; color: #e4e6e6; }
        a:focus-visible, button:focus-visible, [tabindex]:focus-visible { outline: 3px solid #4990e2; outline-offset: 2px; }

        """

    /// Swagger UI shows icons as `data:` images.
    static let contentPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
