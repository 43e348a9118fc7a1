# SPDX-License-Identifier: Apache-2.0
"""Here so that pytest puts this folder on the path: tests import `support`."""
