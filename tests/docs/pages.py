# SPDX-License-Identifier: Apache-2.0
"""Commands that a page of the documentation prints.

A block that starts with ```console has commands behind "$ ", and their output; one that starts with ```sh has commands
only. A block that cannot be run here has a line `<!-- not run: REASON -->` above it.
"""
import re
import subprocess
from dataclasses import dataclass, field

NOT_RUN = re.compile(r"^<!-- not run: (.+) -->$")


@dataclass
class Command:
    line: int
    text: str
    output: list = field(default_factory=list)


@dataclass
class Block:
    line: int
    commands: list
    not_run: str = ""


def blocks(text):
    """All blocks of commands in a page."""
    found, lines, reason, at = [], text.splitlines(), "", 0
    while at < len(lines):
        line = lines[at].strip()
        match = NOT_RUN.match(line)
        if match:
            reason = match[1]
        elif line in ("```console", "```sh"):
            end = next(i for i in range(at + 1, len(lines)) if lines[i].strip() == "```")
            body = list(enumerate(lines[at + 1:end], at + 2))
            found.append(Block(at + 1, session(body) if line == "```console" else script(body), reason))
            at, reason = end, ""
        elif line.startswith("```") and line != "```":
            at = next(i for i in range(at + 1, len(lines)) if lines[i].strip() == "```")
            reason = ""
        elif line:
            reason = ""
        at += 1
    return found


def complete(text):
    """Whether a shell has read a whole command."""
    if text.rstrip().endswith("\\"):
        return False
    return subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True).returncode == 0


def session(body):
    commands = []
    for number, line in body:
        if line.startswith("$ "):
            commands.append(Command(number, line[2:]))
        elif commands and not commands[-1].output and not complete(commands[-1].text):
            commands[-1].text += "\n" + line
        elif commands:
            commands[-1].output.append(line)
    return commands


def script(body):
    commands = []
    for number, line in body:
        if commands and not complete(commands[-1].text):
            commands[-1].text += "\n" + line
        elif line.strip() and not line.startswith("#"):
            commands.append(Command(number, line))
    return commands
