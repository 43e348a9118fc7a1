# SPDX-License-Identifier: Apache-2.0
"""A registry of images on loopback, which Docker pulls from: versions of the test image under tags of the test."""
import hashlib
import http.server
import io
import json
import re
import subprocess
import tarfile
import threading

from support.cluster import TEST_IMAGE
from support.waiting import PATIENCE_SECONDS

MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
CONFIG = "application/vnd.docker.container.image.v1+json"
LAYER = "application/vnd.docker.image.rootfs.diff.tar"


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def saved_image():
    """The configuration of the test image, and its one layer."""
    done = subprocess.run(["docker", "save", TEST_IMAGE], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        image = json.load(archive.extractfile("manifest.json"))[0]
        config = json.load(archive.extractfile(image["Config"]))
        return config, archive.extractfile(image["Layers"][0]).read()


def layer_with(name, data):
    """A layer with one file."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        file = tarfile.TarInfo(name)
        file.size = len(data)
        archive.addfile(file, io.BytesIO(data))
    return made.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self._answer(body=True)

    def do_HEAD(self):
        self._answer(body=False)

    def _answer(self, body):
        kind, data = self._find()
        self.send_response(200 if data is not None else 404)
        data = data if data is not None else b"{}"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Docker-Content-Digest", digest_of(data))
        self.end_headers()
        if body:
            self._write(data)

    def _write(self, data):
        gate = self.server.gates.get(digest_of(data))
        if gate:
            half = len(data) // 2
            self.wfile.write(data[:half])
            gate.wait(PATIENCE_SECONDS)
            data = data[half:]
        self.wfile.write(data)

    def _find(self):
        found = re.fullmatch(r"/v2/[a-z]+/(manifests|blobs)/(.+)", self.path)
        if not found:
            return "application/json", b"{}" if self.path == "/v2/" else None
        kind = MANIFEST if found[1] == "manifests" else "application/octet-stream"
        digest = self.server.tags.get(found[2], found[2])
        return kind, self.server.blobs.get(digest)

    def log_message(self, *_):
        pass


class Registry:
    def __enter__(self):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.tags, self._server.blobs, self._server.gates = {}, {}, {}
        self._config, self._layer = saved_image()
        self._images = set()
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        return self

    def __exit__(self, *_):
        for gate in self._server.gates.values():
            gate.set()
        for image in self._images:
            subprocess.run(["docker", "rmi", "-f", image], capture_output=True, check=False)
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def image(self, tag):
        return f"127.0.0.1:{self._server.server_port}/web:{tag}"

    def _add(self, data):
        self._server.blobs[digest_of(data)] = data
        return {"size": len(data), "digest": digest_of(data)}

    def hold_layer(self, layer):
        """The second half of this layer is sent when the returned event is set."""
        return self._server.gates.setdefault(digest_of(layer), threading.Event())

    def publish(self, tag, version, untag=True, layers=()):
        """Lets the tag mean another version, and returns its digest. `layers` come on top of the test image's."""
        self._config["config"]["Labels"] = {"version": version}
        layers = [self._layer, *layers]
        self._config["rootfs"]["diff_ids"] = [digest_of(layer) for layer in layers]
        config = json.dumps(self._config).encode()
        self._images.add(digest_of(config))  # the engine's name for the image
        manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": {"mediaType": CONFIG, **self._add(config)},
                    "layers": [{"mediaType": LAYER, **self._add(layer)} for layer in layers]}
        self._server.tags[tag] = self._add(json.dumps(manifest).encode())["digest"]
        if untag:
            self._untag(tag)
        return self._server.tags[tag]

    def _untag(self, tag):
        """The machine no longer has an image of this name."""
        subprocess.run(["docker", "rmi", "-f", self.image(tag)], capture_output=True, check=False)
