"""Writes the manual page of a program from the description that the program prints with --experimental-dump-help.

    man_page.py DESCRIPTION SECTION VERSION DATE

Standard output gets the page, in the language of man(7). It has all commands; options that each command has come once, at the
end.
"""

import json
import sys

# An option that at least this part of the commands has is common to them.
COMMON = 0.8


def escaped(text):
    """Text that troff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in text.split("\n"))


def name(given):
    return ("-" if given["kind"] == "short" else "--") + given["name"]


def written(argument):
    """An argument as it is typed: `--limit <limit>`, `<id>`."""
    value = f"<{argument.get('valueName', '')}>"
    if argument["kind"] == "positional":
        return value
    names = ", ".join(sorted((name(one) for one in argument["names"]), key=len))
    return names if argument["kind"] == "flag" else f"{names} {value}"


def synopsis(argument):
    """An argument in the line of a command."""
    text = f"<{argument.get('valueName', '')}>"
    if argument["kind"] != "positional":
        text = name(argument["preferredName"]) + ("" if argument["kind"] == "flag" else f" {text}")
    text += "..." if argument["isRepeating"] else ""
    return f"[{text}]" if argument["isOptional"] else text


def item(argument):
    parts = [argument.get("abstract", ""), argument.get("discussion", "")]
    if argument.get("defaultValue"):
        parts.append(f"Default: {argument['defaultValue']}.")
    text = " ".join(part.strip() for part in parts if part.strip())
    return f".TP\n.B {escaped(written(argument))}\n{escaped(text)}\n"


def shown(command):
    return [
        argument for argument in command.get("arguments", [])
        if argument["shouldDisplay"] and "help" not in [one["name"] for one in argument.get("names", [])]]


def commands(command, path):
    """Every command without subcommands, with its path."""
    below = [one for one in command.get("subcommands", []) if one["shouldDisplay"] and one["commandName"] != "help"]
    if not below:
        yield path, command
    for one in below:
        yield from commands(one, [*path, one["commandName"]])


def page(program, section, version, date):
    title, found = program["commandName"], list(commands(program, []))
    counts, examples = {}, {}
    for _, command in found:
        for argument in shown(command):
            if argument["kind"] != "positional":
                counts[written(argument)] = counts.get(written(argument), 0) + 1
                examples[written(argument)] = argument
    common = {option for option, count in counts.items() if len(found) > 1 and count >= COMMON * len(found)}
    kind = {"1": "User Commands", "8": "System Administration"}[section]
    yield f'.TH {title.upper()} {section} {date} "{title} {version}" "{kind}"\n.SH NAME\n'
    yield f"{escaped(title)} \\- {escaped(program.get('abstract', '').rstrip('.'))}\n.SH SYNOPSIS\n"
    yield f".B {escaped(title)}\n.I command\n[options]\n"
    yield f".SH DESCRIPTION\n{escaped(program.get('abstract', ''))}\n.PP\n{escaped(program.get('discussion', ''))}\n"
    yield ".SH COMMANDS\n"
    for path, command in found:
        arguments = [one for one in shown(command) if written(one) not in common]
        yield f".SS {escaped(' '.join([title, *path, *map(synopsis, arguments)]))}\n"
        yield from (f"{escaped(command[part].strip())}\n.PP\n" for part in ("abstract", "discussion") if command.get(part))
        yield from map(item, arguments)
    if common:
        yield ".SH COMMON OPTIONS\n"
        yield from (item(examples[option]) for option in sorted(common))


def main(path, section, version, date):
    with open(path, encoding="utf-8") as file:
        program = json.load(file)["command"]
    sys.stdout.write("".join(page(program, section, version, date)))


if __name__ == "__main__":
    main(*sys.argv[1:])
