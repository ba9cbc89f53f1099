"""What Scripts/release demands of a release, and the files that it writes.

    release_rules.py check VERSION       one line for each reason against the release; exit status 1 if there is one
    release_rules.py stated              whether the places that show the version agree; Scripts/check release
    release_rules.py write VERSION DAY   states the version, also in the manifests of README and tutorial, and names the section
                                         'Unreleased' of the changelog after it
    release_rules.py notes VERSION       prints the section of the version
    release_rules.py last                prints the newest tag that is a version; nothing before the first
    release_rules.py --self-test         plants each fault and expects its line

Forgotten migrations are found in the sources of the last tag. A released migration never runs again, so the statements below its name
must stay: a `StoreMigration`, `OfflineMigration` or `registerMigration` whose name is a literal must have the text that it had. Those
that are made of an entity follow from its rows `fields`: a released row must stay, and a new one must say `.since(N)`. What other code
generates is compared with recorded databases by the tests (Tests/Recorded).
"""

import os
import re
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
SOURCE = "Modules/System/StrataVersion.swift"
INTERFACE = "Tests/Recorded/openapi.json"
CHANGELOG = "CHANGELOG.md"
# Their manifests depend on Strata: by the branch before the first release, then by the last tag.
MANIFESTS = ["README.md", "Docs/Tutorial/README.md"]
DEPENDENCY = re.compile(r'(\.package\(url: "[^"]*/strata\.git", )(?:branch: "main"|from: "[^"]*")')
STATED = re.compile(r'(static let current = ")([^"]*)(")')
SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?")


# Versions


def parsed(version):
    """A key that sorts as semver.org, section 11, or `None`. Build metadata is refused: it does not order versions."""
    match = SEMVER.fullmatch(version)
    if not match:
        return None
    # Without a pre-release a version is greater than with one; numbers are less than words.
    words = [(0, int(word), "") if word.isdigit() else (1, 0, word) for word in (match[4] or "").split(".") if word]
    return tuple(int(match[part]) for part in (1, 2, 3)), not words, words


def last(tags):
    """The greatest of the tags that are versions, or `None`."""
    return max((tag for tag in tags if parsed(tag)), key=parsed, default=None)


def version_faults(version, newest):
    if not parsed(version):
        return [f"'{version}' is not a semantic version; write MAJOR.MINOR.PATCH or MAJOR.MINOR.PATCH-PRERELEASE, such as 1.2.0-beta.1."]
    if newest and parsed(version) <= parsed(newest):
        return [f"'{version}' is not greater than '{newest}', the last tag; choose a greater one."]
    return []


# Changelog


def section(text, title):
    """The lines below `## [title]` up to the next section, or `None`."""
    match = re.search(rf"^## \[{re.escape(title)}\][^\n]*\n(.*?)(?=^## \[|\Z)", text, re.MULTILINE | re.DOTALL)
    return match and match[1].strip()


def changelog_faults(text, version):
    found = section(text, version)
    title = version if found is not None else "Unreleased"
    found = section(text, "Unreleased") if found is None else found
    if found is None:
        return [f"{CHANGELOG} has neither '## [Unreleased]' nor '## [{version}]'; say there what changed since the last release."]
    if not re.search(r"^- \S", found, re.MULTILINE):
        return [f"{CHANGELOG}: the section '{title}' is empty; say what changed since the last release."]
    return []


def dated(text, version, day):
    """The changelog with a section of the version, and an empty one for what follows."""
    if section(text, version) is not None:
        return text
    return text.replace("## [Unreleased]\n", f"## [Unreleased]\n\n## [{version}] - {day}\n", 1)


# Manifests in pages


def depending(text, version):
    """The page with manifests that depend on the version, and how many they are."""
    return DEPENDENCY.subn(rf'\g<1>from: "{version}"', text)


# Migrations


def bracketed(text, start):
    """The text from the bracket at `start` to the one that closes it; brackets in literals and comments do not count."""
    depth, place = 0, start
    while place < len(text):
        if text.startswith("//", place):
            place = text.find("\n", place)
            if place < 0:
                break
            continue
        quote = next((mark for mark in ('"""', '"') if text.startswith(mark, place)), None)
        if quote:
            place += len(quote)
            while place < len(text) and not text.startswith(quote, place):
                place += 2 if text[place] == "\\" else 1
            place += len(quote)
            continue
        if text[place] in "([{":
            depth += 1
        elif text[place] in ")]}":
            depth -= 1
            if depth == 0:
                return text[start:place + 1]
        place += 1
    return text[start:]


def squeezed(text):
    """Without comments, and every run of spaces as one: what a formatter or a writer of comments changes."""
    return re.sub(r"\s+", " ", re.sub(r"^\s*//[^\n]*", "", text, flags=re.MULTILINE)).strip()


def migrations(sources):
    """The texts of the migrations with a literal name, by kind and name."""
    found = {}
    for path, text in sources.items():
        for match in re.finditer(r"\b(StoreMigration|OfflineMigration|registerMigration)\(", text):
            call = bracketed(text, match.end() - 1)
            name = re.match(r'\(\s*"([^"\\]+)"', call)
            if name:
                found.setdefault((match[1], name[1]), []).append((path, squeezed(call)))
    return found


def rows(sources):
    """The rows `fields` of each entity: its column by the name, and whether it says `.since`."""
    found = {}
    for path, text in sources.items():
        for match in re.finditer(r"static let fields: \[EntityField<(\w+)>\] = \[", text):
            entity = found.setdefault(match[1], (path, {}))[1]
            for row in re.finditer(r'\.init\(\s*"(\w+)"', body := bracketed(text, match.end() - 1)):
                rest = body[row.start():]
                rest = rest[:(re.search(r"\n\s*\.init\(", rest[1:]) or re.search(r"\Z", rest)).start() + 1]
                entity[row[1]] = (re.search(r"\.since\((\d+)\)", rest) or [None, None])[1]
    return found


def migration_faults(before, now, tag):
    faults = []
    present = migrations(now)
    for (kind, name), released in migrations(before).items():
        texts = [text for _, text in present.get((kind, name), [])]
        for path, text in released:
            if text not in texts:
                faults.append(
                    f"{path}: the migration '{name}' is not as {tag} released it; a database that has run it never sees the change. "
                    "Restore it, and add a migration with a new name.")
    entities = rows(now)
    for entity, (path, released) in rows(before).items():
        path, fields = entities.get(entity, (path, {}))
        for field in released:
            if field not in fields:
                faults.append(f"{path}: '{entity}.{field}', which {tag} released, is gone; its column stays in every database. Keep the row.")
            elif fields[field] != released[field]:
                faults.append(f"{path}: '{entity}.{field}' was added by another migration in {tag}; restore its '.since'.")
        for field in fields:
            if field not in released and fields[field] is None:
                faults.append(f"{path}: '{entity}.{field}' is new since {tag} and has no '.since(N)', so no migration adds its column.")
    return faults


# Repository


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
        file.write(text)


def sources_now():
    return {path: read(path) for path in git("ls-files", "--", "Modules/*.swift", "Apps/*.swift").splitlines()
            if os.path.exists(os.path.join(ROOT, path))}


def sources_of(tag):
    """Only the files that may have migrations or rows."""
    listed = subprocess.run(
        ["git", "grep", "-lE", r"StoreMigration\(|OfflineMigration\(|registerMigration\(|EntityField<", tag, "--", "Modules", "Apps"],
        cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    return {name.removeprefix(f"{tag}:"): git("show", name) for name in listed if name.endswith(".swift")}


def newest_tag():
    return last(git("tag", "--list", "--merged", "HEAD").split())


def stated():
    return STATED.search(read(SOURCE))[2]


def stated_faults():
    """The version is written in one place; the recorded document and the changelog show it. The list of documented libraries is whole."""
    version, faults = stated(), []
    if not parsed(version):
        faults.append(f"{SOURCE}: '{version}' is not a semantic version.")
    recorded = re.findall(r'"version" : "([^"]*)"\s*}', read(INTERFACE))
    if version not in recorded:
        faults.append(f"{INTERFACE} does not have the version '{version}'; run 'Scripts/openapi --write'.")
    text = read(CHANGELOG)
    if section(text, "Unreleased") is None:
        faults.append(f"{CHANGELOG} has no section '## [Unreleased]'.")
    for title in re.findall(r"^## \[([^\]]*)\]", text, re.MULTILINE):
        if title != "Unreleased" and (not parsed(title) or parsed(title) > parsed(version)):
            faults.append(f"{CHANGELOG}: the section '{title}' is no version up to '{version}', which {SOURCE} states.")
    documented = set(re.findall(r"^ +- (\w+)$", read(".spi.yml"), re.MULTILINE))
    shown = set(re.findall(r'Module\(\s*"(Strata\w+)"', read("Package.swift"))) - {"StrataPostgres"}
    faults += [f".spi.yml: '{name}' is {'not a library' if name in documented else 'missing'}." for name in sorted(documented ^ shown)]
    newest = newest_tag()
    if newest and parsed(version) < parsed(newest):
        faults.append(f"{SOURCE} states '{version}', which is less than the last tag '{newest}'.")
    return faults


def check(version):
    newest = newest_tag()
    faults = version_faults(version, newest) + changelog_faults(read(CHANGELOG), version)
    if parsed(version) and parsed(version)[0] < parsed(stated())[0]:
        faults.append(f"'{version}' is less than '{stated()}', which {SOURCE} states: a change since the last tag needs that number.")
    return faults + (migration_faults(sources_of(newest), sources_now(), newest) if newest else [])


# Planted faults


NOTES = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A list.\n\n## [1.0.0] - 2026-01-01\n\n- All.\n"
TABLE = {"a.swift": 'let a = StoreMigration(\n    "notes-1",  // first\n    """\n    CREATE TABLE note (id TEXT, text TEXT)\n    """)\n'}
ENTITY = {"n.swift": 'static let fields: [EntityField<Note>] = [\n    .init("text", \\.text, .line(1...9)),\n    .init("level", \\.level, .of).since(2),\n]'}


def changed(sources, old, new):
    result = {path: text.replace(old, new) for path, text in sources.items()}
    assert result != sources, f"'{old}' is not in the sample."
    return result


# What is done, and a part of the line that it must cause; no line where nothing is wrong.
PLANTED = [
    (lambda: version_faults("1.0", None), "not a semantic version"),
    (lambda: version_faults("v1.0.0", None), "not a semantic version"),
    (lambda: version_faults("1.0.0-beta.01", None), "not a semantic version"),
    (lambda: version_faults("1.0.0+5", None), "not a semantic version"),
    (lambda: version_faults("1.0.0-beta.1", "1.0.0"), "not greater"),
    (lambda: version_faults("1.0.0-beta.2", "1.0.0-beta.10"), "not greater"),
    (lambda: version_faults("1.0.0", "1.0.0"), "not greater"),
    (lambda: version_faults("1.0.0-1", "1.0.0-a"), "not greater"),
    (lambda: version_faults("1.0.0", "1.0.0-rc.1"), None),
    (lambda: version_faults("1.0.0-beta.1.1", "1.0.0-beta.1"), None),
    (lambda: version_faults("1.10.0", "1.9.9"), None),
    (lambda: [] if last(["0.9.0", "1.0.0-beta.2", "1.0.0-beta.10", "latest"]) == "1.0.0-beta.10" else ["the last tag"], None),
    (lambda: changelog_faults(NOTES, "1.1.0"), None),
    (lambda: changelog_faults(NOTES, "1.0.0"), None),
    (lambda: changelog_faults(NOTES.replace("- A list.\n", ""), "1.1.0"), "is empty"),
    (lambda: changelog_faults(NOTES.replace("[Unreleased]", "[Soon]"), "1.1.0"), "has neither"),
    (lambda: changelog_faults(dated(NOTES, "1.1.0", "2026-02-01"), "1.1.0"), None),
    (lambda: changelog_faults(dated(NOTES, "1.1.0", "2026-02-01"), "1.2.0"), "is empty"),
    (lambda: migration_faults(TABLE, TABLE, "1.0.0"), None),
    (lambda: migration_faults(TABLE, changed(TABLE, "text TEXT", "text TEXT, at BIGINT"), "1.0.0"), "not as 1.0.0 released it"),
    (lambda: migration_faults(TABLE, changed(TABLE, '"notes-1"', '"notes-2"'), "1.0.0"), "not as 1.0.0 released it"),
    (lambda: migration_faults(TABLE, {}, "1.0.0"), "not as 1.0.0 released it"),
    (lambda: migration_faults(TABLE, {"moved.swift": TABLE["a.swift"].replace("    ", "  ")}, "1.0.0"), None),
    (lambda: migration_faults(TABLE, {**TABLE, "b.swift": 'StoreMigration("notes-2", "ALTER TABLE note ADD COLUMN at BIGINT")'}, "1.0.0"), None),
    (lambda: migration_faults(ENTITY, ENTITY, "1.0.0"), None),
    (lambda: migration_faults(ENTITY, changed(ENTITY, "\n]", '\n    .init("at", \\.at, .time),\n]'), "1.0.0"), "has no '.since(N)'"),
    (lambda: migration_faults(ENTITY, changed(ENTITY, '.of).since(2),\n', '.of).since(2),\n    .init("at", \\.at, .time).since(3),\n'), "1.0.0"), None),
    (lambda: migration_faults(ENTITY, changed(ENTITY, ".since(2)", ""), "1.0.0"), "another migration"),
    (lambda: migration_faults(ENTITY, changed(ENTITY, '"text"', '"title"'), "1.0.0"), "is gone"),
]


def self_test():
    for number, (plant, expected) in enumerate(PLANTED, 1):
        found = plant()
        if (expected is None) != (not found) or expected and not any(expected in line for line in found):
            sys.exit(f"Planted case {number}: the findings are {found}, not '{expected}'.")
    if dated(NOTES, "1.1.0", "2026-02-01").count("- A list.") != 1 or section(dated(NOTES, "1.1.0", "2026-02-01"), "1.1.0").count("A list") != 1:
        sys.exit("The section of a release does not have the lines of 'Unreleased'.")
    for page in MANIFESTS:
        first, count = depending(read(page), "1.1.0-beta.1")
        if not count or depending(first, "1.1.0")[0].count('/strata.git", from: "1.1.0", ') != count:
            sys.exit(f"{page} has no manifest that a release can give its version; the pattern of this check is outdated.")
    if len(migrations(sources_now())) < 5 or len(rows(sources_now())) < 2:
        sys.exit("No migrations or rows of entities found in the sources; the patterns of this check are outdated.")
    print(f"{len(PLANTED)} planted cases are judged correctly.")


def main(arguments):
    match arguments:
        case ["--self-test"]:
            return self_test()
        case ["last"]:
            print(newest_tag() or "", end="")
        case ["check", version]:
            faults = check(version)
            print("\n".join(faults))
            return 1 if faults else 0
        case ["stated"]:
            faults = stated_faults()
            print("\n".join(faults))
            return 1 if faults else 0
        case ["write", version, day]:
            write(SOURCE, STATED.sub(rf"\g<1>{version}\g<3>", read(SOURCE)))
            write(INTERFACE, read(INTERFACE).replace(f'"version" : "{stated_before}"', f'"version" : "{version}"'))
            write(CHANGELOG, dated(read(CHANGELOG), version, day))
            for page in MANIFESTS:
                write(page, depending(read(page), version)[0])
        case ["notes", version]:
            print(section(read(CHANGELOG), version) or "")
        case _:
            sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    stated_before = stated() if os.path.exists(os.path.join(ROOT, SOURCE)) else None
    sys.exit(main(sys.argv[1:]))
