// SPDX-License-Identifier: Apache-2.0
// What only PostgreSQL has: a connection that may be lost, writers side by side.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "store/test_database.h"

namespace store {
namespace {

using testing::HasSubstr;

const std::vector<Migrations> kTables{{"test", {"CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)"}}};

std::string error_of(const std::function<void()>& fn) {
  try {
    fn();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

TEST(PostgresStore, AZeroByteInTextIsRefused) {
  PostgresTestDatabase database;
  auto store = database.open(kTables);
  EXPECT_EQ(error_of([&] {
              store->write_now([](Tx& tx) { tx.exec("INSERT INTO items (name) VALUES ($1)", std::string("a\0b", 3)); });
            }),
            "PostgreSQL text cannot hold a zero byte");
  store->write_now([](Tx& tx) { tx.exec("INSERT INTO items (name) VALUES ($1)", "a"); });
}

TEST(PostgresStore, AServerThatIsNotThereIsSaidInOneLine) {
  EXPECT_THAT(error_of([] { open_postgres("host=/nowhere dbname=x", kTables); }),
              HasSubstr("cannot connect to PostgreSQL: "));
}

TEST(PostgresStore, AWorkWhoseConnectionIsLostFailsAndTheNextConnectsAgain) {
  PostgresTestDatabase database;
  auto store = database.open(kTables);
  EXPECT_THAT(error_of([&] {
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

TEST(PostgresStore, ConnectionsLostWhileIdleAreNobodysFailure) {
  PostgresTestDatabase database;
  auto store = database.open(kTables);
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

TEST(PostgresStore, AConnectionLostWhileCommittingLeavesTheOutcomeOpen) {
  PostgresTestDatabase database;
  // The trigger ends the connection in the middle of COMMIT.
  auto store = database.open(kTables);
  database.value(
      "CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS "
      "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10); RETURN NULL; END'");
  database.value(
      "CREATE CONSTRAINT TRIGGER leaving AFTER INSERT ON items INITIALLY DEFERRED "
      "FOR EACH ROW EXECUTE FUNCTION leave()");
  EXPECT_THAT(error_of([&] { store->write_now([](Tx& tx) { tx.exec("INSERT INTO items (name) VALUES ('a')"); }); }),
              HasSubstr("it is not known whether the write was kept"));
}

// Each reads what the other writes: one of them must run again.
TEST(PostgresStore, WritesThatWouldNotBeSerialAreRunAgain) {
  PostgresTestDatabase database;
  auto store = database.open(kTables);
  std::atomic<int> runs = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      store->write_now([&](Tx& tx) {
        auto seen = tx.query("SELECT count(*) FROM items").integer();
        // The first two meet here; whoever runs again does not wait.
        for (++runs; runs < 2;) std::this_thread::yield();
        tx.exec("INSERT INTO items (name) VALUES ($1)", std::to_string(seen));
      });
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(database.value("SELECT string_agg(name, ',' ORDER BY name) FROM items"), "0,1");
}

TEST(PostgresStore, ProgramsThatStartAtOnceMigrateOnce) {
  PostgresTestDatabase database;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_EQ(error_of([&] { database.open(kTables); }), ""); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(database.value("SELECT version FROM schema_versions"), "1");
}

}  // namespace
}  // namespace store
