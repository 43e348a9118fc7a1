# SPDX-License-Identifier: Apache-2.0
"""Signature Version 4: tests of invalid requests need valid signatures."""
import datetime
import functools
import hashlib
import hmac
import urllib.parse

ALGORITHM = "AWS4-HMAC-SHA256"


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def stamp(time):
    return time.strftime("%Y%m%dT%H%M%SZ")


def _hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


@functools.lru_cache(maxsize=64)
def _signing_key(secret, date, region, service):
    key = _hmac(b"AWS4" + secret.encode(), date)
    for part in (region, service, "aws4_request"):
        key = _hmac(key, part)
    return key


def _quote(text, safe="-_.~"):
    return urllib.parse.quote(text, safe=safe)  # text or bytes


def _canonical_query(query):
    pairs = [pair.partition("=")[::2] for pair in query.split("&") if pair]
    decode = urllib.parse.unquote_to_bytes  # a query may contain any bytes
    decoded = [(decode(name), decode(value)) for name, value in pairs]
    return "&".join(f"{name}={value}" for name, value in sorted((_quote(n), _quote(v)) for n, v in decoded))


class Scope:
    """The scope of a signature; tests change it."""

    def __init__(self, key, service="sqs", region="us-east-1", time=None):
        self.key, self.service, self.region, self.time = key, service, region, time or now()

    @property
    def date(self):
        return stamp(self.time)[:8]

    @property
    def text(self):
        return f"{self.date}/{self.region}/{self.service}/aws4_request"

    def sign(self, method, path, query, headers, payload_hash):
        """`headers` are (lower-case name, value) and all of them are signed."""
        headers = sorted(headers)
        names = ";".join(name for name, _ in headers)
        lines = "".join(f"{name}:{' '.join(value.split())}\n" for name, value in headers)
        sent = urllib.parse.unquote_to_bytes(path) if self.service == "s3" else path  # other services encode it twice
        path = _quote(sent, "/-_.~")
        # The signature covers the sent bytes: support.raw writes heads in Latin-1.
        canonical = "\n".join([method, path, _canonical_query(query), lines, names, payload_hash])
        text = "\n".join([ALGORITHM, stamp(self.time), self.text, hashlib.sha256(canonical.encode("latin-1")).hexdigest()])
        return names, self.seal(text)

    def seal(self, text):
        signing_key = _signing_key(self.key.secret, self.date, self.region, self.service)
        return hmac.new(signing_key, text.encode(), hashlib.sha256).hexdigest()


def signed_headers(scope, method, target, headers, body, payload_hash=None):
    """`headers` (a dict with Host) and the headers of the signature.

    `payload_hash`: sent as x-amz-content-sha256 when it is given; else the body's own is used and not sent.
    """
    path, _, query = target.partition("?")
    headers = {**headers, "X-Amz-Date": stamp(scope.time)}
    if scope.key.token:
        headers["X-Amz-Security-Token"] = scope.key.token
    if payload_hash is not None:
        headers["X-Amz-Content-Sha256"] = payload_hash
    covered = [(name.lower(), value) for name, value in headers.items()]
    hashed = payload_hash if payload_hash is not None else hashlib.sha256(body).hexdigest()
    names, signature = scope.sign(method, path, query, covered, hashed)
    headers["Authorization"] = (
        f"{ALGORITHM} Credential={scope.key.id}/{scope.text}, SignedHeaders={names}, Signature={signature}"
    )
    return headers


def presigned(scope, method, host, path, parameters, expires=60):
    """A presigned target (path and query)."""
    parameters = {
        **parameters,
        "X-Amz-Algorithm": ALGORITHM,
        "X-Amz-Credential": f"{scope.key.id}/{scope.text}",
        "X-Amz-Date": stamp(scope.time),
        "X-Amz-Expires": str(expires),
        "X-Amz-SignedHeaders": "host",
    }
    query = "&".join(f"{_quote(name)}={_quote(value)}" for name, value in parameters.items())
    hashed = "UNSIGNED-PAYLOAD" if scope.service == "s3" else hashlib.sha256(b"").hexdigest()
    _, signature = scope.sign(method, path, query, [("host", host)], hashed)
    return f"{path}?{query}&X-Amz-Signature={signature}"
