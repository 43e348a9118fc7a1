// SPDX-License-Identifier: Apache-2.0
// Behaviour that both engines share.
#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <limits>
#include <thread>

#include "store/test_database.h"

namespace store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<Migrations> kItemTables{
    {"test",
     {"CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT UNIQUE, size REAL, body BLOB);"
      "CREATE TABLE counters (name TEXT NOT NULL PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID"}}};

struct Engine {
  const char* name;
  std::unique_ptr<TestDatabase> (*make)();
};

class StoreTest : public testing::TestWithParam<Engine> {
 protected:
  void open(const std::vector<Migrations>& migrations = kItemTables) {
    store_.reset();
    store_ = database_->open(migrations);
  }

  std::int64_t count(const std::string& table) {
    std::int64_t found = -1;
    store_->read_now([&](Tx& tx) { found = tx.query("SELECT count(*) FROM " + table).integer(); });
    return found;
  }

  ErrorKind write_error(const Store::Work& work) {
    try {
      store_->write_now(work);
    } catch (const Error& error) {
      message_ = error.what();
      return error.kind();
    }
    ADD_FAILURE() << "no exception";
    return ErrorKind::Other;
  }

  std::string open_error(const std::vector<Migrations>& migrations) {
    try {
      open(migrations);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Other);
      return error.what();
    }
    return "";
  }

  std::unique_ptr<TestDatabase> database_ = GetParam().make();
  std::unique_ptr<Store> store_;
  std::string message_;
};

void add_item(Tx& tx, std::string_view name) { tx.exec("INSERT INTO items (name) VALUES ($1)", name); }
std::string to_str(const Row& row) { return row.str(0); }

TEST_P(StoreTest, ValuesRoundTrip) {
  open();
  const std::string text = "Grüße, 世界 🚀 'quoted' \"twice\"";
  const base::Blob blob{std::string("\0\xff\x00\x7f", 4)};
  const std::optional<base::Blob> no_blob;
  store_->write_now([&](Tx& tx) {
    tx.exec("INSERT INTO items (id, name, size, body) VALUES ($1, $2, $3, $4)",
            std::numeric_limits<std::int64_t>::max(), text, 0.1, blob);
    tx.exec("INSERT INTO items (id, name, size, body) VALUES ($1, $2, $3, $4)",
            std::numeric_limits<std::int64_t>::min(), nullptr, nullptr, no_blob);
    tx.exec("INSERT INTO items (id, name, size, body) VALUES (0, $1, $2, $3)", "", -1e300, base::Blob{});
  });
  store_->read_now([&](Tx& tx) {
    auto ids = tx.query("SELECT id FROM items ORDER BY id").all([](const Row& row) { return row.integer(0); });
    EXPECT_THAT(ids,
                ElementsAre(std::numeric_limits<std::int64_t>::min(), 0, std::numeric_limits<std::int64_t>::max()));
    tx.query("SELECT name, size, body FROM items WHERE id > 0").each([&](const Row& row) {
      EXPECT_EQ(row.text(0), text);
      EXPECT_EQ(row.real(1), 0.1);
      EXPECT_EQ(row.blob(2), blob);
      EXPECT_FALSE(row.is_null(0));
    });
    tx.query("SELECT name, size, body FROM items WHERE id < 0").each([](const Row& row) {
      for (int column : {0, 1, 2}) EXPECT_TRUE(row.is_null(column));
      EXPECT_EQ(row.maybe_str(0), std::nullopt);
    });
    tx.query("SELECT name, size, body FROM items WHERE id = 0").each([](const Row& row) {
      EXPECT_EQ(row.maybe_str(0), "");
      EXPECT_EQ(row.real(1), -1e300);
      EXPECT_FALSE(row.is_null(2));
      EXPECT_EQ(row.str(2), "");
    });
  });
}

TEST_P(StoreTest, InsertReturnsTheRowId) {
  open();
  store_->write_now([](Tx& tx) {
    for (const char* name : {"one", "two"}) {
      const std::int64_t id = tx.insert("INSERT INTO items (name) VALUES ($1)", name);
      EXPECT_EQ(tx.query("SELECT name FROM items WHERE id = $1", id).one(to_str), name);
    }
  });
}

TEST_P(StoreTest, SumsCountsAndBooleansAreNumbers) {
  open();
  store_->write_now([](Tx& tx) {
    tx.exec("INSERT INTO counters (name, count) VALUES ('a', 3), ('b', 4)");
    EXPECT_EQ(tx.query("SELECT sum(count) FROM counters").integer(), 7);
    EXPECT_EQ(tx.query("SELECT count(*) FROM counters").integer(), 2);
    EXPECT_EQ(tx.query("SELECT avg(count) FROM counters").one([](const Row& row) { return row.real(0); }), 3.5);
    EXPECT_EQ(tx.query("SELECT count > 3 FROM counters WHERE name = 'b'").integer(), 1);
    EXPECT_EQ(tx.query("SELECT max(count) FROM counters WHERE name = 'c'").integer(), 0);
  });
}

TEST_P(StoreTest, AParameterMayBeUsedTwiceAndInAnyOrder) {
  open();
  store_->write_now([](Tx& tx) {
    tx.exec("INSERT INTO counters (count, name) VALUES ($2, $1)", "a", 5);
    auto found =
        tx.query("SELECT name FROM counters WHERE count = $2 AND (name = $1 OR name = $1)", "a", 5).one(to_str);
    EXPECT_EQ(found, "a");
  });
}

TEST_P(StoreTest, AMissingParameterIsAnError) {
  open();
  EXPECT_EQ(write_error([](Tx& tx) { tx.exec("INSERT INTO counters (name, count) VALUES ($1, $2)", "a"); }),
            ErrorKind::Other);
}

TEST_P(StoreTest, TwoStatementsInOneTextAreAnError) {
  open();
  EXPECT_EQ(write_error([](Tx& tx) { tx.exec("DELETE FROM items; DELETE FROM counters"); }), ErrorKind::Other);
}

TEST_P(StoreTest, ExecReturnsTheNumberOfChangedRows) {
  open();
  store_->write_now([](Tx& tx) {
    EXPECT_EQ(tx.exec("INSERT INTO counters (name, count) VALUES ('a', 1), ('b', 1)"), 2);
    EXPECT_EQ(tx.exec("SELECT * FROM counters"), 0);
    EXPECT_EQ(tx.exec("UPDATE counters SET count = 2 WHERE name = 'c'"), 0);
    EXPECT_EQ(tx.exec("UPDATE counters SET count = 2"), 2);
    EXPECT_EQ(tx.exec("INSERT INTO counters (name, count) VALUES ('a', 9) ON CONFLICT DO NOTHING"), 0);
    EXPECT_EQ(tx.exec("CREATE TABLE made (x TEXT)"), 0);
    EXPECT_EQ(tx.exec("DELETE FROM counters WHERE name = 'a'"), 1);
  });
}

TEST_P(StoreTest, ReturningYieldsIncreasingIds) {
  open();
  std::int64_t first = 0;
  std::int64_t second = 0;
  store_->write_now([&](Tx& tx) {
    first = tx.query("INSERT INTO items (name) VALUES ($1) RETURNING id", "a").integer();
    second = tx.query("INSERT INTO items (name) VALUES ($1) RETURNING id", "b").integer();
  });
  EXPECT_GT(first, 0);
  EXPECT_GT(second, first);
}

TEST_P(StoreTest, AnInsertWithAConflictUpdates) {
  open();
  for (int expected : {1, 2, 3}) {
    std::int64_t now = 0;
    store_->write_now([&](Tx& tx) {
      now = tx.query(
                  "INSERT INTO counters (name, count) VALUES ($1, 1) "
                  "ON CONFLICT (name) DO UPDATE SET count = counters.count + 1 RETURNING count",
                  "hits")
                .integer();
    });
    EXPECT_EQ(now, expected);
  }
}

TEST_P(StoreTest, ARowsFunctionMayRunStatements) {
  open();
  store_->write_now([](Tx& tx) {
    for (const char* name : {"a", "b", "c"}) add_item(tx, name);
    const char* all = "SELECT name FROM items ORDER BY name";
    std::string seen;
    tx.query(all).each([&](const Row& outer) {
      seen += outer.str(0) + ":";
      tx.query(all).each([&](const Row& inner) { seen += inner.str(0); });
      tx.exec("INSERT INTO counters (name, count) VALUES ($1, 1)", outer.text(0));
      seen += ";";
    });
    EXPECT_EQ(seen, "a:abc;b:abc;c:abc;");
  });
  EXPECT_EQ(count("counters"), 3);
}

// On SQLite the transaction begins while a SELECT is still running.
TEST_P(StoreTest, AWorkMayReadFirstAndWriteWhileItReads) {
  open();
  store_->write_now([](Tx& tx) {
    for (const char* name : {"a", "b", "c"}) add_item(tx, name);
  });
  store_->write_now([](Tx& tx) {
    tx.query("SELECT name FROM items ORDER BY name").each([&](const Row& row) {
      tx.exec("INSERT INTO counters (name, count) VALUES ($1, 1)", row.text(0));
    });
  });
  EXPECT_EQ(count("counters"), 3);
}

TEST_P(StoreTest, TextIsOrderedByItsBytes) {
  open();
  store_->write_now([](Tx& tx) {
    for (const char* name : {"b", "B", "a", "Z", "é", "-", "a-b", "ab", "_"}) add_item(tx, name);
    auto names = tx.query("SELECT name FROM items ORDER BY name").all(to_str);
    EXPECT_THAT(names, ElementsAre("-", "B", "Z", "_", "a", "a-b", "ab", "b", "é"));
    auto after = tx.query("SELECT name FROM items WHERE name > $1 ORDER BY name LIMIT $2", "Z", 2).all(to_str);
    EXPECT_THAT(after, ElementsAre("_", "a"));
  });
}

TEST_P(StoreTest, LikeIsCaseSensitive) {
  open();
  store_->write_now([](Tx& tx) {
    add_item(tx, "Alpha");
    EXPECT_EQ(tx.query("SELECT count(*) FROM items WHERE name LIKE $1", "al%").integer(), 0);
    EXPECT_EQ(tx.query("SELECT count(*) FROM items WHERE name LIKE $1", "Al%").integer(), 1);
  });
}

TEST_P(StoreTest, AViolatedConstraintIsAConflictAndWritesNothing) {
  open();
  store_->write_now([](Tx& tx) { add_item(tx, "a"); });
  EXPECT_EQ(write_error([](Tx& tx) {
              add_item(tx, "b");
              add_item(tx, "a");
            }),
            ErrorKind::Conflict);
  EXPECT_EQ(count("items"), 1);
}

// PostgreSQL has aborted the transaction by then; SQLite must behave the same.
TEST_P(StoreTest, AWorkThatIgnoresAnErrorFails) {
  open();
  store_->write_now([](Tx& tx) { add_item(tx, "a"); });
  EXPECT_EQ(write_error([](Tx& tx) {
              try {
                add_item(tx, "a");
              } catch (const Error&) {
              }
            }),
            ErrorKind::Conflict);
  EXPECT_EQ(write_error([](Tx& tx) {
              try {
                add_item(tx, "a");
              } catch (const Error&) {
                add_item(tx, "b");
              }
            }),
            ErrorKind::Conflict);
  EXPECT_EQ(count("items"), 1);
}

TEST_P(StoreTest, InvalidSqlIsAnErrorOfOneLineThatQuotesIt) {
  open();
  EXPECT_EQ(write_error([](Tx& tx) { tx.exec("INSERT INTO\n nothing (x) VALUES (1)"); }), ErrorKind::Other);
  EXPECT_THAT(message_, HasSubstr("INSERT INTO  nothing"));
  EXPECT_EQ(message_.find('\n'), std::string::npos);
  store_->write_now([](Tx& tx) { add_item(tx, "a"); });
}

TEST_P(StoreTest, AWorkThatThrowsDoesNotAffectItsBatch) {
  open();
  constexpr int kWorks = 200;
  // While the first work waits, the others queue up and become one batch.
  std::promise<void> gathered;
  std::shared_future<void> all_queued = gathered.get_future().share();
  std::atomic<int> good = 0;
  std::atomic<int> bad = 0;
  store_->write([=](Tx&) { all_queued.wait(); }, [](std::exception_ptr) {});
  for (int i = 0; i < kWorks; ++i) {
    store_->write(
        [i](Tx& tx) {
          add_item(tx, "item " + std::to_string(i));
          if (i % 3 == 0) throw std::runtime_error("no");
        },
        [&](std::exception_ptr error) { ++(error ? bad : good); });
  }
  gathered.set_value();
  store_.reset();
  EXPECT_EQ(bad, 67);
  EXPECT_EQ(good, 133);
  EXPECT_EQ(database_->value("SELECT count(*) FROM items"), "133");
  EXPECT_EQ(database_->value("SELECT count(*) FROM items WHERE name IN ('item 0', 'item 3', 'item 198')"), "0");
}

TEST_P(StoreTest, ADeferredConstraintFailsOnlyTheWorkThatViolatesIt) {
  open({{"test",
         {"CREATE TABLE parents (id INTEGER PRIMARY KEY);"
          "CREATE TABLE children (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)"}}});
  std::promise<void> gathered;
  std::shared_future<void> all_queued = gathered.get_future().share();
  std::atomic<int> good = 0;
  std::atomic<int> bad = 0;
  store_->write([=](Tx&) { all_queued.wait(); }, [](std::exception_ptr) {});
  for (int i = 0; i < 6; ++i) {
    store_->write(
        [i](Tx& tx) {
          tx.exec("INSERT INTO parents (id) VALUES ($1)", i);
          if (i == 3) tx.exec("INSERT INTO children (parent) VALUES (99)");
        },
        [&](std::exception_ptr error) { ++(error ? bad : good); });
  }
  gathered.set_value();
  store_.reset();
  EXPECT_EQ(good, 5);
  EXPECT_EQ(bad, 1);
  EXPECT_EQ(database_->value("SELECT count(*) FROM parents"), "5");
}

TEST_P(StoreTest, EndCallbacksReportWhetherAWorkIsDurable) {
  open();
  std::vector<std::string> reported;
  auto report = [&reported](std::string name) {
    return [&reported, name](bool committed) { reported.push_back(name + (committed ? " kept" : " gone")); };
  };
  store_->write_now([&](Tx& tx) {
    tx.on_end(report("a"));
    add_item(tx, "one");
    tx.on_end(report("b"));
  });
  EXPECT_THROW(store_->write_now([&](Tx& tx) {
    tx.on_end(report("c"));
    tx.on_end(report("undone first"));
    throw std::runtime_error("no");
  }),
               std::runtime_error);
  store_->read_now([&](Tx& tx) { tx.on_end(report("d")); });
  EXPECT_THAT(reported, ElementsAre("a kept", "b kept", "undone first gone", "c gone", "d kept"));
}

TEST_P(StoreTest, AnExceptionOfAWorkReachesItsCaller) {
  open();
  EXPECT_THROW(store_->write_now([](Tx&) { throw std::out_of_range("x"); }), std::out_of_range);
  EXPECT_THROW(store_->read_now([](Tx&) { throw std::out_of_range("x"); }), std::out_of_range);
  EXPECT_THROW(store_->write_now([](Tx& tx) {
    tx.query("INSERT INTO items (name) VALUES ('a') RETURNING id").each([](const Row&) {
      throw std::out_of_range("x");
    });
  }),
               std::out_of_range);
  EXPECT_EQ(count("items"), 0);
}

TEST_P(StoreTest, AWorkIsCommittedBeforeItsCallback) {
  open();
  std::promise<std::string> seen;
  store_->write([](Tx& tx) { add_item(tx, "a"); },
                [&](std::exception_ptr error) {
                  EXPECT_FALSE(error);
                  seen.set_value(database_->value("SELECT name FROM items"));
                });
  EXPECT_EQ(seen.get_future().get(), "a");
}

TEST_P(StoreTest, RowsSurviveReopening) {
  open();
  store_->write_now([](Tx& tx) { add_item(tx, "a"); });
  open();
  EXPECT_EQ(count("items"), 1);
}

TEST_P(StoreTest, AReadSeesOneStateOfTheDatabase) {
  open();
  store_->write_now([](Tx& tx) { add_item(tx, "a"); });
  store_->read_now([&](Tx& tx) {
    EXPECT_EQ(tx.query("SELECT count(*) FROM items").integer(), 1);
    store_->write_now([](Tx& other) { add_item(other, "b"); });
    EXPECT_EQ(tx.query("SELECT count(*) FROM items").integer(), 1);
  });
  EXPECT_EQ(count("items"), 2);
}

TEST_P(StoreTest, AReadCannotWrite) {
  open();
  EXPECT_THROW(store_->read_now([](Tx& tx) { add_item(tx, "a"); }), Error);
  EXPECT_EQ(count("items"), 0);
}

TEST_P(StoreTest, CountersThatManyThreadsIncrementAreExact) {
  open();
  store_->write_now([](Tx& tx) { tx.exec("INSERT INTO counters (name, count) VALUES ('hits', 0)"); });
  constexpr int kThreads = 8;
  constexpr int kTimes = 500;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < kTimes; ++n) {
        store_->write_now([](Tx& tx) {
          auto now = tx.query("SELECT count FROM counters WHERE name = 'hits'").integer();
          tx.exec("UPDATE counters SET count = $1 WHERE name = 'hits'", now + 1);
        });
      }
    });
  }
  for (auto& thread : threads) thread.join();
  store_->read_now([](Tx& tx) {
    EXPECT_EQ(tx.query("SELECT count FROM counters WHERE name = 'hits'").integer(), kThreads * kTimes);
  });
}

TEST_P(StoreTest, TheCacheOfStatementsIsBounded) {
  open();
  store_->write_now([](Tx& tx) {
    for (int i = 0; i < 1200; ++i) {
      EXPECT_EQ(tx.query("SELECT count(*) + " + std::to_string(i) + " FROM items").integer(), i);
    }
  });
}

TEST_P(StoreTest, ClosingFinishesQueuedWorks) {
  open();
  std::atomic<int> answered = 0;
  for (int i = 0; i < 500; ++i) {
    store_->write([i](Tx& tx) { add_item(tx, std::to_string(i)); },
                  [&](std::exception_ptr error) { answered += error ? 0 : 1; });
  }
  store_.reset();
  EXPECT_EQ(answered, 500);
  EXPECT_EQ(database_->value("SELECT count(*) FROM items"), "500");
}

TEST_P(StoreTest, AWorkThatArrivesDuringClosingIsRejected) {
  open();
  std::promise<void> closing;
  std::promise<std::string> refusal;
  // Queued by a Done that runs while the destructor waits for it.
  store_->write([](Tx&) {},
                [&, store = store_.get()](std::exception_ptr) {
                  closing.get_future().wait();
                  std::atomic<bool> refused = false;
                  while (!refused) {
                    store->write([](Tx&) {},
                                 [&](std::exception_ptr error) {
                                   if (!error || refused) return;
                                   refused = true;
                                   try {
                                     std::rethrow_exception(error);
                                   } catch (const Error& e) {
                                     EXPECT_EQ(e.kind(), ErrorKind::Busy);
                                     refusal.set_value(e.what());
                                   }
                                 });
                  }
                });
  closing.set_value();
  store_.reset();
  EXPECT_EQ(refusal.get_future().get(), "the store is closing");
}

TEST_P(StoreTest, ADatabaseGetsItsMissingMigrations) {
  open({{"a", {"CREATE TABLE one (x TEXT NOT NULL)"}}});
  store_->write_now([](Tx& tx) { tx.exec("INSERT INTO one (x) VALUES ('kept')"); });
  open({{"a",
         {"CREATE TABLE one (x TEXT NOT NULL)",
          "ALTER TABLE one ADD COLUMN size INTEGER NOT NULL DEFAULT 7; UPDATE one SET x = x || '; kept';"}},
        {"b", {"CREATE TABLE two (x TEXT)"}}});
  store_->read_now([](Tx& tx) {
    EXPECT_EQ(tx.query("SELECT x FROM one").one(to_str), "kept; kept");
    EXPECT_EQ(tx.query("SELECT size FROM one").integer(), 7);
    EXPECT_EQ(tx.query("SELECT version FROM schema_versions WHERE module = 'a'").integer(), 2);
    EXPECT_EQ(tx.query("SELECT version FROM schema_versions WHERE module = 'b'").integer(), 1);
  });
}

TEST_P(StoreTest, AFailedMigrationLeavesTheOldVersion) {
  open({{"a", {"CREATE TABLE one (x TEXT)"}}});
  store_.reset();
  EXPECT_THAT(open_error({{"a", {"CREATE TABLE one (x TEXT)", "CREATE TABLE two (x TEXT)", "DROP TABLE nothing"}}}),
              HasSubstr("nothing"));
  EXPECT_EQ(database_->value("SELECT version FROM schema_versions"), "1");
  open({{"a", {"CREATE TABLE one (x TEXT)", "CREATE TABLE two (x TEXT)"}}});
  EXPECT_EQ(count("two"), 0);
}

TEST_P(StoreTest, TablesOfANewerProgramAreRejected) {
  open({{"sqs", {"CREATE TABLE one (x TEXT)", "CREATE TABLE two (x TEXT)"}}});
  EXPECT_THAT(open_error({{"sqs", {"CREATE TABLE one (x TEXT)"}}}),
              HasSubstr("was written by a newer Stoker: its sqs tables are version 2, this program supports 1"));
  EXPECT_THAT(open_error({{"ecs", {"CREATE TABLE three (x TEXT)"}}}),
              HasSubstr("its sqs tables are version 2, this program supports no such tables"));
  EXPECT_EQ(database_->value("SELECT count(*) FROM schema_versions"), "1");
}

INSTANTIATE_TEST_SUITE_P(
    Engines, StoreTest,
    testing::Values(
        Engine{"Sqlite", []() -> std::unique_ptr<TestDatabase> { return std::make_unique<SqliteTestDatabase>(); }},
        Engine{"Postgres", []() -> std::unique_ptr<TestDatabase> { return std::make_unique<PostgresTestDatabase>(); }}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace store
