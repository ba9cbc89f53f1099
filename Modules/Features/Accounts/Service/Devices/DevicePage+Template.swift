extension DevicePage {
    /// What the page shows, as a Mustache template.
    static let template = PageTemplate(
        """
        {{#signIn}}
        {{#error}}<p class="error" role="alert">{{error}}</p>{{/error}}
        {{#caller}}
        <p>Type the code that your device shows. You are signed in to {{service}} as <strong>{{name}}</strong>.</p>
        {{/caller}}
        {{^caller}}<p>Type the code that your device shows, and log in to {{service}}.</p>{{/caller}}
        {{#form}}
        <form method="post" action="/device">
        <label for="user_code">Code of the device</label>
        <input id="user_code" name="user_code" value="{{userCode}}" required maxlength="20" autocomplete="off" \
        autocapitalize="characters" spellcheck="false" placeholder="XXXX-XXXX">
        {{#caller}}<input type="hidden" name="form_token" value="{{token}}">{{/caller}}
        {{^caller}}
        <label for="username">Username</label>
        <input id="username" name="username" value="{{username}}" required maxlength="64" autocomplete="username" \
        autocapitalize="none" spellcheck="false">
        <label for="password">Password</label>
        <input id="password" name="password" type="password" required maxlength="1024" autocomplete="current-password">
        {{/caller}}
        <button type="submit">Continue</button>
        </form>
        {{/form}}
        {{#provider}}<p><a class="button" href="{{url}}">Sign in with {{name}}</a></p>{{/provider}}
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
        <label for="username">Username</label>
        <input id="username" value="{{username}}" readonly autocomplete="username">
        <label for="password">New password, at least 8 characters</label>
        <input id="password" name="password" type="password" required minlength="8" maxlength="1024" \
        autocomplete="new-password">
        <label for="repeated">Once more</label>
        <input id="repeated" name="repeated" type="password" required maxlength="1024" autocomplete="new-password">
        <button type="submit">Set the password</button>
        </form>
        {{/newPassword}}
        {{#result}}<p role="status">{{result}}</p>{{/result}}
        {{#leadsToSignIn}}<p><a href="/signin">Sign in</a></p>{{/leadsToSignIn}}
        """)
}
