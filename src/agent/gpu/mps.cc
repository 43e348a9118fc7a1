// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/mps.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "agent/gpu/command.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/log.h"

namespace agent::gpu {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

constexpr const char* kControlProgram = "nvidia-cuda-mps-control";
// The folder contains sockets, and the path of a socket has at most 107 bytes.
constexpr std::size_t kMaxPipeFolder = 80;
constexpr base::Duration kEndPause{20}, kEndTimeout{10000};
constexpr base::Duration kTurnTimeout{30000};  // longer than any start or stop
constexpr std::size_t kMaxQuotedOutput = 300;
constexpr std::size_t kFolderNameSize = 12;

// "GPU-5a934f57-..." -> "5a934f57": socket paths must be short.
std::string short_name(const std::string& gpu_id) {
  std::size_t start = gpu_id.starts_with("GPU-") ? 4 : 0;
  return gpu_id.substr(start, 8);
}

std::string read_whole_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The running daemon of these pipes. It writes its process id beside them; the command line is
// checked because the id may have been reused.
std::optional<pid_t> daemon_of(const fs::path& pipes) {
  std::ifstream in(pipes / "nvidia-cuda-mps-control.pid");
  pid_t pid = 0;
  if (!(in >> pid) || pid <= 1) return std::nullopt;
  std::string command_line = read_whole_file("/proc/" + std::to_string(pid) + "/cmdline");
  if (command_line.find(kControlProgram) == std::string::npos) return std::nullopt;
  return pid;
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  while (text.ends_with(' ')) text.pop_back();
  return text.substr(0, kMaxQuotedOutput);
}

}  // namespace

std::string mps_folder(const std::string& data) {
  const std::string absolute = fs::absolute(data).lexically_normal();
  if (::geteuid() != 0) return absolute + "/mps";
  return "/run/stoker-mps-" + base::to_hex(base::sha256(absolute)).substr(0, kFolderNameSize);
}

Mps::Mps(std::string folder, std::string control) : folder_(fs::absolute(folder)), control_(std::move(control)) {}

std::string Mps::pipes(const std::string& short_id) const { return folder_ + "/" + short_id; }

std::string Mps::pipe_folder(const std::string& gpu_id) const { return pipes(short_name(gpu_id)); }

bool Mps::in_use(const std::string& short_id) const {
  return std::ranges::any_of(users_, [&](const auto& user) { return short_name(user.first) == short_id; });
}

asio::awaitable<base::Result<MpsAccess>> Mps::join(Gpu gpu, std::string container, MpsShare share) {
  // Register first: a concurrent leave() of another container must not stop the daemon.
  users_[gpu.id].insert(container);
  base::Result<bool> started = co_await start(gpu.id);
  if (!started) {
    std::set<std::string>& users = users_[gpu.id];
    users.erase(container);
    if (users.empty()) users_.erase(gpu.id);
    co_return base::Error{
        fmt::format("ResourceInitializationError: GPU {} cannot be shared: {}", gpu.id, started.error())};
  }
  MpsAccess access;
  std::string folder = pipe_folder(gpu.id);
  access.folders = {folder, "/dev/shm"};
  access.environment["CUDA_MPS_PIPE_DIRECTORY"] = folder;
  // A client of a daemon with one GPU sees it as device 0.
  access.environment["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] = fmt::format("0={}M", share.memory_mib);
  if (share.max_compute_percent) {
    access.environment["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] = std::to_string(*share.max_compute_percent);
  }
  co_return access;
}

asio::awaitable<Mps::Turn> Mps::take_turn(std::string short_id) {
  while (turns_.contains(short_id)) {
    Turn before = turns_[short_id];
    boost::system::error_code cancelled;
    co_await before->async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    if (!cancelled) break;  // the previous holder is overdue
  }
  auto executor = co_await asio::this_coro::executor;
  auto turn = std::make_shared<asio::steady_timer>(executor, kTurnTimeout);
  turns_[short_id] = turn;
  co_return turn;
}

void Mps::end_turn(const std::string& short_id, Turn turn) {
  auto mine = turns_.find(short_id);
  if (mine != turns_.end() && mine->second == turn) turns_.erase(mine);
  turn->cancel();
}

asio::awaitable<base::Result<bool>> Mps::start(std::string gpu_id) {
  std::string folder = pipe_folder(gpu_id);
  if (folder.size() > kMaxPipeFolder) {
    co_return base::Error{
        fmt::format("the path {} is too long for MPS: the limit is {} bytes", folder, kMaxPipeFolder)};
  }
  Turn turn = co_await take_turn(short_name(gpu_id));
  base::Result<bool> started = co_await launch(gpu_id);
  end_turn(short_name(gpu_id), turn);
  co_return started;
}

asio::awaitable<base::Result<bool>> Mps::launch(std::string gpu_id) {
  std::string folder = pipe_folder(gpu_id);
  if (daemon_of(folder)) co_return true;
  std::string logs = folder + ".log";
  std::error_code failed;
  fs::create_directories(folder, failed);
  for (const std::string& entered : {folder_, folder}) {
    if (!failed) fs::permissions(entered, fs::perms(0755), failed);  // whatever the umask is
  }
  if (!failed) fs::create_directories(logs, failed);
  if (failed) co_return base::Error{fmt::format("cannot create the folder {}: {}", folder, failed.message())};

  Command command;
  command.words = {control_, "-d"};
  command.environment = {
      {"CUDA_MPS_PIPE_DIRECTORY", folder}, {"CUDA_MPS_LOG_DIRECTORY", logs}, {"CUDA_VISIBLE_DEVICES", gpu_id}};
  command.output_file = logs + "/start.log";
  base::Result<int> code = co_await run_command(std::move(command));
  if (!code) co_return base::Error{code.error()};
  if (*code != 0 && !daemon_of(folder)) {
    co_return base::Error{fmt::format("{} -d exited with {}: {}", kControlProgram, *code,
                                      one_line(read_whole_file(logs + "/start.log")))};
  }
  base::log_info("MPS was started", {{"gpu", gpu_id}, {"folder", folder}});
  co_return true;
}

asio::awaitable<void> Mps::leave(std::string gpu_id, std::string container) {
  auto users = users_.find(gpu_id);
  if (users == users_.end()) co_return;
  users->second.erase(container);
  if (!users->second.empty()) co_return;
  users_.erase(users);
  co_await stop(short_name(gpu_id));
}

asio::awaitable<void> Mps::stop(std::string short_id) {
  Turn turn = co_await take_turn(short_id);
  if (!in_use(short_id) && daemon_of(pipes(short_id))) {
    co_await quit(short_id);
  }
  end_turn(short_id, turn);
}

asio::awaitable<void> Mps::quit(std::string short_id) {
  std::string folder = pipes(short_id);
  Command command;
  command.words = {control_};
  command.environment = {{"CUDA_MPS_PIPE_DIRECTORY", folder}};
  command.input = "quit\n";
  command.output_file = folder + ".log/stop.log";
  base::Result<int> code = co_await run_command(std::move(command));
  std::optional<pid_t> left = daemon_of(folder);
  if (left && (!code || *code != 0)) ::kill(*left, SIGTERM);
  // The command returns before the daemon has ended.
  auto executor = co_await asio::this_coro::executor;
  asio::steady_timer pause(executor);
  for (base::Duration waited{0}; daemon_of(folder) && waited < kEndTimeout; waited += kEndPause) {
    boost::system::error_code cancelled;
    pause.expires_after(kEndPause);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    if (cancelled) co_return;
  }
  base::log_info("MPS was stopped", {{"folder", folder}});
}

asio::awaitable<void> Mps::tend() {
  std::vector<std::string> gpu_ids;
  for (const auto& [gpu_id, containers] : users_) gpu_ids.push_back(gpu_id);
  for (const std::string& gpu_id : gpu_ids) {
    base::Result<bool> started = co_await start(gpu_id);
    if (!started) base::log_warn("MPS could not be restarted", {{"gpu", gpu_id}, {"error", started.error()}});
  }
  std::vector<std::string> left;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, failed)) {
    std::string name = entry.path().filename();
    if (!in_use(name) && daemon_of(entry.path())) left.push_back(name);
  }
  for (const std::string& name : left) {
    co_await stop(name);
  }
}

}  // namespace agent::gpu
