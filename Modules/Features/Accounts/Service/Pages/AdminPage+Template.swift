extension AdminPage {
    static let template = PageTemplate(
        """
        <nav aria-label="Lists">{{#views}}<a href="{{path}}">{{label}}</a> {{/views}}</nav>
        <form method="post" action="/signout" class="row">
        <input type="hidden" name="form_token" value="{{token}}">
        <span class="dim">Signed in as {{name}}</span> <button type="submit" class="plain">Sign out</button>
        </form>
        {{#done}}<p role="status">{{done}}</p>{{/done}}
        {{#note}}<p class="dim">{{note}}</p>{{/note}}
        <p>{{#choices}}<a href="{{path}}">{{label}}</a> {{/choices}}</p>
        {{^isEmpty}}
        <div class="list" role="region" aria-label="{{title}}" tabindex="0">
        <table>
        <thead><tr>{{#columns}}<th scope="col">{{.}}</th>{{/columns}}{{#hasButtons}}<th scope="col">Actions</th>{{/hasButtons}}
        </tr></thead>
        <tbody>
        {{#rows}}
        <tr>{{#cells}}<td><bdi>{{#path}}<a href="{{path}}">{{text}}</a>{{/path}}{{^path}}{{text}}{{/path}}</bdi></td>{{/cells}}
        {{#hasButtons}}<td>{{#buttons}}
        <form method="post" action="/admin" class="row">
        <input type="hidden" name="form_token" value="{{token}}"><input type="hidden" name="next" value="{{next}}">
        <input type="hidden" name="action" value="{{action}}"><input type="hidden" name="id" value="{{id}}">
        <button type="submit" class="plain" aria-label="{{label}}: {{of}}">{{label}}</button>
        </form>
        {{/buttons}}</td>{{/hasButtons}}</tr>
        {{/rows}}
        </tbody>
        </table>
        </div>
        {{/isEmpty}}
        {{#isEmpty}}<p>There are none.</p>{{/isEmpty}}
        {{#nextPath}}<p><a href="{{nextPath}}" rel="next">Next page</a></p>{{/nextPath}}
        """)
}
