# SPDX-License-Identifier: Apache-2.0
"""Who listens on a network without TLS is warned. The servers have a network of their own, with nothing but loopback."""
import os

import pytest

from support.server import Server

WARNING = "requests and answers are not encrypted on the network"
ALONE = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]


def log_of(address):
    """What a server that listens there has logged by its end."""
    server = Server(listen=f"{address}:0", wrapper=ALONE)
    with server:
        server.stop()
        return server.log.read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a network")
@pytest.mark.parametrize("address, warned", [("0.0.0.0", True), ("127.0.0.1", False)])
def test_a_server_on_a_network_without_tls_warns(address, warned):
    assert (WARNING in log_of(address)) == warned
