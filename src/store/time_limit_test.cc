// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sqlite_time_limit.h"
#include "store/sqlite_writer.h"
#include "store/test_database.h"

namespace store {
namespace {

constexpr std::chrono::milliseconds kShort{1};
constexpr char kEndless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

TEST(TimeLimit, AnEndlessStatementEndsAndTheConnectionStaysUsable) {
  SqliteConnection connection(":memory:", SqliteConnection::Mode::ReadWrite);
  {
    const SqliteTimeLimit limit(connection, kShort);
    EXPECT_THROW(connection.prepare(kEndless).run({}, nullptr), OverTime);
  }
  EXPECT_NO_THROW(connection.prepare("SELECT 1").run({}, nullptr));
}

TEST(TimeLimit, AnEndlessWriteOfAnAccountFailsAloneInItsBatch) {
  SqliteConnection connection(":memory:", SqliteConnection::Mode::ReadWrite);
  connection.exec("CREATE TABLE names (name)");
  SqliteWriter writer(connection, kShort);
  std::vector<Job> jobs(3);
  for (int i : {0, 2}) jobs[i].work = [i](Tx& tx) { tx.exec("INSERT INTO names VALUES ($1)", i); };
  jobs[1].account = "a";
  jobs[1].work = [](Tx& tx) {
    tx.exec("INSERT INTO names WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n");
  };
  EXPECT_EQ(writer.commit(jobs), 3u);
  EXPECT_FALSE(jobs[0].error);
  EXPECT_FALSE(jobs[2].error);
  EXPECT_THROW(std::rethrow_exception(jobs[1].error), OverTime);
  std::int64_t rows = 0;
  connection.prepare("SELECT count(*) FROM names").run({}, [&](const Row& row) { rows = row.integer(0); });
  EXPECT_EQ(rows, 2);
}

// Whether it writes at that time, and SQLite ends the transaction of all, or reads.
TEST(TimeLimit, AWorkThatTookTooLongRunsOnceAndItsNeighboursOnceMore) {
  SqliteConnection connection(":memory:", SqliteConnection::Mode::ReadWrite);
  connection.exec("CREATE TABLE names (name)");
  SqliteWriter writer(connection, kShort);
  std::vector<Job> jobs(4);
  std::vector<int> runs(4);
  for (int i : {0, 3}) {
    jobs[i].work = [i, &runs](Tx& tx) {
      ++runs[i];
      tx.exec("INSERT INTO names VALUES ($1)", i);
    };
  }
  jobs[1].account = jobs[2].account = "a";
  jobs[1].work = [&](Tx& tx) {
    ++runs[1];
    tx.exec(std::string("INSERT INTO names ") + kEndless);
  };
  jobs[2].work = [&](Tx& tx) {
    ++runs[2];
    tx.exec("INSERT INTO names VALUES (2)");
    tx.exec(kEndless);
  };
  EXPECT_EQ(writer.commit(jobs), 4u);
  EXPECT_THAT(runs, testing::ElementsAre(3, 1, 1, 1));
  for (int i : {0, 3}) EXPECT_FALSE(jobs[i].error);
  for (int i : {1, 2}) EXPECT_THROW(std::rethrow_exception(jobs[i].error), OverTime);
  std::int64_t rows = 0;
  connection.prepare("SELECT sum(name) FROM names").run({}, [&](const Row& row) { rows = row.integer(0); });
  EXPECT_EQ(rows, 3);
}

TEST(TimeLimit, AWorkThatTookTooLongIsNotRunAgainWhenTheBatchIsCutBeforeIt) {
  SqliteConnection connection(":memory:", SqliteConnection::Mode::ReadWrite);
  connection.exec("CREATE TABLE names (name)");
  SqliteWriter writer(connection, kShort);
  std::vector<Job> jobs(2);
  jobs[0].work = [](Tx& tx) { tx.exec("INSERT INTO names VALUES (0)"); };
  jobs[1].account = "a";
  int runs = 0;
  jobs[1].work = [&](Tx& tx) {
    ++runs;
    tx.exec(std::string("INSERT INTO names ") + kEndless);
  };
  EXPECT_EQ(writer.commit(jobs, [&] { return runs == 1; }), 1u);
  EXPECT_EQ(writer.commit(std::span(jobs).subspan(1)), 1u);
  EXPECT_EQ(runs, 1);
  EXPECT_THROW(std::rethrow_exception(jobs[1].error), OverTime);
}

TEST(TimeLimit, ABatchThatIsCutLeavesTheRest) {
  SqliteConnection connection(":memory:", SqliteConnection::Mode::ReadWrite);
  connection.exec("CREATE TABLE names (name)");
  SqliteWriter writer(connection);
  std::vector<Job> jobs(3);
  int ran = 0;
  for (Job& job : jobs) {
    job.work = [&ran](Tx& tx) {
      tx.exec("INSERT INTO names VALUES ('x')");
      ++ran;
    };
  }
  EXPECT_EQ(writer.commit(jobs, [&] { return ran == 2; }), 2u);
  EXPECT_EQ(ran, 2);
  EXPECT_TRUE(connection.autocommit());
}

}  // namespace
}  // namespace store
