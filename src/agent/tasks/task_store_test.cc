// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/task_store.h"

#include <fstream>

#include "agent/durable_file.h"
#include "agent/tasks/test_machine.h"

namespace agent {
namespace {

TEST(TaskStore, ASavedRecordIsLoadedUnchanged) {
  TestFolder folder;
  TaskRecord record = new_record(test_task("t1", {test_container("main"), test_container("side", false)}));
  record.containers[0].status = kRunning;
  record.containers[0].startedAt = base::from_millis(1234567);
  record.containers[0].bindings = {{.bindIP = "0.0.0.0", .containerPort = 80, .hostPort = 32768}};
  record.containers[1].exitCode = 3;
  record.reason = "user request";
  TaskStore(folder.path).save(record);
  std::vector<TaskRecord> loaded = TaskStore(folder.path).load();
  ASSERT_EQ(loaded.size(), 1u);
  EXPECT_EQ(loaded[0].task, record.task);
  EXPECT_EQ(loaded[0].containers[0].startedAt, base::from_millis(1234567));
  EXPECT_EQ(loaded[0].containers[0].bindings, record.containers[0].bindings);
  EXPECT_EQ(loaded[0].containers[1].exitCode, 3);
  EXPECT_FALSE(loaded[0].containers[0].exitCode);
  EXPECT_EQ(loaded[0].reason, "user request");
}

TEST(TaskStore, OnlyTheOwnerCanReadARecord) {
  TestFolder folder;
  TaskStore(folder.path).save(new_record(test_task("t1", {test_container("main")})));
  auto mode = std::filesystem::status(folder.path + "/tasks/t1.json").permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(TaskStore, ADamagedFileIsRenamedAndTheOthersAreLoaded) {
  TestFolder folder;
  TaskStore store(folder.path);
  store.save(new_record(test_task("good", {test_container("main")})));
  std::ofstream(folder.path + "/tasks/bad.json") << R"({"task": {"arn": )";
  std::ofstream(folder.path + "/tasks/other.json") << R"({"task": {"arn": "a/b"}})";
  std::vector<TaskRecord> loaded = store.load();
  ASSERT_EQ(loaded.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(folder.path + "/tasks/bad.json.damaged"));
  EXPECT_TRUE(std::filesystem::exists(folder.path + "/tasks/other.json.damaged"));
}

TEST(TaskStore, RemovingATaskDeletesItsLogsAndItsWorkFolder) {
  TestFolder folder;
  TaskStore store(folder.path);
  TaskRecord record = new_record(test_task("t1", {test_container("main")}));
  store.save(record);
  std::ofstream(store.log_file(record.task.arn, "main")) << "x";
  std::ofstream(store.work_folder(record.task.arn) + "/file") << "x";
  store.remove(record.task.arn);
  EXPECT_TRUE(store.load().empty());
  EXPECT_FALSE(std::filesystem::exists(folder.path + "/logs/t1"));
  EXPECT_FALSE(std::filesystem::exists(folder.path + "/work/t1"));
}

TEST(TaskStore, AWorkFolderThatTheTaskGotRemainsTheTasks) {
  TestFolder folder;
  TaskStore store(folder.path);
  const TaskRecord record = new_record(test_task("t1", {test_container("first"), test_container("second")}));
  const std::string work = store.work_folder(record.task.arn);
  const auto shared = std::filesystem::perms(0770);
  std::filesystem::permissions(work, shared);
  EXPECT_EQ(store.work_folder(record.task.arn), work);
  EXPECT_EQ(std::filesystem::status(work).permissions(), shared);
}

TEST(TaskStore, AnArnWithAnInvalidIdHasAnEmptyTaskId) {
  EXPECT_EQ(task_id("arn:aws:ecs:us-east-1:000000000000:task/default/3f2a"), "3f2a");
  EXPECT_EQ(task_id("arn:aws:ecs:us-east-1:000000000000:task/default/.."), "");
  EXPECT_EQ(task_id("arn/"), "");
}

TEST(FolderLock, TwoLocksOnOneFolderExcludeEachOther) {
  TestFolder folder;
  auto first = std::make_unique<FolderLock>(folder.path);
  EXPECT_THROW(FolderLock{folder.path}, std::runtime_error);
  first.reset();
  FolderLock again(folder.path);
}

}  // namespace
}  // namespace agent
