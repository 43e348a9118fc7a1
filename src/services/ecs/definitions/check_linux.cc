// SPDX-License-Identifier: Apache-2.0
// Settings of the kernel for a container.
#include <algorithm>
#include <array>

#include "services/ecs/definitions/check_task.h"
#include "services/ecs/errors.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;

constexpr std::array<std::string_view, 38> kCapabilities = {
    "ALL",        "AUDIT_CONTROL",   "AUDIT_WRITE",      "BLOCK_SUSPEND",
    "CHOWN",      "DAC_OVERRIDE",    "DAC_READ_SEARCH",  "FOWNER",
    "FSETID",     "IPC_LOCK",        "IPC_OWNER",        "KILL",
    "LEASE",      "LINUX_IMMUTABLE", "MAC_ADMIN",        "MAC_OVERRIDE",
    "MKNOD",      "NET_ADMIN",       "NET_BIND_SERVICE", "NET_BROADCAST",
    "NET_RAW",    "SETFCAP",         "SETGID",           "SETPCAP",
    "SETUID",     "SYS_ADMIN",       "SYS_BOOT",         "SYS_CHROOT",
    "SYS_MODULE", "SYS_NICE",        "SYS_PACCT",        "SYS_PTRACE",
    "SYS_RAWIO",  "SYS_RESOURCE",    "SYS_TIME",         "SYS_TTY_CONFIG",
    "SYSLOG",     "WAKE_ALARM"};

constexpr std::array<std::string_view, 39> kMountOptions = {
    "defaults",      "ro",       "rw",         "suid",    "nosuid",    "dev",        "nodev",       "exec",
    "noexec",        "sync",     "async",      "dirsync", "remount",   "mand",       "nomand",      "atime",
    "noatime",       "diratime", "nodiratime", "bind",    "rbind",     "unbindable", "runbindable", "private",
    "rprivate",      "shared",   "rshared",    "slave",   "rslave",    "relatime",   "norelatime",  "strictatime",
    "nostrictatime", "mode",     "uid",        "gid",     "nr_inodes", "nr_blocks",  "mpol"};

constexpr std::array<std::string_view, 8> kIpcControls = {"kernel.msgmax", "kernel.msgmnb",         "kernel.msgmni",
                                                          "kernel.sem",    "kernel.shmall",         "kernel.shmmax",
                                                          "kernel.shmmni", "kernel.shm_rmid_forced"};

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

void check_capabilities(const std::optional<std::vector<std::string>>& names, std::string_view container) {
  if (!names) return;
  for (const std::string& name : *names) {
    if (!contains(kCapabilities, name)) {
      throw client_error("Invalid capability '" + name + "' for container '" + std::string(container) + "'.");
    }
  }
}

void check_tmpfs(const Tmpfs& tmpfs, std::string_view container) {
  if (!tmpfs.containerPath.starts_with('/')) throw invalid_setting("tmpfs", container);
  if (tmpfs.size < 1) {
    throw client_error(
        "The container has an invalid tmpfs size value specified. It must be a non-zero, non-negative integer.");
  }
  if (!tmpfs.mountOptions) return;
  for (const std::string& option : *tmpfs.mountOptions) {
    // "mode=1777": the kernel checks what follows the name.
    if (!contains(kMountOptions, option.substr(0, option.find('=')))) throw invalid_setting("tmpfs", container);
  }
}

}  // namespace

void check_linux_parameters(const ContainerDefinition& container) {
  if (!container.linuxParameters) return;
  const LinuxParameters& linux = *container.linuxParameters;
  const std::string& name = *container.name;
  if (linux.capabilities) {
    check_capabilities(linux.capabilities->add, name);
    check_capabilities(linux.capabilities->drop, name);
  }
  if (linux.devices) {
    for (const Device& device : *linux.devices) {
      if (!device.hostPath.starts_with('/')) throw invalid_setting("devices", name);
    }
  }
  if (linux.tmpfs) {
    for (const Tmpfs& tmpfs : *linux.tmpfs) check_tmpfs(tmpfs, name);
  }
  if (linux.sharedMemorySize.value_or(1) < 1) throw invalid_setting("sharedMemorySize", name);
  if (linux.maxSwap.value_or(0) < 0) throw invalid_setting("maxSwap", name);
  const std::int32_t swappiness = linux.swappiness.value_or(0);
  if (swappiness < 0 || swappiness > 100) throw invalid_setting("swappiness", name);
}

void check_system_controls(const ContainerDefinition& container, const RegisterTaskDefinitionRequest& task) {
  if (!container.systemControls) return;
  for (const SystemControl& control : *container.systemControls) {
    const std::string key = control.namespace_.value_or("");
    const bool ipc = contains(kIpcControls, key) || key.starts_with("fs.mqueue.");
    const bool net = key.starts_with("net.");
    if ((!ipc && !net) || !control.value || control.value->empty()) {
      throw invalid_setting("systemControls", *container.name);
    }
    // A namespace that is shared with the host is set by the host.
    if (net && network_mode(task) == "host") {
      throw client_error("Network namespace systemControls are not supported when networkMode=host.");
    }
    if (ipc && task.ipcMode.value_or("") == "host") {
      throw client_error("IPC namespace systemControls are not supported when ipcMode=host.");
    }
  }
}

}  // namespace services::ecs
