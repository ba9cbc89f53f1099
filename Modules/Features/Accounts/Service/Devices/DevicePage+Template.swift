extension DevicePage {
    /// The page as a Mustache template. It works without a script.
    static let text = """
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
        button{font:inherit;font-weight:600;width:100%;padding:.7rem;margin-top:1rem;border-radius:.4rem;cursor:pointer;
        border:1px solid var(--main);background:var(--main);color:var(--on)}
        button.plain{background:none;color:var(--main)}
        :focus-visible{outline:3px solid var(--main);outline-offset:2px}
        dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}dt{color:var(--dim)}
        dd{margin:0;overflow-wrap:anywhere}.error{color:var(--bad);font-weight:600}.dim{color:var(--dim)}
        </style>
        </head>
        <body>
        <main>
        <h1>{{title}}</h1>
        {{#signIn}}
        {{#error}}<p class="error" role="alert">{{error}}</p>{{/error}}
        <p>Type the code that your device shows, and log in to {{service}}.</p>
        <form method="post" action="/device">
        <label for="user_code">Code of the device</label>
        <input id="user_code" name="user_code" value="{{userCode}}" required maxlength="20" autocomplete="off" \
        autocapitalize="characters" spellcheck="false" placeholder="XXXX-XXXX">
        <label for="username">Username</label>
        <input id="username" name="username" value="{{username}}" required maxlength="64" autocomplete="username" \
        autocapitalize="none" spellcheck="false">
        <label for="password">Password</label>
        <input id="password" name="password" type="password" required maxlength="1024" autocomplete="current-password">
        <button type="submit">Continue</button>
        </form>
        <p class="dim">You are asked once more before the device is logged in.</p>
        {{/signIn}}
        {{#question}}
        <dl>
        <dt>Code</dt><dd class="code">{{userCode}}</dd>
        <dt>Device</dt><dd>{{device}}</dd>
        <dt>Address</dt><dd>{{address}}</dd>
        <dt>Asked at</dt><dd>{{time}}</dd>
        <dt>Logs in as</dt><dd>{{username}}</dd>
        </dl>
        <p>The device will be able to read and write everything that {{username}} may, until you end its session \
        (<code>sessions list</code>).</p>
        <p><strong>Allow it only if you started this login yourself, and your device shows this code now.</strong> \
        If another person sent you the code or a link, refuse.</p>
        <form method="post" action="/device">
        <input type="hidden" name="ticket" value="{{ticket}}">
        <button type="submit" name="decision" value="refuse" class="plain">Refuse</button>
        <button type="submit" name="decision" value="allow">Allow</button>
        </form>
        {{/question}}
        {{#askReset}}
        {{#error}}<p class="error" role="alert">{{error}}</p>{{/error}}
        <p>Type the name of your account. {{service}} mails a link to its address, with which you choose a new password.</p>
        <form method="post" action="/password-reset">
        <label for="username">Username</label>
        <input id="username" name="username" required maxlength="64" autocomplete="username" autocapitalize="none" \
        spellcheck="false">
        <button type="submit">Send the link</button>
        </form>
        {{/askReset}}
        {{#newPassword}}
        {{#error}}<p class="error" role="alert">{{error}}</p>{{/error}}
        <p>Every session of the account ends, on all devices.</p>
        <form method="post" action="/password-reset">
        <input type="hidden" name="token" value="{{token}}">
        <label for="password">New password, at least 8 characters</label>
        <input id="password" name="password" type="password" required minlength="8" maxlength="1024" \
        autocomplete="new-password">
        <label for="repeated">Once more</label>
        <input id="repeated" name="repeated" type="password" required maxlength="1024" autocomplete="new-password">
        <button type="submit">Set the password</button>
        </form>
        {{/newPassword}}
        {{#result}}<p role="status">{{result}}</p>{{/result}}
        </main>
        </body>
        </html>
        """
}
