# SPDX-License-Identifier: Apache-2.0
"""A unix socket in front of the Docker engine that a test closes and opens again, as if the engine stopped."""
import contextlib
import os
import pathlib
import socket
import threading

REAL = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")


def copy(source, target):
    """Copies bytes in one direction until either end closes."""
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class Engine:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self._listener, self._ends, self._lock = None, [], threading.Lock()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(64)
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def stop(self):
        """Refuses new connections and closes all others."""
        self.path.unlink(missing_ok=True)
        if self._listener:
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        with self._lock:
            ends, self._ends, self._listener = self._ends, [], None
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            engine = socket.socket(socket.AF_UNIX)
            engine.connect(REAL)
            with self._lock:
                stopped = self._listener is not listener
                if not stopped:
                    self._ends += [client, engine]
            if stopped:
                client.close()
                engine.close()
                return
            for pair in ((client, engine), (engine, client)):
                threading.Thread(target=copy, args=pair, daemon=True).start()
