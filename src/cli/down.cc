// SPDX-License-Identifier: Apache-2.0
// stoker down: ends the server of a data folder. The process at the other end of its socket is the server.
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ostream>
#include <stdexcept>

#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/names.h"

namespace cli {
namespace {

constexpr int kStopTimeoutMs = 60'000;
constexpr std::size_t kMostNamedTasks = 5;

struct StoppedServer {
  std::int64_t process = 0;
  std::string tasks;
};
BOOST_DESCRIBE_STRUCT(StoppedServer, (), (process, tasks))

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

pid_t server_process(const std::string& data) {
  const std::string path = data + "/socket";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error("the path " + path + " is too long for a socket");
  std::strcpy(address.sun_path, path.c_str());
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("no Stoker runs with the data folder " + data);
  }
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) {
    throw std::runtime_error("the process of the server is unknown: is it in another container?");
  }
  return peer.pid;
}

// Appends up to so many tasks of a cluster.
void add_names(const Options& options, const shapes::stoker::StokerCluster& cluster, std::string& names, std::size_t most) {
  Options of_cluster = options;
  of_cluster.cluster = cluster.name;
  of_cluster.region = cluster.region;
  for (const auto& task : ClusterClient(of_cluster).running_tasks()) {
    if (most-- == 0) return;
    names += (names.empty() ? "" : ", ") + short_id(*task.taskArn) + " of " + family_and_revision(task.taskDefinitionArn.value_or(""));
  }
}

}  // namespace

std::string tasks_that_go_on(const Options& options) {
  try {
    std::string names;
    std::size_t all = 0;
    for (const auto& cluster : ClusterClient(options).clusters()) {
      const std::size_t here = static_cast<std::size_t>(cluster.runningTasks) + static_cast<std::size_t>(cluster.pendingTasks);
      if (here > 0 && all < kMostNamedTasks) add_names(options, cluster, names, kMostNamedTasks - all);
      all += here;
    }
    if (all == 0) return "no tasks are running";
    if (all > kMostNamedTasks) names += ", ...";
    return std::to_string(all) + (all == 1 ? " task goes on: " : " tasks go on: ") + names +
           (all == 1 ? "; the server finds it" : "; the server finds them") + " when it is started again";
  } catch (const std::exception& error) {
    return std::string("tasks that run go on (the server did not list them: ") + error.what() + ")";
  }
}

int down(const Options& options, std::ostream& out) {
  if (options.remote) throw std::runtime_error("`stoker down` ends the server of this machine: use it there, or with --data");
  const pid_t process = server_process(options.data);
  const std::string rest = tasks_that_go_on(options);
  const Descriptor watch(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (::kill(process, SIGTERM) != 0) {
    throw std::runtime_error("process " + std::to_string(process) + " cannot be stopped: " + std::strerror(errno));
  }
  pollfd ended{watch.number(), POLLIN, 0};
  if (watch.number() >= 0 && ::poll(&ended, 1, kStopTimeoutMs) <= 0) {
    throw std::runtime_error("process " + std::to_string(process) + " has not ended within a minute");
  }
  if (options.json) {
    print_json(out, StoppedServer{process, rest});
  } else {
    out << "stopped process " << process << "; " << rest << '\n';
  }
  return 0;
}

}  // namespace cli
