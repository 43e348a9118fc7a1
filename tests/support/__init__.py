# SPDX-License-Identifier: Apache-2.0
"""What the black-box suites share: a real server, a signer, raw sockets, waiting."""
