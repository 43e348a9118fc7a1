// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/environment_download.h"

#include "agent/tasks/test_machine.h"

namespace agent {
namespace {

namespace asio = boost::asio;

const std::string kReasonPrefix =
    "ResourceInitializationError: failed to download env files: file download command: non empty error stream: ";

class EnvironmentDownload : public MachineTest {
 protected:
  EnvironmentDownload() { serve_objects(); }

  void serve_objects() {
    machine_->read_object = [this](const TaskRecord&, client::ObjectName name) { return read(std::move(name)); };
  }

  // Accepts a task whose only container has these files.
  shapes::agent::Task accept(const std::vector<std::string>& keys, shapes::agent::Container container) {
    for (const std::string& key : keys) container.environmentFiles.push_back({"s3", "arn:aws:s3:::bucket/" + key});
    auto task = test_task("t", {container});
    tasks_->accept(task);
    return task;
  }
  shapes::agent::Task accept(const std::vector<std::string>& keys) { return accept(keys, test_container("main")); }

  const std::map<std::string, std::string>& environment() {
    return driver_.boxes.begin()->second.spec.container.environment;
  }

  std::map<std::string, std::string> objects_;  // by "bucket/key"
  std::string error_;                           // the error of every read; "": none
  int reads_ = 0;
  bool endless_ = false;  // no read() returns

 private:
  asio::awaitable<client::ObjectRead> read(client::ObjectName name) {
    ++reads_;
    while (endless_) {
      co_await machine_->changed.wait(kLongestWait);
    }
    client::ObjectRead answer{base::Error{"NoSuchKey: not there. status code: 404"}};
    const auto found = objects_.find(name.bucket + "/" + name.key);
    if (found != objects_.end()) answer.bytes = found->second;
    if (!error_.empty()) answer = client::ObjectRead{base::Error{error_}, true};
    co_return answer;
  }
};

TEST_F(EnvironmentDownload, FileVariablesYieldToTheContainersAndOverrideTheMachines) {
  objects_["bucket/a.env"] = "FILE=a\nOWN=file\nLAUNCH=file\nREGION=file\n";
  machine_->environment = [](const TaskRecord&, const ContainerRecord&) {
    return std::map<std::string, std::string>{{"REGION", "machine"}, {"MACHINE", "machine"}};
  };
  auto container = test_container("main");
  container.environment = {{"OWN", "definition"}};
  container.overrides = R"({"environment":{"LAUNCH":"launch"}})";
  accept({"a.env"}, container);
  until([&] { return driver_.runs("main"); });
  EXPECT_EQ(
      environment(),
      (std::map<std::string, std::string>{
          {"FILE", "a"}, {"LAUNCH", "launch"}, {"MACHINE", "machine"}, {"OWN", "definition"}, {"REGION", "file"}}));
}

TEST_F(EnvironmentDownload, TheFirstFileThatSetsAVariableWins) {
  objects_["bucket/1.env"] = "A=first\nB=first\n";
  objects_["bucket/2.env"] = "A=second\nC=second\n";
  accept({"1.env", "2.env"});
  until([&] { return driver_.runs("main"); });
  EXPECT_EQ(environment(), (std::map<std::string, std::string>{{"A", "first"}, {"B", "first"}, {"C", "second"}}));
}

TEST_F(EnvironmentDownload, AMissingFileStopsTheTaskBeforeAnyImageIsPulled) {
  auto task = accept({"dir/gone.env"}, test_container("main", false));
  until([&] { return ended(task); });
  EXPECT_EQ(driver_.events, std::vector<std::string>());
  EXPECT_EQ(record(task).reason, kReasonPrefix +
                                     "unable to download env file with key dir/gone.env from bucket bucket, "
                                     "error: NoSuchKey: not there. status code: 404");
  EXPECT_FALSE(container(task, 0).exitCode);
  EXPECT_EQ(reads_, 1);
}

TEST_F(EnvironmentDownload, AMissingFileOfANonEssentialContainerStopsTheWholeTask) {
  auto broken = test_container("broken", false);
  broken.environmentFiles = {{"s3", "arn:aws:s3:::bucket/gone.env"}};
  auto task = test_task("t", {test_container("main"), broken});
  tasks_->accept(task);
  until([&] { return ended(task); });
  EXPECT_EQ(record(task).reason.substr(0, kReasonPrefix.size()), kReasonPrefix);
}

TEST_F(EnvironmentDownload, AnInvalidFileStopsTheTaskAndTheReasonNamesTheLine) {
  objects_["bucket/a.env"] = "A=1\nB=\xff\n";
  auto task = accept({"a.env"});
  until([&] { return ended(task); });
  EXPECT_EQ(
      record(task).reason,
      kReasonPrefix + "unable to read env file with key a.env from bucket bucket, error: invalid utf8 bytes at line 2");
}

TEST_F(EnvironmentDownload, AnInvalidArnStopsTheTask) {
  auto container = test_container("main");
  container.environmentFiles = {{"s3", "s3://bucket/a.env"}};
  auto task = accept({}, container);
  until([&] { return ended(task); });
  EXPECT_EQ(record(task).reason, kReasonPrefix + "invalid s3 arn: s3://bucket/a.env");
}

TEST_F(EnvironmentDownload, ADownloadIsRetriedWhileTheServerDoesNotRespond) {
  objects_["bucket/a.env"] = "A=1\n";
  error_ = "no response";
  accept({"a.env"});
  until([&] { return reads_ > 3; });
  EXPECT_FALSE(driver_.happened("pull busybox"));
  error_.clear();
  until([&] { return driver_.runs("main"); });
  EXPECT_EQ(environment().at("A"), "1");
}

TEST_F(EnvironmentDownload, ADownloadFailsAfterAMinuteWithoutAResponse) {
  error_ = "no response";
  auto task = accept({"a.env"});
  until([&] { return reads_ > 3; });
  EXPECT_FALSE(ended(task));
  clock_.advance(std::chrono::minutes(1));
  until([&] { return ended(task); });
  EXPECT_NE(record(task).reason.find("no response"), std::string::npos);
}

TEST_F(EnvironmentDownload, StoppingTheTaskEndsTheRetries) {
  error_ = "no response";
  auto task = accept({"a.env"});
  until([&] { return reads_ > 1; });
  tasks_->stop(task.arn, "user request");
  until([&] { return ended(task); });
  EXPECT_EQ(record(task).reason, "user request");
}

TEST_F(EnvironmentDownload, ARestartedAgentDownloadsTheFilesAgain) {
  objects_["bucket/a.env"] = "A=1\n";
  endless_ = true;
  accept({"a.env"});
  until([&] { return reads_ == 1; });
  end_agent();
  endless_ = false;
  begin_agent();
  serve_objects();
  run(tasks_->adopt());
  until([&] { return driver_.runs("main"); });
  EXPECT_EQ(environment().at("A"), "1");
}

client::Profile agent_profile() {
  client::Profile profile;
  profile.endpoint = "http://server:4566";
  profile.credentials = {"AGENT", "s", ""};
  profile.region = "eu-west-1";
  profile.ca_file = "ca.pem";
  return profile;
}

shapes::agent::Credentials credentials(const std::string& id) {
  shapes::agent::Credentials credentials;
  credentials.accessKeyId = id;
  credentials.sessionToken = "token of " + id;
  return credentials;
}

TEST(ObjectsProfile, UsesTheCredentialsOfTheExecutionRoleThenTheTaskRoleAndNotTheMachines) {
  auto task = test_task("t", {});
  EXPECT_FALSE(objects_profile(agent_profile(), task));
  task.roleCredentials = credentials("TASK");
  EXPECT_EQ(objects_profile(agent_profile(), task)->credentials.access_key, "TASK");
  task.executionRoleCredentials = credentials("EXECUTION");
  const client::Profile profile = *objects_profile(agent_profile(), task);
  EXPECT_EQ(profile.credentials.access_key, "EXECUTION");
  EXPECT_EQ(profile.credentials.session_token, "token of EXECUTION");
  EXPECT_EQ(profile.endpoint, "http://server:4566");
  EXPECT_EQ(profile.region, "eu-west-1");
  EXPECT_EQ(profile.ca_file, "ca.pem");
}

}  // namespace
}  // namespace agent
