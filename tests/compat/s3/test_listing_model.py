# SPDX-License-Identifier: Apache-2.0
"""Random listings of random keys and versions, compared with a trivial model."""
import os
import random

import pytest

ALPHABET = ["a", "b", "c/", "/", "-", "é", "0"]
SEED = os.environ.get("STOKER_MODEL_SEED") or str(random.SystemRandom().randrange(1 << 32))


def random_text(chance, longest):
    return "".join(chance.choice(ALPHABET) for _ in range(chance.randint(0, longest)))


def model(keys, prefix, delimiter, after=""):
    """The expected entries of a listing, in order: (name, is a common prefix)."""
    shown = []
    for key in sorted(keys, key=str.encode):
        if not key.startswith(prefix) or key.encode() <= after.encode():
            continue
        cut = key.find(delimiter, len(prefix)) if delimiter else -1
        item = (key, False) if cut < 0 else (key[: cut + len(delimiter)], True)
        if not shown or shown[-1] != item:
            shown.append(item)
    return shown


def walk(s3, name, size, **more):
    """The same entries from pages, all of which but the last must be full."""
    shown, token = [], {}
    while True:
        page = s3.list_objects_v2(Bucket=name, MaxKeys=size, **more, **token)
        here = [(one["Key"], False) for one in page.get("Contents", [])]
        here += [(one["Prefix"], True) for one in page.get("CommonPrefixes", [])]
        shown += sorted(here, key=lambda one: one[0].encode())
        assert page["KeyCount"] == len(here) and (len(here) == size or not page["IsTruncated"])
        if not page["IsTruncated"]:
            return shown
        token = {"ContinuationToken": page["NextContinuationToken"]}


@pytest.mark.parametrize("turn", range(3))
def test_listings_agree_with_the_model(s3, bucket, turn):
    chance = random.Random(f"{SEED}/{turn}")
    print("seed", SEED)
    keys = {random_text(chance, 5) for _ in range(60)} - {""}
    for key in keys:
        bucket.put(key, b"")
    for _ in range(40):
        prefix, delimiter = random_text(chance, 2), chance.choice(["", "", "/", "/", "c/", "a", "é"])
        options = {"Prefix": prefix, "Delimiter": delimiter}
        if not delimiter and chance.random() < 0.5:
            options["StartAfter"] = random_text(chance, 3)
        wanted = model(keys, prefix, delimiter, options.get("StartAfter", ""))
        assert walk(s3, bucket.name, chance.choice([1, 2, 3, 7, 1000]), **options) == wanted, (SEED, turn, options)


def test_versions_agree_with_the_model(s3, versioned):
    """Puts and deletes in random order, on a bucket whose versioning is sometimes suspended."""
    chance = random.Random(SEED)
    print("seed", SEED)
    history = {key: [] for key in ("k1", "k2", "k3")}  # newest first: (version, body; None for a marker)
    enabled = True
    for step in range(120):
        key = chance.choice(list(history))
        versions = history[key]
        what = chance.random()
        if what < 0.08:
            enabled = not enabled
            versioned.set_versioning("Enabled" if enabled else "Suspended")
        elif what < 0.5 or (what < 0.75 and not versions):
            body = b"%d" % step
            version = versioned.put(key, body).get("VersionId", "null")
            assert (version == "null") == (not enabled)
            history[key] = [(version, body)] + [v for v in versions if v[0] != version]
        elif what < 0.75:
            gone = versioned.delete(key)
            assert gone["DeleteMarker"] is True and (gone["VersionId"] == "null") == (not enabled)
            history[key] = [(gone["VersionId"], None)] + [v for v in versions if v[0] != gone["VersionId"]]
        elif versions:
            victim = chance.choice(versions)
            versioned.delete(key, VersionId=victim[0])
            history[key] = [v for v in versions if v != victim]
    wanted = [
        (key, version, at == 0, body is None)
        for key in sorted(history)
        for at, (version, body) in enumerate(history[key])
    ]
    assert sorted(versioned.versions()) == sorted(wanted), SEED
    living = {key: versions[0][1] for key, versions in history.items() if versions and versions[0][1] is not None}
    assert versioned.keys() == sorted(living), SEED
    assert {key: versioned.read(key) for key in living} == living
    for key, versions in history.items():
        for version, body in versions:
            if body is not None:
                assert versioned.read(key, VersionId=version) == body
