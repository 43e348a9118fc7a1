// SPDX-License-Identifier: Apache-2.0
// PostgreSQL only: connections that break, the lock against a second server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <thread>

#include "store/postgres_test_proxy.h"
#include "store/test_database.h"

namespace store {
namespace {

using testing::HasSubstr;

const std::vector<Migrations> kPostgresTables{{"test", {"CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)"}}};

std::string postgres_error_of(const std::function<void()>& fn) {
  try {
    fn();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

TEST(PostgresStore, AZeroByteInTextIsRejected) {
  PostgresTestDatabase database;
  auto store = database.open(kPostgresTables);
  EXPECT_EQ(postgres_error_of([&] {
              store->write_now([](Tx& tx) { tx.exec("INSERT INTO items (name) VALUES ($1)", std::string("a\0b", 3)); });
            }),
            "PostgreSQL text cannot hold a zero byte");
  store->write_now([](Tx& tx) { tx.exec("INSERT INTO items (name) VALUES ($1)", "a"); });
}

TEST(PostgresStore, AnUnreachableServerIsAnErrorOfOneLine) {
  EXPECT_THAT(postgres_error_of([] { open_postgres("host=/nowhere dbname=x", kPostgresTables); }),
              HasSubstr("cannot connect to PostgreSQL: "));
}

TEST(PostgresStore, AWorkWhoseConnectionBreaksFailsAndTheNextReconnects) {
  PostgresTestDatabase database;
  auto store = database.open(kPostgresTables);
  EXPECT_THAT(postgres_error_of([&] {
                store->write_now([](Tx& tx) {
                  tx.exec("INSERT INTO items (name) VALUES ('lost')");
                  tx.exec("SELECT pg_terminate_backend(pg_backend_pid())");
                });
              }),
              HasSubstr("the connection to PostgreSQL was lost"));
  for (int i = 0; i < 20; ++i) store->write_now([](Tx& tx) { tx.exec("INSERT INTO items (name) VALUES ('kept')"); });
  EXPECT_EQ(database.value("SELECT count(*) FROM items WHERE name = 'kept'"), "20");
  EXPECT_EQ(database.value("SELECT count(*) FROM items WHERE name = 'lost'"), "0");
}

TEST(PostgresStore, ConnectionsThatBreakWhileIdleFailNoWork) {
  PostgresTestDatabase database;
  auto store = database.open(kPostgresTables);
  auto write_some = [&] {
    for (int i = 0; i < 20; ++i) store->write_now([](Tx& tx) { tx.exec("INSERT INTO items (name) VALUES ('a')"); });
  };
  write_some();
  database.value(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
      "WHERE datname = current_database() AND pid <> pg_backend_pid()");
  write_some();
  EXPECT_EQ(database.value("SELECT count(*) FROM items"), "40");
}

TEST(PostgresStore, AConnectionThatBreaksBeforeTheCommitWritesNothing) {
  PostgresTestDatabase database;
  // The trigger ends the connection in the middle of COMMIT.
  auto store = database.open(kPostgresTables);
  database.value(
      "CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS "
      "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10); RETURN NULL; END'");
  database.value(
      "CREATE CONSTRAINT TRIGGER leaving AFTER INSERT ON items INITIALLY DEFERRED "
      "FOR EACH ROW EXECUTE FUNCTION leave()");
  auto write = [&] { store->write_now([](Tx& tx) { tx.exec("INSERT INTO items (name) VALUES ('a')"); }); };
  EXPECT_THAT(postgres_error_of(write),
              HasSubstr("lost while committing: nothing was written"));
  EXPECT_EQ(database.value("SELECT count(*) FROM items"), "0");
}

TEST(PostgresStore, ACommitWhoseResponseIsLostSucceeds) {
  PostgresTestDatabase database;
  TemporaryFolder folder;
  PostgresTestProxy proxy(database.host(), folder.path());
  auto store = open_postgres(database.target() + " host=" + folder.path(), kPostgresTables);
  store->write_now([](Tx& tx) { tx.exec("INSERT INTO items (name) VALUES ('before')"); });
  proxy.lose_next_commit();
  bool committed = false;
  store->write_now([&](Tx& tx) {
    tx.on_end([&](bool kept) { committed = kept; });
    tx.exec("INSERT INTO items (name) VALUES ('a')");
  });
  EXPECT_TRUE(committed);
  EXPECT_EQ(database.value("SELECT string_agg(name, ',' ORDER BY id) FROM items"), "before,a");
  store.reset();
}

TEST(PostgresStore, ASecondServerIsRejected) {
  PostgresTestDatabase database;
  auto store = database.open(kPostgresTables);
  const std::string error = postgres_error_of([&] { database.open(kPostgresTables); });
  EXPECT_THAT(error, HasSubstr("the PostgreSQL database 'test"));
  EXPECT_THAT(error, HasSubstr("is in use by another Stoker server: PostgreSQL's session "));
  store.reset();
  EXPECT_EQ(postgres_error_of([&] { database.open(kPostgresTables); }), "");
}

constexpr const char* kEndAllSessions =
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()";

TEST(PostgresStore, AServerThatLostItsLockToAnotherExitsInsteadOfWriting) {
  PostgresTestDatabase database;
  auto lose_the_lock = [&] {
    auto first = database.open(kPostgresTables);
    database.value(kEndAllSessions);
    auto second = database.open(kPostgresTables);
    first->write_now([](Tx& tx) { tx.exec("INSERT INTO items (name) VALUES ('late')"); });
  };
  EXPECT_EXIT(lose_the_lock(), testing::ExitedWithCode(1), "another Stoker server has taken over");
  EXPECT_EQ(database.value("SELECT count(*) FROM items"), "0");
}

TEST(PostgresStore, AServerExitsEvenIfTheOtherOneHasGone) {
  PostgresTestDatabase database;
  auto lose_the_lock = [&] {
    auto first = database.open(kPostgresTables);
    database.value(kEndAllSessions);
    database.open(kPostgresTables).reset();
    first->write_now([](Tx& tx) { tx.exec("INSERT INTO items (name) VALUES ('late')"); });
  };
  EXPECT_EXIT(lose_the_lock(), testing::ExitedWithCode(1), "another Stoker server has taken over");
}

TEST(PostgresStore, WorksThatWaitTogetherShareATransaction) {
  PostgresTestDatabase database;
  auto store = database.open(kPostgresTables);
  std::promise<void> gate_reached, gathered;
  std::shared_future<void> all_queued = gathered.get_future().share();
  store->write(
      [&gate_reached, all_queued](Tx&) {
        gate_reached.set_value();
        all_queued.wait();
      },
      [](std::exception_ptr) {});
  // From here on no work can join the batch of the gate.
  gate_reached.get_future().wait();
  for (int i = 0; i < 20; ++i) {
    store->write([](Tx& tx) { tx.exec("INSERT INTO items (name) VALUES ('a')"); }, [](std::exception_ptr) {});
  }
  gathered.set_value();
  store.reset();
  EXPECT_EQ(database.value("SELECT count(*) FROM items"), "20");
  EXPECT_EQ(database.value("SELECT count(DISTINCT xmin::text) FROM items"), "1");
}

TEST(PostgresStore, WhenTheServerIsGoneEveryWaitingWorkFails) {
  PostgresTestDatabase database;
  TemporaryFolder folder;
  std::atomic<int> failed = 0;
  std::unique_ptr<Store> store;
  {
    PostgresTestProxy proxy(database.host(), folder.path());
    store = open_postgres(database.target() + " host=" + folder.path(), kPostgresTables);
    database.value(kEndAllSessions);
  }
  std::filesystem::remove(folder.path() + "/.s.PGSQL.5432");
  for (int i = 0; i < 20; ++i) {
    store->write([](Tx& tx) { tx.exec("INSERT INTO items (name) VALUES ('a')"); },
                 [&](std::exception_ptr error) { failed += error ? 1 : 0; });
  }
  store.reset();
  EXPECT_EQ(failed, 20);
}

TEST(PostgresStore, ServersThatStartTogetherMigrateOnce) {
  PostgresTestDatabase database;
  std::vector<std::thread> threads;
  auto start = [&] { EXPECT_EQ(postgres_error_of([&] { database.open(kPostgresTables); }), ""); };
  for (int i = 0; i < 4; ++i) threads.emplace_back(start);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(database.value("SELECT version FROM schema_versions"), "1");
}

}  // namespace
}  // namespace store
