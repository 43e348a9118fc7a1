// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/task_process.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <sstream>

#include "agent/drivers/shim_folder.h"

namespace agent::drivers {
namespace {

constexpr int kCapabilities = 64;
constexpr int kResources = RLIM_NLIMITS;

// The user namespace last: until then this process has the rights to enter the others. Without root it is first, as the
// rights come from it.
std::vector<std::string> namespace_names() {
  std::vector<std::string> names = {"cgroup", "ipc", "uts", "net", "pid", "time", "mnt"};
  names.insert(::geteuid() == 0 ? names.end() : names.begin(), "user");
  return names;
}

std::string failed(const std::string& step) { return step + ": " + std::strerror(errno); }

std::string path_in(pid_t pid, const std::string& name) { return "/proc/" + std::to_string(pid) + "/" + name; }

bool is_same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

// -1 where both are in the same one, or the kernel has none of this name.
base::Result<int> open_namespace(pid_t pid, const std::string& name) {
  struct stat own {}, other {};
  if (::stat(("/proc/self/ns/" + name).c_str(), &own) != 0) return -1;
  const int fd = ::open(path_in(pid, "ns/" + name).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 || ::fstat(fd, &other) != 0) return base::Error{failed(path_in(pid, "ns/" + name))};
  if (!is_same(own, other)) return fd;
  ::close(fd);
  return -1;
}

std::vector<std::string> split_environment(const std::string& text) {
  std::vector<std::string> variables;
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, '\0');) variables.push_back(one);
  return variables;
}

bool has_bit(std::uint64_t set, int bit) { return set >> bit & 1; }

// Root's capabilities after exec are those of the bounding set.
std::uint64_t bounding_for(const ProcessRights& rights) { return rights.uid == 0 ? rights.permitted : rights.bounding; }

std::string limit_capabilities(std::uint64_t bounding) {
  for (int capability = 0; capability < kCapabilities; ++capability) {
    if (has_bit(bounding, capability) || ::prctl(PR_CAPBSET_READ, capability) != 1) continue;
    if (::prctl(PR_CAPBSET_DROP, capability) != 0) return failed("dropping a capability");
  }
  return "";
}

std::string set_capabilities(const ProcessRights& rights) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  for (int i = 0; i < 2; ++i) {
    const auto part = [&](std::uint64_t set) { return static_cast<std::uint32_t>(set >> (32 * i)); };
    data[i] = {part(rights.effective), part(rights.permitted), part(rights.inheritable)};
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (::syscall(SYS_capset, &header, data.data()) != 0) return failed("setting its capabilities");
  for (int capability = 0; capability < kCapabilities; ++capability) {
    if (!has_bit(rights.ambient, capability)) continue;
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0) return failed("setting a capability");
  }
  return "";
}

// Only root can change user or groups; without a change there is nothing to do.
std::string become_user(const ProcessRights& rights) {
  const bool same = ::geteuid() == rights.uid && ::getegid() == rights.gid;
  if (same && ::geteuid() != 0) return "";
  const std::vector<gid_t> groups(rights.groups.begin(), rights.groups.end());
  if (::setgroups(groups.size(), groups.data()) != 0) return failed("setting its groups");
  if (::setresgid(rights.gid, rights.gid, rights.gid) != 0) return failed("setting its group");
  if (::setresuid(rights.uid, rights.uid, rights.uid) != 0) return failed("setting its user");
  return "";
}

}  // namespace

base::Result<ProcessRights> parse_rights(std::string_view status) {
  ProcessRights rights;
  std::map<std::string, std::uint64_t*> sets = {{"CapInh:", &rights.inheritable}, {"CapPrm:", &rights.permitted},
                                                {"CapEff:", &rights.effective},   {"CapBnd:", &rights.bounding},
                                                {"CapAmb:", &rights.ambient}};
  std::istringstream lines{std::string(status)};
  bool has_user = false, has_group = false;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    std::uint32_t first = 0;
    fields >> name;
    if (const auto set = sets.find(name); set != sets.end()) {
      fields >> std::hex >> *set->second;
    } else if (name == "Uid:") {
      has_user = static_cast<bool>(fields >> first >> rights.uid);
    } else if (name == "Gid:") {
      has_group = static_cast<bool>(fields >> first >> rights.gid);
    } else if (name == "Groups:") {
      for (std::uint32_t group = 0; fields >> group;) rights.groups.push_back(group);
    } else if (name == "NoNewPrivs:") {
      fields >> rights.no_new_privileges;
    } else if (name == "Umask:") {
      fields >> std::oct >> rights.umask;
    }
  }
  if (!has_user || !has_group) return base::Error{"the status of the process names no user"};
  return rights;
}

std::uint32_t mapped_id(std::string_view map, std::uint32_t outside) {
  std::istringstream lines{std::string(map)};
  for (std::uint64_t inside = 0, start = 0, count = 0; lines >> inside >> start >> count;) {
    if (outside >= start && outside - start < count) return static_cast<std::uint32_t>(inside + outside - start);
  }
  return outside;
}

bool TaskProcess::in_namespace(std::string_view name) const {
  return std::ranges::any_of(namespaces, [&](const Namespace& one) { return one.name == name; });
}

base::Result<TaskProcess> look_at_process(pid_t pid) {
  TaskProcess task;
  task.pid = pid;
  const auto status = read_text(path_in(pid, "status"));
  if (!status) return base::Error{"the container's first process has ended"};
  auto rights = parse_rights(*status);
  if (!rights) return base::Error{rights.error()};
  task.rights = std::move(*rights);
  for (const std::string& name : namespace_names()) {
    const auto fd = open_namespace(pid, name);
    if (!fd) return base::Error{fd.error()};
    if (*fd >= 0) task.namespaces.push_back({name, *fd});
  }
  if (task.in_namespace("user")) {
    task.rights.uid = mapped_id(read_text(path_in(pid, "uid_map")).value_or(""), task.rights.uid);
    task.rights.gid = mapped_id(read_text(path_in(pid, "gid_map")).value_or(""), task.rights.gid);
    const std::string groups = read_text(path_in(pid, "gid_map")).value_or("");
    for (std::uint32_t& group : task.rights.groups) group = mapped_id(groups, group);
  }
  task.environment = split_environment(read_text(path_in(pid, "environ")).value_or(""));
  task.root = ::open(path_in(pid, "root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  task.folder = ::open(path_in(pid, "cwd").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (task.root < 0 || task.folder < 0) return base::Error{failed("opening the folders of the container")};
  for (int resource = 0; resource < kResources; ++resource) {
    rlimit& limit = task.limits[static_cast<std::size_t>(resource)];
    if (::prlimit(pid, __rlimit_resource(resource), nullptr, &limit) != 0) limit = {RLIM_INFINITY, RLIM_INFINITY};
  }
  return task;
}

std::string enter_namespaces(const TaskProcess& task) {
  for (const Namespace& one : task.namespaces) {
    if (::setns(one.descriptor, 0) != 0) return failed("entering its " + one.name + " namespace");
  }
  struct stat own {}, other {};
  if (::stat("/", &own) != 0 || ::fstat(task.root, &other) != 0) return failed("looking at its root");
  const bool moved = is_same(own, other) || (::fchdir(task.root) == 0 && ::chroot(".") == 0);
  if (!moved) return failed("entering its root");
  // Its folder may be gone.
  if (::fchdir(task.folder) != 0 && ::chdir("/") != 0) return failed("entering its folder");
  return "";
}

std::string take_rights(const TaskProcess& task) {
  for (int resource = 0; resource < kResources; ++resource) {
    // A limit that may not be raised stays lower.
    [[maybe_unused]] const int set =
        ::setrlimit(__rlimit_resource(resource), &task.limits[static_cast<std::size_t>(resource)]);
  }
  ::umask(static_cast<mode_t>(task.rights.umask));
  std::string error = limit_capabilities(bounding_for(task.rights));
  ::prctl(PR_SET_KEEPCAPS, 1);
  if (error.empty()) error = become_user(task.rights);
  if (error.empty()) error = set_capabilities(task.rights);
  if (error.empty() && task.rights.no_new_privileges && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    error = failed("setting no_new_privs");
  }
  return error;
}

}  // namespace agent::drivers
