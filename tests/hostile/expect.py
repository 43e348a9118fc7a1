# SPDX-License-Identifier: Apache-2.0
"""Expectations about errors."""


def refused(answer, code=None, status=None, part=""):
    """An error of the client, in the client's protocol."""
    assert answer is not None, "the connection was closed without an answer"
    assert 400 <= answer.status < 500, answer
    found = answer.code  # fails if the body has neither protocol
    if code is not None:
        wanted = (code,) if isinstance(code, str) else code
        assert found in wanted, answer
    if status is not None:
        assert answer.status == status, answer
    assert part in (answer.message or ""), answer
    return answer


def plain_rejection(answer, *statuses):
    """An invalid HTTP request: a plain 4xx or the end of the connection, never a 5xx."""
    if answer is None:
        assert not statuses or None in statuses, "closed without an answer"
        return
    assert 400 <= answer.status < 500 or answer.status in (501, 505), answer
    assert not statuses or answer.status in statuses, answer
