// SPDX-License-Identifier: Apache-2.0
// stoker cp: tar in the container and tar here, joined by a session. The rules are those of docker cp.
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "cli/copy_path.h"
#include "cli/exec_commands.h"
#include "cli/exec_session.h"
#include "cli/incoming_files.h"
#include "cli/local_tar.h"
#include "cli/standard_output.h"
#include "cli/usage_error.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int kFileChanged = 1;  // of tar: while it was read

// The session ended before the command's exit code arrived.
struct SessionLost {
  int status;
};

class Copy {
 public:
  Copy(ClusterClient& client, const SessionSignals& signals, shapes::stoker::StokerExecRequest request)
      : client_(client), signals_(signals), request_(std::move(request)) {}

  int download(const std::string& path, const std::string& target) {
    const SplitPath from = split_path(absolute(path));
    if (from.name == "..") throw UsageError("a path in the container must not end with '..'");
    const Words create{"tar", "-cf", "-", "-C", from.folder, "--", from.name};
    if (target == "-") return run(create, {.output = STDOUT_FILENO}, false);
    if (from.name == "." && !fs::exists(target)) fs::create_directory(target);
    const fs::path local = target;
    if (fs::is_directory(local)) return extract(create, local, from.name, from.name == "." ? local : local / from.name);
    if (target.ends_with('/')) throw std::runtime_error("no such folder: " + target);
    return extract(create, local.has_parent_path() ? local.parent_path() : fs::path("."), from.name, local);
  }

  int upload(const std::string& source, const std::string& path) {
    const std::string to = absolute(path);
    if (source == "-") return run(extract_in(to), {.input = STDIN_FILENO}, true);
    if (!fs::exists(fs::symlink_status(source))) throw std::runtime_error("no such file: " + source);
    const SplitPath from = split_path(source);
    Words create{"-cf", "-", "--owner=0", "--group=0", "--numeric-owner", "-C", from.folder};
    std::string folder = to;
    if (!is_folder(to)) {
      if (to.ends_with('/')) throw std::runtime_error("no such folder in the container: " + to);
      if (from.name == ".") {
        const int made = run({"mkdir", "--", to}, {}, false);
        if (made != 0) return made;
      } else {
        const SplitPath named = split_path(to);
        folder = named.folder;
        // Also of the targets of hard links, not of symbolic ones.
        create.push_back("--transform=s,^" + transform_pattern(from.name) + "," + transform_replacement(named.name) + ",rhS");
      }
    }
    create.insert(create.end(), {"--", from.name});
    LocalTar tar(LocalTar::Use::Create, create);
    const int status = run(extract_in(folder), {.input = tar.descriptor()}, true);
    const int local = tar.finish();
    return status != 0 ? status : local;
  }

 private:
  static std::string absolute(const std::string& path) { return path.starts_with('/') ? path : "/" + path; }
  static Words extract_in(const std::string& folder) { return {"tar", "-xpf", "-", "-C", folder}; }

  int extract(const Words& create, const fs::path& parent, const std::string& name, const fs::path& target) {
    IncomingFiles files(parent);
    const SessionEnd end = run_command(create, {.output = files.descriptor()}, false);
    const int local = files.finish();
    if (local != 0) return local;
    const int status = end.status == kClosedPipe ? 0 : end.status;  // it had read the archive's end, and left the padding
    const bool complete = status == 0 || (end.exited && status == kFileChanged);
    if (complete) files.move(name, target);
    return status;
  }

  // A lost session has the exit status 1 as well, and does not mean that there is no folder.
  bool is_folder(const std::string& path) {
    const SessionEnd end = run_command({"test", "-d", path}, {}, false);
    if (!end.exited) throw SessionLost{end.status};
    if (end.status > 1) throw std::runtime_error("the container has no program `test`");
    return end.status == 0;
  }

  int run(Words command, SessionStreams streams, bool interactive) {
    return run_command(std::move(command), streams, interactive).status;
  }

  SessionEnd run_command(Words command, SessionStreams streams, bool interactive) {
    SessionOptions options;
    options.request = request_;
    options.request.command = std::move(command);
    options.request.interactive = interactive;
    options.streams = streams;
    return run_session(client_, options, signals_);
  }

  ClusterClient& client_;
  const SessionSignals& signals_;
  const shapes::stoker::StokerExecRequest request_;
};

}  // namespace

int copy(const Options& options, const CopyArguments& arguments) {
  const SessionSignals signals;  // before the client starts threads
  const auto source = remote_path(arguments.source), target = remote_path(arguments.target);
  if (source.has_value() == target.has_value()) {
    throw UsageError("one of the two paths must be TASK:PATH, and the other one local");
  }
  ClusterClient client(options);
  Copy files(client, signals, session_request(client, source ? source->task : target->task, arguments.container));
  try {
    return source ? files.download(source->path, arguments.target) : files.upload(arguments.source, target->path);
  } catch (const SessionLost& lost) {
    return lost.status;  // the session has printed the reason
  }
}

}  // namespace cli
