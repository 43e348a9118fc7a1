# SPDX-License-Identifier: Apache-2.0
"""A shell that runs the commands of a page one after the other, as a reader would type them."""
import os
import re
import signal
import subprocess
import threading

ID = re.compile(r"\b[0-9a-f]{12}(?:[0-9a-f]{20})?\b")
LIMIT_S = 900  # for one command: some wait for an alarm, for machines or for a pipeline
WRITTEN = ("/backups", "/srv")
# Their exit status is a verdict.
VERDICTS = ("stoker explain ",)
# Words of a table for which a reader waits.
AWAITED = ("steady", "ACTIVE", "RUNNING")


class Failed(Exception):
    pass


class Shell:
    """Ids that a page prints stand for those of this run: they are learned from the output of earlier commands."""

    def __init__(self, folder, environment):
        self.folder, self.ids, self.servers = folder, {}, []
        # A network of its own, so that pages may name ports, and empty folders in place of those that pages write to.
        self.process = subprocess.Popen(
            ["unshare", "--net", "--mount", "bash", "--norc"], cwd=folder, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.run_text("ip link set lo up; shopt -s expand_aliases; set -o pipefail")
        for place in WRITTEN:
            self.run_text(f"mkdir -p {place} && mount -t tmpfs none {place}")

    def close(self):
        """Ends the shell and all that it started: what has its network."""
        network = os.readlink(f"/proc/{self.process.pid}/ns/net") if self.process.poll() is None else ""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{pid}/ns/net") == network:
                    os.kill(int(pid), signal.SIGKILL)
            except OSError:
                pass  # it has ended
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def run_text(self, text):
        """The exit status and the output."""
        mark = "--end-of-command--"
        self.process.stdin.write(f"{text}\necho {mark} $?\n")
        self.process.stdin.flush()
        watchdog = threading.Timer(LIMIT_S, self.close)
        watchdog.start()
        lines = []
        try:
            for line in self.process.stdout:
                if mark in line:
                    before, _, status = line.partition(mark)
                    return int(status), lines + ([before] if before else [])
                lines.append(line.rstrip("\n"))
        finally:
            watchdog.cancel()
        raise Failed("the shell ended, or the command took too long:\n" + text + "\n" + "\n".join(lines[-20:]))

    def run(self, command):
        text = ID.sub(lambda match: self.ids.get(match[0][:12], match[0][:12]) if match[0][:12] in self.ids else match[0],
                      command.text)
        if re.match(r"(?:\w+=\S+ )*stoker (?:up|server)\b", text):
            return self.start_server(text)
        if " --follow" in text and command.output:
            text = self.followed(text, " ".join(command.output[-1].split()[-2:]))
        for word in AWAITED:
            if re.match(r"stoker (services|nodes|ps)\b", text) and word in "\n".join(command.output):
                text = f"until {text.split('#')[0]} > table.log && grep -q {word} table.log; do sleep 0.2; done; cat table.log"
        status, lines = self.run_text(text)
        if status != 0 and not text.startswith(VERDICTS):
            raise Failed(f"line {command.line}: exit status {status}\n$ {text}\n" + "\n".join(lines[-30:]))
        self.learn(command.output, lines)

    @staticmethod
    def followed(text, last):
        """A command that ends when it has printed `last`."""
        return (f"{text} > follow.log 2>&1 & follower=$!\n"
                f"until grep -qF '{last}' follow.log; do kill -0 $follower || break; sleep 0.1; done\n"
                f"kill $follower; cat follow.log; grep -qF '{last}' follow.log")

    def start_server(self, text):
        """Starts a server in the background, after the one before has ended, and waits until it and its agent are ready."""
        text = text.rstrip().removesuffix("&")
        active = ":"
        if " up" in text and "--no-agent" not in text:
            data, name = (re.search(rf"--{option} (\S+)", text) for option in ("data", "name"))
            nodes = f"stoker nodes {data[0] if data else ''}"
            active = f"{nodes} > table.log 2>&1 && grep -q '{name[1] if name else ''}.*ACTIVE' table.log"
        status, lines = self.run_text(
            "[ -z \"$server\" ] || { kill $server; wait $server; }; : > server.log\n"
            f"{text} > server.log 2>&1 & server=$!\n"
            f"until grep -q 'is ready at' server.log && {{ {active}; }}\n"
            "do kill -0 $server || { cat server.log; break; }; sleep 0.1; done\n"
            "kill -0 $server")
        if status != 0:
            raise Failed(text + "\n" + "\n".join(lines[-20:]))

    def learn(self, documented, printed):
        for line in documented:
            ids = ID.findall(line)
            if not ids:
                continue
            pattern = re.compile(r"\b([0-9a-f]{12})(?:[0-9a-f]{20})?\b".join(re.escape(part) for part in ID.split(line)))
            for real in printed:
                match = pattern.search(real)
                if match:
                    self.ids.update({id[:12]: found for id, found in zip(ids, match.groups())})
