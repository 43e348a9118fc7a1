// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_holder.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <cstring>

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::string_view kImage = "stoker-pause:1";
constexpr std::uint64_t kLoadAddress = 0x400000;
constexpr std::uint64_t kElfHeaderBytes = 64 + 56;  // the ELF header and one program header

// Both programs ignore SIGCHLD, so that the kernel reaps orphans of process 1, and sleep forever.
// rt_sigaction(SIGCHLD, {SIG_IGN}, 0, 8); for (;;) pause();
constexpr std::string_view kAmd64(
    "\xb8\x0d\x00\x00\x00\xbf\x11\x00\x00\x00\x48\x8d\x35\x17\x00\x00\x00\x31\xd2\x41\xba\x08\x00\x00\x00\x0f\x05"
    "\xb8\x22\x00\x00\x00\x0f\x05\xeb\xf7\x0f\x1f\x40\x00"
    "\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    72);
// The same with ppoll(0, 0, 0, 0), as arm64 has no pause().
constexpr std::string_view kArm64(
    "\xc8\x10\x80\xd2\x20\x02\x80\xd2\x81\x01\x00\x10\x02\x00\x80\xd2\x03\x01\x80\xd2\x01\x00\x00\xd4"
    "\x00\x00\x80\xd2\x01\x00\x80\xd2\x02\x00\x80\xd2\x03\x00\x80\xd2\x28\x09\x80\xd2\x01\x00\x00\xd4"
    "\xfa\xff\xff\x17\x1f\x20\x03\xd5\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
    88);

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

// A static executable with one segment.
std::string elf(std::string_view code, std::uint64_t machine) {
  std::string out("\177ELF\2\1\1", 7);
  out.resize(16);
  put(out, 2, 2);  // an executable
  put(out, machine, 2);
  put(out, 1, 4);
  put(out, kLoadAddress + kElfHeaderBytes, 8);  // entry point
  put(out, 64, 8);                              // offset of the program header
  put(out, 0, 8);
  put(out, 0, 4);
  for (int size : {64, 56, 1, 64, 0, 0}) put(out, size, 2);
  put(out, 1, 4);  // PT_LOAD
  put(out, 5, 4);  // read and execute
  put(out, 0, 8);
  put(out, kLoadAddress, 8);
  put(out, kLoadAddress, 8);
  put(out, kElfHeaderBytes + code.size(), 8);
  put(out, kElfHeaderBytes + code.size(), 8);
  put(out, 0x10000, 8);
  return out.append(code);
}

// A tar of one file, in POSIX's ustar format.
std::string tar_of(const char* name, const std::string& bytes) {
  std::string head(512, '\0');
  std::snprintf(&head[0], 100, "%s", name);
  std::snprintf(&head[100], 8, "%07o", 0755u);
  std::snprintf(&head[108], 8, "%07o", 0u);
  std::snprintf(&head[116], 8, "%07o", 0u);
  std::snprintf(&head[124], 12, "%011zo", bytes.size());
  std::snprintf(&head[136], 12, "%011o", 0u);
  head[156] = '0';
  std::memcpy(&head[257], "ustar\00000", 8);
  std::memset(&head[148], ' ', 8);
  unsigned sum = 0;
  for (unsigned char c : head) sum += c;
  std::snprintf(&head[148], 8, "%06o", sum);
  std::string out = head + bytes;
  out.resize((out.size() + 511) / 512 * 512 + 1024);
  return out;
}

// Merges the network settings of all containers of the task.
void add_network_settings(const shapes::agent::Task& task, json::object& host) {
  json::object sysctls;
  for (const shapes::agent::Container& container : task.containers) {
    boost::system::error_code error;
    json::value wanted = json::parse(container.dockerConfig.hostConfig.value_or("{}"), error);
    if (error || !wanted.is_object()) continue;
    for (std::string_view name : kNetworkSettings) {
      const json::value* more = find(wanted, {name});
      if (!more || !more->is_array()) continue;
      if (!host.contains(name)) host[name] = json::array();
      for (const json::value& entry : more->get_array()) host[name].get_array().push_back(entry);
    }
    const json::value* settings = find(wanted, {"Sysctls"});
    if (!settings || !settings->is_object()) continue;
    for (const auto& [name, value] : settings->get_object()) {
      if (std::string_view(name).starts_with("net.")) sysctls[name] = value;
    }
  }
  if (!sysctls.empty()) host["Sysctls"] = std::move(sysctls);
}

asio::awaitable<base::Result<Nothing>> ensure_image(DockerApi& api, std::string architecture) {
  const std::string inspect = "/images/" + std::string(kImage) + "/json";
  EngineReply existing = co_await api.get(inspect);
  if (existing.ok()) co_return Nothing{};
  std::string tar = holder_image_tar(architecture);
  if (tar.empty()) co_return base::Error{"no pause image for the architecture " + architecture};
  const std::string import = "/images/create?fromSrc=-&repo=stoker-pause&tag=1";
  EngineReply imported = co_await api.import(import, std::move(tar));
  if (!imported.ok()) co_return base::Error{imported.message()};
  existing = co_await api.get(inspect);
  if (!existing.ok()) co_return base::Error{"importing the pause image: " + imported.message()};
  co_return Nothing{};
}

}  // namespace

std::string holder_image_tar(const std::string& architecture) {
  if (architecture == "amd64") return tar_of("pause", elf(kAmd64, 62));
  if (architecture == "arm64") return tar_of("pause", elf(kArm64, 183));
  return "";
}

bool needs_holder(const shapes::agent::Task& task) {
  return task.networkMode.value_or("") == "awsvpc" || task.pidMode.value_or("") == "task" ||
         task.ipcMode.value_or("") == "task";
}

std::string holder_name(const shapes::agent::Task& task) {
  return "ecs-" + name_part(task.family) + "-" + name_part(task.version) + "-internalecspause-" +
         name_part(task_id(task.arn));
}

json::object holder_body(const shapes::agent::Task& task, const HolderSettings& settings) {
  json::object labels = task_labels(task, settings.agent_name);
  labels[kContainerLabel] = kHolderContainer;
  json::object host = {{"NetworkMode", task.networkMode.value_or("") == "awsvpc" ? "bridge" : "none"},
                       {"IpcMode", "shareable"},
                       {"LogConfig", json::object{{"Type", "none"}}}};
  if (!settings.cgroup_parent.empty()) host["CgroupParent"] = settings.cgroup_parent;
  if (task.networkMode.value_or("") == "awsvpc") add_network_settings(task, host);
  return {{"Image", kImage},
          {"Entrypoint", json::array{"/pause"}},
          {"Labels", std::move(labels)},
          {"HostConfig", std::move(host)}};
}

asio::awaitable<base::Result<std::string>> ensure_holder(DockerApi& api, shapes::agent::Task task,
                                                         HolderSettings settings) {
  const std::string name = holder_name(task);
  EngineReply existing = co_await api.get("/containers/" + name + "/json");
  if (existing.not_found()) {
    base::Result<Nothing> image = co_await ensure_image(api, settings.architecture);
    if (!image) co_return base::Error{image.error()};
    std::string body = json::serialize(holder_body(task, settings));
    const std::string target = "/containers/create?name=" + name;
    EngineReply made = co_await api.post(target, std::move(body));
    // 409: another container of the task has just created it.
    if (!made.ok() && made.status != 409) co_return base::Error{made.message()};
  } else if (!existing.ok()) {
    co_return base::Error{existing.message()};
  }
  EngineReply started = co_await api.post("/containers/" + name + "/start");
  if (!started.ok()) co_return base::Error{started.message()};
  co_return name;
}

}  // namespace agent::drivers
