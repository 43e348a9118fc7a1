# SPDX-License-Identifier: Apache-2.0
"""How a refusal must look."""


def refused(answer, code=None, status=None, part=""):
    """The client's fault, in the client's protocol."""
    assert answer is not None, "the connection was closed without an answer"
    assert 400 <= answer.status < 500, answer
    found = answer.code  # fails where the body is of neither protocol
    if code is not None:
        wanted = (code,) if isinstance(code, str) else code
        assert found in wanted, answer
    if status is not None:
        assert answer.status == status, answer
    assert part in (answer.message or ""), answer
    return answer


def turned_away(answer, *statuses):
    """What is no request of any protocol: a plain 4xx (or the connection's end), never our fault."""
    if answer is None:
        assert not statuses or None in statuses, "closed without an answer"
        return
    assert 400 <= answer.status < 500 or answer.status in (501, 505), answer
    assert not statuses or answer.status in statuses, answer
