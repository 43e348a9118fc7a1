#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""oci_image.py ROOT OUTPUT NAME:TAG ARCH: a container image of the folder ROOT, without an engine and without a network.

OUTPUT is an OCI layout in a tar file that also has the manifest.json of `docker save`, so that every version of
`docker load` and `podman load` reads it.
"""
import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
import time

USER = 10001  # the image's /etc/passwd names it stoker
OWNED = "var/lib/stoker"


def layer_of(root, when):
    """ROOT as a tar file, in a fixed order."""
    def normalised(info):
        info.uid = info.gid = USER if info.name == OWNED else 0
        info.uname = info.gname = ""
        info.mtime = when
        return info

    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for folder, folders, files in os.walk(root):
            folders.sort()
            for name in sorted(files) + [f for f in folders]:
                path = os.path.join(folder, name)
                tar.add(path, os.path.relpath(path, root), recursive=False, filter=normalised)
    return data.getvalue()


def config_of(layer, arch, when):
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))
    return {
        "created": created, "architecture": arch, "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Env": ["PATH=/opt/stoker/bin:/usr/bin:/bin", "STOKER_DATA=/var/lib/stoker", "HOME=/var/lib/stoker",
                    "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],
            "Entrypoint": ["/opt/stoker/bin/stoker"],
            "Cmd": ["server", "--listen", "0.0.0.0:4566"],
            "ExposedPorts": {"4566/tcp": {}},
            "Volumes": {"/" + OWNED: {}},
            "WorkingDir": "/" + OWNED,
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
        "history": [{"created": created, "created_by": "packaging/oci_image.py"}],
    }


def main(root, output, reference, arch):
    when = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    files = {}

    def blob(data, media_type):
        digest = hashlib.sha256(data).hexdigest()
        files["blobs/sha256/" + digest] = data
        return {"mediaType": media_type, "digest": "sha256:" + digest, "size": len(data)}

    def path_of(descriptor):
        return descriptor["digest"].replace("sha256:", "blobs/sha256/")

    layer = layer_of(root, when)
    packed = blob(gzip.compress(layer, 6, mtime=0), "application/vnd.oci.image.layer.v1.tar+gzip")
    config = blob(json.dumps(config_of(layer, arch, when)).encode(), "application/vnd.oci.image.config.v1+json")
    manifest = blob(json.dumps({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                                "config": config, "layers": [packed]}).encode(),
                    "application/vnd.oci.image.manifest.v1+json")
    manifest["annotations"] = {"io.containerd.image.name": "docker.io/library/" + reference,
                               "org.opencontainers.image.ref.name": reference.split(":")[1]}
    files["oci-layout"] = json.dumps({"imageLayoutVersion": "1.0.0"}).encode()
    files["index.json"] = json.dumps({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
                                      "manifests": [manifest]}).encode()
    files["manifest.json"] = json.dumps([{"Config": path_of(config), "RepoTags": [reference],
                                          "Layers": [path_of(packed)]}]).encode()
    with tarfile.open(output, "w") as tar:
        for name in sorted(files):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(files[name]), when
            tar.addfile(info, io.BytesIO(files[name]))


if __name__ == "__main__":
    main(*sys.argv[1:])
