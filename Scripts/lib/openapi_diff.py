"""Lists what a client of one OpenAPI document can no longer rely on in another.

    openapi_diff.py BASE NEW      one line for each breaking change; exit status 1 if there is one
    openapi_diff.py --self-test   plants each kind of change and expects its line
"""

import copy
import json
import sys

METHODS = ("get", "put", "post", "delete", "patch")


class Comparison:
    def __init__(self, base, new):
        self.base, self.new, self.found = base, new, []

    def report(self, where, text):
        self.found.append(f"{where}: {text}")

    def resolve(self, document, value):
        while isinstance(value, dict) and "$ref" in value:
            target = document
            for key in value["$ref"].removeprefix("#/").split("/"):
                target = target[key]
            value = target
        return value

    def run(self):
        for path, operations in self.base["paths"].items():
            for method in METHODS:
                if method not in operations:
                    continue
                where, new = f"{method.upper()} {path}", self.new["paths"].get(path, {}).get(method)
                if new is None:
                    self.report(where, "is gone")
                else:
                    self.operation(where, operations[method], new)
        return self.found

    def operation(self, where, old, new):
        if old["operationId"] != new["operationId"]:
            self.report(where, f"operation id '{old['operationId']}' is now '{new['operationId']}'")
        for requirement in old.get("security", []) or [{}]:
            if new.get("security") and not any(self.satisfies(requirement, wanted) for wanted in new["security"]):
                self.report(where, f"credentials {sorted(requirement)} are no longer enough")
        before = [self.resolve(self.base, p) for p in old.get("parameters", [])]
        names = {(p["in"], p["name"]): p for p in (self.resolve(self.new, p) for p in new.get("parameters", []))}
        known = {(p["in"], p["name"]) for p in before}
        for parameter in before:
            key = (parameter["in"], parameter["name"])
            if key not in names:
                self.report(where, f"parameter '{key[1]}' is gone")
                continue
            if names[key].get("required") and not parameter.get("required"):
                self.report(where, f"parameter '{key[1]}' is now required")
            self.narrowed(f"{where} parameter '{key[1]}'", parameter["schema"], names[key]["schema"])
        for key, parameter in names.items():
            if parameter.get("required") and key not in known:
                self.report(where, f"parameter '{key[1]}' is new and required")
        self.body(where, old.get("requestBody"), new.get("requestBody"))
        for status, response in old["responses"].items():
            if status.startswith(("2", "3")):
                self.response(where, status, response, new["responses"].get(status))

    @staticmethod
    def satisfies(sent, wanted):
        return all(name in sent and set(roles) <= set(sent[name]) for name, roles in wanted.items())

    def body(self, where, old, new):
        if new and new.get("required") and not old:
            self.report(where, "a body is now required")
        for kind, content in (old or {}).get("content", {}).items():
            if kind not in (new or {}).get("content", {}):
                self.report(where, f"a body of '{kind}' is no longer read")
            else:
                self.narrowed(f"{where} body", content.get("schema", {}), new["content"][kind].get("schema", {}))

    def response(self, where, status, old, new):
        if new is None:
            self.report(where, f"status {status} is gone")
            return
        old, new = self.resolve(self.base, old), self.resolve(self.new, new)
        for header in old.get("headers", {}):
            if header not in new.get("headers", {}):
                self.report(where, f"header '{header}' of {status} is gone")
        for kind, content in old.get("content", {}).items():
            if kind not in new.get("content", {}):
                self.report(where, f"content '{kind}' of {status} is gone")
            else:
                self.widened(f"{where} {status}", content.get("schema", {}), new["content"][kind].get("schema", {}))

    def types(self, schema):
        found = schema.get("type", [])
        return set(found if isinstance(found, list) else [found])

    def narrowed(self, where, old, new, depth=0):
        """What was valid in a request must stay valid."""
        old, new = self.resolve(self.base, old), self.resolve(self.new, new)
        if depth > 12:
            return
        if self.types(new) and not self.types(old) <= self.types(new):
            self.report(where, f"takes {sorted(self.types(new))} and no longer {sorted(self.types(old))}")
        if "enum" in new:
            lost = [value for value in old.get("enum", ["any value"]) if value not in new["enum"]]
            if lost:
                self.report(where, f"no longer takes {lost}")
        for key, sign in (("minimum", 1), ("minLength", 1), ("maximum", -1), ("maxLength", -1), ("maxItems", -1)):
            if key in new and (key not in old or sign * new[key] > sign * old[key]):
                self.report(where, f"{key} is now {new[key]}")
        if new.get("pattern") not in (None, old.get("pattern")):
            self.report(where, f"pattern is now {new['pattern']}")
        for name in sorted(set(new.get("required", [])) - set(old.get("required", []))):
            self.report(where, f"'{name}' is now required")
        for name, schema in old.get("properties", {}).items():
            if name in new.get("properties", {}):
                self.narrowed(f"{where}.{name}", schema, new["properties"][name], depth + 1)
            elif "properties" in new:
                self.report(where, f"'{name}' is gone")
        if "items" in old and "items" in new:
            self.narrowed(f"{where}[]", old["items"], new["items"], depth + 1)

    def widened(self, where, old, new, depth=0):
        """What a client finds in a response must stay there, with the same types."""
        old, new = self.resolve(self.base, old), self.resolve(self.new, new)
        if depth > 12:
            return
        if self.types(old) and not (self.types(new) and self.types(new) <= self.types(old)):
            self.report(where, f"was {sorted(self.types(old))} and is {sorted(self.types(new)) or 'anything'}")
        for name, schema in old.get("properties", {}).items():
            if name not in new.get("properties", {}):
                self.report(where, f"'{name}' is gone")
                continue
            if name in old.get("required", []) and name not in new.get("required", []):
                self.report(where, f"'{name}' may now be absent")
            self.widened(f"{where}.{name}", schema, new["properties"][name], depth + 1)
        if "items" in old and "items" in new:
            self.widened(f"{where}[]", old["items"], new["items"], depth + 1)


SAMPLE = {
    "paths": {
        "/v1/notes": {
            "post": {
                "operationId": "createNote", "security": [{"bearer": []}],
                "parameters": [{"in": "query", "name": "dry", "schema": {"type": "string", "maxLength": 9}}],
                "requestBody": {"required": True, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}},
                "responses": {"201": {"headers": {"ETag": {}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Stored"}}}}},
            }
        }
    },
    "components": {
        "schemas": {
            "Note": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}, "level": {"type": "string", "enum": ["low", "high"]}}},
            "Stored": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}}},
        }
    },
}

# A change of the sample in Python, and a part of the line it must cause; no line where the change breaks nothing.
PLANTED = [
    ("new['paths'].clear()", "is gone"),
    ("post['operationId'] = 'other'", "operation id"),
    ("post['security'] = [{'bearer': ['admin']}]", "no longer enough"),
    ("post['parameters'].clear()", "parameter 'dry' is gone"),
    ("post['parameters'][0]['required'] = True", "now required"),
    ("post['parameters'][0]['schema']['maxLength'] = 8", "maxLength is now 8"),
    ("post['parameters'].append({'in': 'query', 'name': 'who', 'required': True, 'schema': {}})", "new and required"),
    ("schemas['Note']['required'].append('level')", "'level' is now required"),
    ("schemas['Note']['properties']['level']['enum'].remove('low')", "no longer takes"),
    ("schemas['Note']['properties']['text']['type'] = 'integer'", "and no longer"),
    ("del schemas['Note']['properties']['level']", "'level' is gone"),
    ("post['responses'].clear()", "status 201 is gone"),
    ("post['responses']['201']['headers'].clear()", "header 'ETag'"),
    ("schemas['Stored']['required'].clear()", "may now be absent"),
    ("del schemas['Stored']['properties']['tags']", "'tags' is gone"),
    ("schemas['Stored']['properties']['tags']['items']['type'] = ['string', 'null']", "was ['string']"),
    ("schemas['Note']['properties']['more'] = {'type': 'string'}", None),
    ("schemas['Stored']['properties']['more'] = {'type': 'string'}", None),
    ("new['paths']['/v1/more'] = {}", None),
    ("schemas['Note']['required'].clear()", None),
]


def self_test():
    for change, expected in PLANTED:
        new = copy.deepcopy(SAMPLE)
        post, schemas = new["paths"]["/v1/notes"]["post"], new["components"]["schemas"]
        exec(change, {"new": new, "post": post, "schemas": schemas})
        found = Comparison(SAMPLE, new).run()
        if (expected is None) != (not found) or expected and not any(expected in line for line in found):
            sys.exit(f"After \"{change}\" the findings are {found}, not '{expected}'.")
    print(f"{len(PLANTED)} planted changes are judged correctly.")


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 2:
        sys.exit(__doc__)
    base, new = (json.load(open(path, encoding="utf-8")) for path in arguments)
    found = Comparison(base, new).run()
    print("\n".join(found) if found else "Nothing breaks.")
    sys.exit(1 if found else 0)


main(sys.argv[1:])
