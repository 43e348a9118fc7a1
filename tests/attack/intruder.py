# SPDX-License-Identifier: Apache-2.0
"""What a task tries that must fail. Runs as a task, prints a line for each attempt that succeeded, and "over" at the end.

An attempt that succeeds does no harm: it stops no process, and leaves nothing but files in the folders of the test. The
argument is JSON: files and folders to read, processes to look into, programs with a set-user-id bit, sockets to connect to,
and the ARN of another task.
"""
import ctypes
import glob
import json
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request

PTRACE_SEIZE, CLONE_NEWNS, CLONE_NEWUSER = 0x4206, 0x20000, 0x10000000
libc = ctypes.CDLL(None, use_errno=True)


def attempt(what, action):
    try:
        done = action()
    except (OSError, subprocess.SubprocessError):
        return
    if done:
        print("succeeded:", what, flush=True)


def read(path):
    with open(path, "rb") as file:
        return file.read(1)


def in_child(action):
    """Whether the action, which changes the process, succeeds."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if action() else 1)
        except BaseException:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def unhide(folder, file):
    """With a namespace of its own, in which the task is root, it might remove the mount that hides a folder."""
    uid = os.getuid()
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNS):
        return False
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {os.getgid()} 1")):
        with open(f"/proc/self/{name}", "w") as out:
            out.write(text)
    for place in (folder, "/tmp"):
        libc.umount2(place.encode(), 2)
    return read(file)


def mount():
    """On a folder of its own."""
    os.makedirs("mounted", exist_ok=True)
    return libc.mount(b"none", b"mounted", b"tmpfs", 0, None) == 0 and libc.umount2(b"mounted", 0) == 0


def connect(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(path)
    return True


def answer(url, body=None, headers=()):
    """The answer, where it is not an error. None of these requests is signed."""
    request = urllib.request.Request(url, data=body, headers=dict(headers))
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as got:
        return got.read()


def metadata_of_others(arn):
    """Paths at the agent's endpoint that might name another task. Their secrets are the random ids."""
    task = arn.rsplit("/", 1)[1]
    for name in ("", task, urllib.request.quote(arn, safe=""), "..", "%2e%2e", "*"):
        for path in ("/v4/", "/v3/", "/v2/metadata/", "/v2/stats/", "/v2/credentials/", "/v1/credentials?id="):
            yield path + name
            yield path + name + "/task"


def main():
    given = json.loads(sys.argv[1])
    for file in given["files"]:
        attempt("read " + file, lambda: read(file))
        attempt("unhide " + file, lambda: in_child(lambda: unhide(os.path.dirname(file), file)))
    for folder in given["folders"]:
        attempt("list " + folder, lambda: os.listdir(folder))
        attempt("write to " + folder, lambda: open(folder + "/intruder", "w"))
    for pid in given["processes"]:
        for name in ("environ", "mem", "root/etc/passwd", "cwd/.", "fd/0", "maps"):
            attempt(f"read /proc/{pid}/{name}", lambda: os.open(f"/proc/{pid}/{name}", os.O_RDONLY))
        attempt(f"signal {pid}", lambda: os.kill(pid, 0) is None)
        attempt(f"trace {pid}", lambda: libc.ptrace(PTRACE_SEIZE, pid, None, None) == 0)
    for program in given["programs"]:
        attempt("become root with " + program, lambda: subprocess.run([program, "-u"], capture_output=True, text=True).stdout == "0\n")
    for path in given["sockets"]:
        attempt("connect to " + path, lambda: connect(path))
    own = os.environ["ECS_CONTAINER_METADATA_URI_V4"]
    assert answer(own + "/task"), "the endpoint must answer, else the attempts below mean nothing"
    endpoint = own[:own.index("/v4/")]
    for path in metadata_of_others(given["task"]):
        attempt("get " + path, lambda: answer(endpoint + path))
    server = os.environ["AWS_ENDPOINT_URL"]  # itself, or its relay
    assert answer(server + "/health")
    target = {"Content-Type": "application/x-amz-json-1.1"}
    for name in ("AmazonEC2ContainerServiceV20141113.ListTasks", "Stoker.ListKeys", "Stoker.CreateJoinToken"):
        attempt("call " + name, lambda: answer(server, b"{}", {**target, "X-Amz-Target": name}))
    for path in ("/", "/jobs", "/stoker/logs?cluster=default&task=" + given["task"], "/ws?clusterArn=default"):
        attempt("get " + path, lambda: answer(server + path))
    attempt("setuid(0)", lambda: os.setuid(0) is None)
    attempt("setgroups", lambda: os.setgroups([0]) is None)
    attempt("mount", mount)
    for procs in glob.glob("/sys/fs/cgroup/*/cgroup.procs") + glob.glob("/sys/fs/cgroup/*/stoker/*/shims/cgroup.procs"):
        attempt("leave its cgroup for " + procs, lambda: open(procs, "w"))
    print("over", flush=True)


main()
