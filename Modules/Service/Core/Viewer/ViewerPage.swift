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
        <div id="viewer"><p>The document is at <a href="openapi.json">openapi.json</a>. This page needs JavaScript to show it.</p></div>
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
        // Swagger UI leaves these without a name, and puts links into buttons.
        const mend = () => {
          for (const link of document.querySelectorAll(".opblock-summary-control a[href]")) link.removeAttribute("href");
          for (const button of document.querySelectorAll(".close-modal:not([aria-label])")) button.setAttribute("aria-label", "Close");
          for (const select of document.querySelectorAll("select:not([aria-label])")) {
            const name = select.closest("tr")?.querySelector(".parameter__name")?.textContent;
            select.setAttribute("aria-label", name ?? (select.id === "servers" ? "Server" : "Choice"));
          }
        };
        new MutationObserver(mend).observe(document.documentElement, { childList: true, subtree: true });
        SwaggerUIBundle({
          url: "openapi.json",
          dom_id: "#viewer",
          deepLinking: true,
          displayRequestDuration: true,
          filter: true,
          validatorUrl: null,
        });

        """

    static func style(_ pages: PageStyle) -> String {
        """
        \(pages.customProperties)
        body { margin: 0; background: #fff; color: #3b4151; font-family: sans-serif; border-top: 6px solid var(--main); }
        html.dark-mode body { background: #1c2022; color: #e4e6e6; }
        a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, [tabindex]:focus-visible {
          outline: 3px solid var(--main); outline-offset: 2px;
        }
        .swagger-ui .opblock-body, .swagger-ui .dialog-ux .modal-ux { overflow-x: auto; }
        .swagger-ui .info .url, .swagger-ui .info a { color: var(--main); }
        html:not(.dark-mode) .swagger-ui .info .title small { background: #50575e; }
        html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #2d6a00; }
        html:not(.dark-mode) .swagger-ui .opblock .opblock-summary-method { background: #0b57a4; }
        html:not(.dark-mode) .swagger-ui .opblock-post .opblock-summary-method { background: #146c43; }
        html:not(.dark-mode) .swagger-ui .opblock-put .opblock-summary-method { background: #8a4b00; }
        html:not(.dark-mode) .swagger-ui .opblock-patch .opblock-summary-method { background: #0f6674; }
        html:not(.dark-mode) .swagger-ui .opblock-delete .opblock-summary-method { background: #b3261e; }
        html:not(.dark-mode) .swagger-ui .btn.authorize { color: #146c43; border-color: #146c43; }
        html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #146c43; }
        html .swagger-ui .download-contents { background: #3a4149; color: #fff; }
        /* Numbers in code, whose colour Swagger UI writes into each element. */
        .swagger-ui .highlight-code [style*="rgb(211, 99, 99)"] { color: #ff9d9d !important; }
        html:not(.dark-mode) .swagger-ui .btn.execute, html:not(.dark-mode) .swagger-ui .btn.execute:hover { background: #0b57a4; border-color: #0b57a4; color: #fff; }
        html:not(.dark-mode) .swagger-ui .btn.cancel { color: #b3261e; border-color: #b3261e; }
        html:not(.dark-mode) .swagger-ui .parameter__in { color: #50575e; }
        html:not(.dark-mode) .swagger-ui .json-schema-2020-12-expand-deep-button { color: #50575e; }
        html.dark-mode .swagger-ui .header-col { color: #e4e6e6; }
        html.dark-mode .swagger-ui .opblock .opblock-section-header { background: #1c2022; }
        html.dark-mode .swagger-ui .btn { color: #fff; }
        html.dark-mode .swagger-ui .btn.cancel { background: #1c2022; border-color: #ff8a80; color: #ff8a80; }
        html.dark-mode .swagger-ui .btn.execute { background: #0b57a4; border-color: #8ab4f8; color: #fff; }

        """
    }

    /// Swagger UI shows icons as `data:` images.
    static let contentPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
