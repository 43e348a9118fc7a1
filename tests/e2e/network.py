# SPDX-License-Identifier: Apache-2.0
"""Simulated machines: network namespaces on a bridge, which can be disconnected."""
import os
import random
import subprocess


def ip(*arguments, check=True):
    return subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True)


def available():
    """Whether namespaces can be created, which needs root."""
    if os.geteuid() != 0:
        return False
    name = f"stk-probe-{os.getpid()}"
    made = ip("netns", "add", name, check=False).returncode == 0
    if made:
        ip("netns", "del", name)
    return made


class Network:
    def __init__(self):
        self.number = random.randrange(1, 250)
        self.bridge = f"stkbr{os.getpid() % 10000}"
        self.names = []

    @property
    def address(self):
        return f"10.213.{self.number}.1"

    def __enter__(self):
        ip("link", "add", self.bridge, "type", "bridge")
        ip("addr", "add", f"{self.address}/24", "dev", self.bridge)
        ip("link", "set", self.bridge, "up")
        return self

    def __exit__(self, *_):
        for name in self.names:
            ip("netns", "del", self._space(name), check=False)
        ip("link", "del", self.bridge, check=False)

    def _space(self, name):
        return f"{self.bridge}-{name}"

    def _cable(self, name):
        return f"{self.bridge}v{self.names.index(name)}"

    def add(self, name):
        """Creates a machine's namespace; returns the prefix of commands that run in it."""
        self.names.append(name)
        space, cable = self._space(name), self._cable(name)
        ip("netns", "add", space)
        ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", space)
        ip("link", "set", cable, "master", self.bridge, "up")
        inside = ("netns", "exec", space, "ip")
        ip(*inside, "addr", "add", f"10.213.{self.number}.{len(self.names) + 1}/24", "dev", "eth0")
        ip(*inside, "link", "set", "eth0", "up")
        ip(*inside, "link", "set", "lo", "up")
        return ("ip", "netns", "exec", space)

    def cut(self, name):
        ip("link", "set", self._cable(name), "down")

    def heal(self, name):
        ip("link", "set", self._cable(name), "up")
