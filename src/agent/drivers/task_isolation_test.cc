// SPDX-License-Identifier: Apache-2.0
// What tasks of the process driver cannot do. As root these tests also run the driver as nobody.
#include "agent/drivers/task_isolation.h"

#include <gmock/gmock.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "agent/drivers/process_fixture.h"
#include "agent/drivers/task_mounts.h"
#include "agent/drivers/task_privileges.h"

namespace agent::drivers {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kFirst = 1999000000, kLast = 1999000099;

void write_file(const std::string& path, const std::string& text, mode_t mode) {
  std::ofstream(path) << text;
  ::chmod(path.c_str(), mode);
}

class TaskIsolationTest : public ProcessFixture {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can choose users";
    // Not in /tmp, of which tasks have their own.
    shared_ = "/dev/shm/isolation_XXXXXX";
    ASSERT_NE(mkdtemp(shared_.data()), nullptr);
    ::chmod(shared_.c_str(), 0755);
    hidden_ = shared_ + "/hidden";
    ::mkdir(hidden_.c_str(), 0755);
    write_file(hidden_ + "/credentials", "secret", 0644);
    ::mkdir((hidden_ + "/work").c_str(), 0700);
    ProcessFixture::SetUp();
  }
  void TearDown() override {
    if (::geteuid() != 0) return;
    ProcessFixture::TearDown();
    std::filesystem::remove_all(shared_);
  }
  void configure() override {
    options_.isolation.task_uids = std::to_string(kFirst) + "-" + std::to_string(kLast);
    options_.isolation.claims = folder_ + "/claims";
    options_.isolation.hidden = {hidden_, folder_};
  }

  ContainerSpec task_shell(const std::string& script, const std::string& task = "0123456789abcdef") {
    ContainerSpec made = shell(script);
    made.task.arn = "arn:aws:ecs:us-east-1:000000000000:task/default/" + task;
    made.work_folder = hidden_ + "/work";
    return made;
  }
  std::string output_of(ContainerSpec container) {
    std::filesystem::remove(folder_ + "/main.log");
    run_to_end(std::move(container));
    return output() + output("stderr");
  }
  // Another task, with a secret in its environment.
  ContainerSpec secret_task() {
    ContainerSpec other = task_shell(std::string("echo up > ready; ") + kRunOn, "other");
    other.container.environment["SECRET"] = "treasure";
    return other;
  }
  // The script of a task that reads the other one, and says "over" when it has tried.
  std::string intrusion(const std::string& id, bool signals) const {
    const std::string at = std::to_string(read_started(process_folder(id))->pid);
    std::string script = "cat /proc/" + at + "/environ && echo succeeded; head -c 1 /proc/" + at + "/root/etc/passwd && echo succeeded; ";
    if (signals) script += "kill -0 " + at + " && echo signalled; ";
    return script + "echo over";
  }
  std::string error_of(const std::string& user) {
    ContainerSpec container = task_shell("id -u");
    container.container.dockerConfig.config = R"({"User": ")" + user + R"("})";
    auto id = run(driver_->create(std::move(container)));
    return id ? "" : id.error();
  }

  std::string shared_, hidden_;
};

TEST_F(TaskIsolationTest, ATaskHasAUserOfItsOwnAndNoPrivileges) {
  const std::string text =
      output_of(task_shell("id -u; id -g; id -G; grep -E 'Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs' /proc/self/status"));
  std::istringstream words(text);
  std::int64_t uid = 0, gid = 0, groups = 0;
  words >> uid >> gid >> groups;
  EXPECT_GT(uid, kFirst);
  EXPECT_LE(uid, kLast);
  EXPECT_EQ(gid, uid);
  EXPECT_EQ(groups, uid);
  for (const char* set : {"CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    EXPECT_THAT(text, HasSubstr(std::string(set) + ":\t0000000000000000")) << text;
  }
  EXPECT_THAT(text, HasSubstr("NoNewPrivs:\t1"));
}

TEST_F(TaskIsolationTest, ContainersOfATaskHaveItsUserAlsoAfterARestartOfTheAgent) {
  const std::string first = output_of(task_shell("id -u", "one")), other = output_of(task_shell("id -u", "two"));
  EXPECT_NE(first, other);
  open();
  EXPECT_EQ(output_of(task_shell("id -u", "one")), first);
  EXPECT_EQ(output_of(task_shell("id -u", "two")), other);
}

TEST_F(TaskIsolationTest, ANumberIsFreeWhenItsTaskIsCleanedUp) {
  const std::string uid = output_of(task_shell("id -u"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/claims/" + uid.substr(0, uid.size() - 1)));
  EXPECT_TRUE(run(driver_->clean_up(task_.arn)));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/claims/" + uid.substr(0, uid.size() - 1)));
}

TEST_F(TaskIsolationTest, HiddenFoldersAreEmptyButForTheWorkFolder) {
  const std::string text = output_of(task_shell(
      "pwd; echo $HOME; ls " + hidden_ + "; cat " + hidden_ + "/credentials; echo x > " + hidden_ +
      "/new; echo written > file; cat $HOME/file; ls " + folder_));
  EXPECT_THAT(text, testing::StartsWith(hidden_ + "/work\n" + hidden_ + "/work\nwork\nwritten\n"));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  EXPECT_THAT(text, HasSubstr("credentials: No such file"));
  EXPECT_THAT(text, HasSubstr("Read-only file system"));
  EXPECT_THAT(text, HasSubstr(folder_ + "': No such file"));
  EXPECT_TRUE(std::filesystem::exists(hidden_ + "/work/file"));
  EXPECT_FALSE(std::filesystem::exists(hidden_ + "/new"));
}

TEST_F(TaskIsolationTest, TmpIsPrivateAndSharedWithHealthChecks) {
  ContainerSpec container = task_shell(std::string("echo mine > /tmp/isolation_mark; ls /tmp /var/tmp; ") + kRunOn);
  container.container.dockerConfig.config =
      R"({"Healthcheck": {"Test": ["CMD-SHELL", "test $(id -u) -gt 1000 && test -e /tmp/isolation_mark"],)"
      R"("Interval": 10000000, "Timeout": 60000000000}})";
  const std::string id = start(std::move(container));
  await_file(process_folder(id) + "/tmp/isolation_mark");  // three checks before it would be a failure
  const auto health = run(driver_->health(id, "UNKNOWN"));
  ASSERT_TRUE(health) << health.error();
  EXPECT_EQ(*health, "HEALTHY");
  EXPECT_FALSE(std::filesystem::exists("/tmp/isolation_mark"));
  EXPECT_TRUE(run(driver_->stop(id, base::Duration(0))));
  wait(id);
  EXPECT_EQ(output(), "/tmp:\nisolation_mark\n\n/var/tmp:\nisolation_mark\n");
}

TEST_F(TaskIsolationTest, TmpIsEmptiedWhenTheTaskEnds) {
  const std::string id = start(task_shell("echo x > /tmp/file"));
  wait(id);
  EXPECT_TRUE(std::filesystem::exists(process_folder(id) + "/tmp/file"));
  boost::asio::co_spawn(io_, driver_->end_task(task_.arn), [](std::exception_ptr) {});
  io_.restart();
  io_.run_for(kTestTimeout);
  EXPECT_FALSE(std::filesystem::exists(process_folder(id) + "/tmp"));
}

TEST_F(TaskIsolationTest, AProgramWithASetUserIdBitGivesNoRights) {
  std::filesystem::copy_file("/usr/bin/id", shared_ + "/id");
  ::chmod((shared_ + "/id").c_str(), 04755);
  EXPECT_EQ(output_of(task_shell(shared_ + "/id -u > a; id -u | cmp - a && echo same")), "same\n");
}

TEST_F(TaskIsolationTest, OtherProcessesCanNotBeReadOrSignalled) {
  ContainerSpec other = task_shell(std::string("echo up > ready; ") + kRunOn, "other");
  other.container.environment["SECRET"] = "treasure";
  const std::string id = start(std::move(other));
  await_file(hidden_ + "/work/ready");
  const auto started = read_started(process_folder(id));
  std::string script;
  for (const std::int64_t pid : {started->pid, std::int64_t(::getpid())}) {
    const std::string at = std::to_string(pid);
    script += "kill -0 " + at + " && echo signalled; cat /proc/" + at + "/environ /proc/" + at + "/cmdline && echo read; ";
  }
  const std::string text = output_of(task_shell(script + "echo over"));
  EXPECT_THAT(text, HasSubstr("over\n")) << "it tried all of it";
  EXPECT_THAT(text, Not(testing::AnyOf(HasSubstr("signalled"), HasSubstr("read"), HasSubstr("treasure")))) << text;
}

TEST_F(TaskIsolationTest, TasksOfNobodyAreKeptFromOneAnother) {
  const auto as_nobody = [&](ContainerSpec container) {
    container.container.dockerConfig.config = R"({"User": "nobody"})";
    return container;
  };
  const std::string id = start(as_nobody(secret_task()));
  await_file(hidden_ + "/work/ready");
  const std::string text = output_of(as_nobody(task_shell(intrusion(id, true))));
  EXPECT_THAT(text, HasSubstr("over\n"));
  EXPECT_THAT(text, Not(testing::AnyOf(HasSubstr("signalled"), HasSubstr("succeeded"), HasSubstr("treasure")))) << text;
}

TEST_F(TaskIsolationTest, TasksThatShareAGpuDoNotReadOneAnotherWithAnOlderLandlock) {
  if (landlock_version() == 0) GTEST_SKIP() << "the kernel has no Landlock";
  options_.isolation.most_landlock = 5;
  open();
  const auto sharing = [&](ContainerSpec container) {
    ::mkdir((hidden_ + "/mps").c_str(), 0755);
    container.mps_folders = {hidden_ + "/mps"};
    return container;
  };
  const std::string id = start(sharing(secret_task()));
  await_file(hidden_ + "/work/ready");
  const std::string rename = "mkdir a b && echo x > a/x && python3 -c 'import os; os.rename(\"a/x\", \"b/x\")' && cat b/x; ";
  const std::string text = output_of(sharing(task_shell(rename + intrusion(id, false))));
  if (landlock_version() > 1) {
    EXPECT_THAT(text, testing::StartsWith("x\n")) << "files are renamed as usual";
  }
  EXPECT_THAT(text, HasSubstr("over\n"));
  EXPECT_THAT(text, Not(testing::AnyOf(HasSubstr("succeeded"), HasSubstr("treasure")))) << text;
}

TEST_F(TaskIsolationTest, TheStatementNamesWhatTheKernelDoesNotKeepTasksFrom) {
  const auto statement = [&](int landlock) {
    IsolationOptions options = options_.isolation;
    options.most_landlock = landlock;
    return TaskIsolation::open(options, folder_ + "/statement")->statement();
  };
  EXPECT_THAT(statement(0), HasSubstr(", processes of containers that share a GPU among one another"));
  if (landlock_version() == 0) GTEST_SKIP() << "the kernel has no Landlock";
  EXPECT_THAT(statement(5), HasSubstr(", signals to processes of containers that share a GPU"));
  options_.isolation.task_user = "daemon";
  EXPECT_THAT(statement(5), HasSubstr(", signals to processes of that user"));
  options_.isolation.mounts = false;
  EXPECT_THAT(statement(5), HasSubstr(", the list of processes"));
}

TEST_F(TaskIsolationTest, ANumberIsNotReleasedWhileAProcessOfItLives) {
  const auto uid = uid_t(std::stoll(output_of(task_shell("id -u"))));
  const pid_t stray = ::fork();
  if (stray == 0) {
    if (::setresuid(uid, uid, uid) != 0) ::_exit(2);
    write_file(hidden_ + "/work/stray", "ready", 0644);
    for (;;) ::pause();
  }
  await_file(hidden_ + "/work/stray");
  EXPECT_TRUE(run(driver_->clean_up(task_.arn)));
  int status = 0;
  EXPECT_EQ(::waitpid(stray, &status, WNOHANG), stray) << "it was killed before the number was released";
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST_F(TaskIsolationTest, AUserMayLowerPrivilegesButNotRaiseThem) {
  for (const char* user : {"root", "0", "0:0", "daemon", "nobody:0"}) {
    EXPECT_THAT(error_of(user), HasSubstr("may have more rights than the task's own user")) << user;
  }
  EXPECT_THAT(error_of("no-such-user"), HasSubstr("unable to find user"));
  ContainerSpec container = task_shell("id -u; echo x > file && cat file; grep NoNewPrivs /proc/self/status");
  container.container.dockerConfig.config = R"({"User": "nobody"})";
  const std::string text = output_of(std::move(container));
  EXPECT_GT(std::stoll(text), kFirst) << "the task's own user";
  EXPECT_THAT(text, testing::EndsWith("\nx\nNoNewPrivs:\t1\n"));
}

TEST_F(TaskIsolationTest, OneUserForAllTasksByTheOperatorsChoice) {
  options_.isolation.task_user = "daemon";
  open();
  EXPECT_EQ(output_of(task_shell("id -un; cat " + hidden_ + "/credentials || echo hidden; echo x > file")),
            "daemon\nhidden\ncat: " + hidden_ + "/credentials: No such file or directory\n");
  EXPECT_THAT(error_of("nobody"), HasSubstr("tasks of this machine run as user daemon"));
  EXPECT_EQ(error_of("daemon"), "");
}

TEST_F(TaskIsolationTest, AWorkerProgramBehindAClosedFolderIsVisible) {
  const std::string closed = shared_ + "/closed";
  ::mkdir(closed.c_str(), 0700);
  ::mkdir((closed + "/bin").c_str(), 0700);
  write_file(closed + "/bin/stoker-work", "#!/bin/sh\necho worked $1\n", 0755);
  write_file(closed + "/bin/other", "other\n", 0644);
  options_.programs.worker = closed + "/bin/stoker-work";
  options_.programs.files = {closed + "/bin/stoker-work"};
  open();
  ContainerSpec container = spec({"/stoker/stoker-work", "hard"});
  container.container.dockerConfig.config = R"({"Labels": {"stoker.worker": "1"}})";
  EXPECT_EQ(output_of(std::move(container)), "worked hard\n");
  EXPECT_EQ(output_of(task_shell("cat " + closed + "/bin/other && echo read")).find("read"), std::string::npos);
}

TEST_F(TaskIsolationTest, ContainersThatShareAGpuHaveTheSameUser) {
  ContainerSpec container = task_shell("id -u; echo x > $PIPES/x && echo y > file && cat file");
  container.container.environment["PIPES"] = hidden_ + "/mps";
  container.mps_folders = {hidden_ + "/mps"};
  ::mkdir((hidden_ + "/mps").c_str(), 0755);
  ::chmod((hidden_ + "/mps").c_str(), 0777);
  EXPECT_EQ(output_of(std::move(container)), std::to_string(kFirst) + "\ny\n");
}

TEST_F(TaskIsolationTest, WithoutMountNamespacesATaskStillHasItsUserAndItsFolder) {
  options_.isolation.mounts = false;
  open();
  const std::string text = output_of(task_shell("id -u; echo x > file && cat file; cat " + hidden_ + "/credentials && echo read"));
  EXPECT_GT(std::stoll(text), kFirst);
  EXPECT_THAT(text, HasSubstr("\nx\n"));
  if (landlock_version() > 0) {
    EXPECT_THAT(text, Not(HasSubstr("read")));
  }
}

TEST_F(TaskIsolationTest, TheTasksOutputMayBeOpenedByName) {
  EXPECT_EQ(output_of(task_shell("echo one > /dev/stdout; echo two > /dev/stderr")), "one\ntwo\n");
}

// Runs the body as nobody in another process.
void as_nobody(const std::function<void()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const passwd* nobody = ::getpwnam("nobody");
    if (::setgid(nobody->pw_gid) != 0 || ::setuid(nobody->pw_uid) != 0) ::_exit(2);
    ::prctl(PR_SET_DUMPABLE, 1);  // as after exec
    body();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

class NotRootTest : public TaskIsolationTest {
 protected:
  void SetUp() override {
    TaskIsolationTest::SetUp();
    if (IsSkipped()) return;
    const passwd* nobody = ::getpwnam("nobody");
    own_ = shared_ + "/own";
    for (const std::string& folder : {own_, own_ + "/data"}) {
      ::mkdir(folder.c_str(), 0700);
      EXPECT_EQ(::chown(folder.c_str(), nobody->pw_uid, nobody->pw_gid), 0);
    }
    write_file(own_ + "/data/credentials", "secret", 0600);
    write_file(own_ + "/beside", "beside\n", 0644);
    for (const char* file : {"/data/credentials", "/beside"}) {
      EXPECT_EQ(::chown((own_ + file).c_str(), nobody->pw_uid, nobody->pw_gid), 0);
    }
  }

  // Called as nobody.
  std::string attack(bool mounts) {
    options_.folder = own_ + "/data/processes";
    options_.isolation = {};
    options_.isolation.mounts = mounts;
    options_.isolation.hidden = {own_ + "/data"};
    open();
    ContainerSpec container = shell("cat " + own_ + "/data/credentials && echo read; cat " + own_ + "/beside; id -u; kill -0 " +
                                    std::to_string(::getpid()) + " && echo signalled; echo x > file && cat file; cat /proc/" +
                                    std::to_string(::getpid()) + "/environ > environ && echo traced");
    container.work_folder = own_ + "/data/work";
    container.log_file = own_ + "/log";
    ::mkdir(container.work_folder.c_str(), 0700);
    run_to_end(std::move(container));
    std::string text;
    for (const LogLine& line : LogReader(own_ + "/log").read(1000)) text += line.stream == "stdout" ? line.text + "\n" : "";
    const auto left = run(driver_->list());
    for (const Found& process : *left) EXPECT_TRUE(run(driver_->remove(process.id)));
    return text;
  }

  std::string own_;
};

TEST_F(NotRootTest, WithUserNamespacesTheFoldersAreHidden) {
  as_nobody([&] { write_file(own_ + "/data/possible", can_enter_mounts(true) ? "yes" : "no", 0644); });
  std::string answer;
  std::ifstream(own_ + "/data/possible") >> answer;
  if (answer != "yes") GTEST_SKIP() << "this machine permits no user namespaces";
  as_nobody([&] {
    const std::string text = attack(true);
    EXPECT_THAT(text, testing::StartsWith("beside\n65534\n"));
    EXPECT_THAT(text, HasSubstr("x\n"));
    EXPECT_THAT(text, Not(testing::AnyOf(HasSubstr("read"), HasSubstr("traced"), HasSubstr("secret"))));
    if (landlock_version() >= 6) {
      EXPECT_THAT(text, Not(HasSubstr("signalled")));
    }
  });
}

TEST_F(NotRootTest, WithLandlockAloneTheFoldersAreDenied) {
  if (landlock_version() == 0) GTEST_SKIP() << "the kernel has no Landlock";
  as_nobody([&] {
    const std::string text = attack(false);
    EXPECT_THAT(text, testing::StartsWith("beside\n65534\n"));
    EXPECT_THAT(text, HasSubstr("x\n"));
    EXPECT_THAT(text, Not(testing::AnyOf(HasSubstr("read"), HasSubstr("traced"), HasSubstr("secret"))));
  });
}

TEST_F(NotRootTest, AnotherUserIsRejected) {
  as_nobody([&] {
    IsolationOptions options;
    options.task_user = "root";
    const auto opened = TaskIsolation::open(options, own_);
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error(), HasSubstr("only an agent of root"));
    EXPECT_THAT(TaskIsolation::open({}, own_)->statement(), HasSubstr("tasks run as the agent's user"));
  });
}

}  // namespace
}  // namespace agent::drivers
