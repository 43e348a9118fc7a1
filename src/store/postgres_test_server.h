// SPDX-License-Identifier: Apache-2.0
// A private PostgreSQL server for one test program: starts on first use, and stops when the program ends for any
// reason.
#pragma once

#include <fcntl.h>
#include <libpq-fe.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace store {

class PostgresTestServer {
 public:
  static PostgresTestServer& instance() {
    static PostgresTestServer server;
    return server;
  }

  // A connection string for a new, empty database.
  std::string create_database() {
    std::string name = "test" + std::to_string(++databases_);
    if (!query("postgres", "CREATE DATABASE " + name)) throw std::runtime_error("CREATE DATABASE failed");
    return target(name);
  }

  const std::string& folder() const { return folder_; }

  // The first value of the first row, on a separate connection; "" without rows.
  static std::string value(const std::string& target, const std::string& sql) {
    std::unique_ptr<PGconn, void (*)(PGconn*)> connection(PQconnectdb(target.c_str()), PQfinish);
    std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection.get(), sql.c_str()), PQclear);
    return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
  }

 private:
  static constexpr const char* kPrograms = "/usr/lib/postgresql/15/bin/";
  static constexpr std::chrono::seconds kStartTimeout{120};

  PostgresTestServer() {
    if (!std::filesystem::exists(std::string(kPrograms) + "initdb")) {
      throw std::runtime_error(std::string("PostgreSQL is not installed: missing ") + kPrograms + "initdb");
    }
    char pattern[] = "/tmp/stoker-postgres-XXXXXX";
    if (!mkdtemp(pattern)) throw std::runtime_error("cannot create a folder in /tmp");
    folder_ = pattern;
    if (geteuid() == 0) wait_for(spawn({"/bin/chown", "postgres", folder_}));
    // The locale orders text by language, so that a test fails if a column does not order it by bytes.
    int made = wait_for(spawn(
        as_user({std::string(kPrograms) + "initdb", "-D", folder_ + "/data", "-U", "postgres", "--auth=trust",
                 "--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en", "--no-sync"})));
    if (made != 0) throw std::runtime_error("initdb failed");
    server_ = spawn(as_user({std::string(kPrograms) + "postgres", "-D", folder_ + "/data", "-k", folder_, "-c",
                             "listen_addresses=", "-c", "fsync=off", "-c", "log_min_messages=panic", "-c",
                             "log_min_error_statement=panic"}));
    auto deadline = std::chrono::steady_clock::now() + kStartTimeout;
    while (!query("postgres", "SELECT 1")) {
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("PostgreSQL did not start");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  ~PostgresTestServer() {
    kill(server_, SIGINT);
    waitpid(server_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }

  // PostgreSQL refuses to run as root. The signal stops it when the test program is killed.
  static std::vector<std::string> as_user(std::vector<std::string> command) {
    std::vector<std::string> full{"/usr/bin/setpriv", "--pdeathsig=INT"};
    if (geteuid() == 0) full.insert(full.end(), {"--reuid=postgres", "--regid=postgres", "--init-groups"});
    full.insert(full.end(), command.begin(), command.end());
    return full;
  }

  pid_t spawn(std::vector<std::string> command) const {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    std::vector<char*> arguments;
    for (auto& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t pid = -1;
    int failed = posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error("cannot run " + command[0]);
    return pid;
  }

  static int wait_for(pid_t pid) {
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
  }

  std::string target(const std::string& database) const {
    return "host=" + folder_ + " user=postgres dbname=" + database;
  }

  bool query(const std::string& database, const std::string& sql) const {
    std::unique_ptr<PGconn, void (*)(PGconn*)> connection(PQconnectdb(target(database).c_str()), PQfinish);
    std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection.get(), sql.c_str()), PQclear);
    auto status = PQresultStatus(result.get());
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
  }

  std::string folder_;
  pid_t server_ = -1;
  int databases_ = 0;
};

}  // namespace store
