# SPDX-License-Identifier: Apache-2.0
"""Shared by the black-box suites: a server process, a signer, raw sockets, waiting."""
