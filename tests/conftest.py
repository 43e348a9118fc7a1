# SPDX-License-Identifier: Apache-2.0
"""Makes pytest add this folder to the path: tests import `support`."""
