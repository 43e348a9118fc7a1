// SPDX-License-Identifier: Apache-2.0
// Events survive their way from batches into chunks, and are read in the same order from either.
#include "telemetry/logs/seal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "store/test_store.h"
#include "telemetry/logs/batch.h"
#include "telemetry/logs/reader.h"

namespace telemetry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kGroup = 7;
constexpr std::uint64_t kBudget = 64u << 20;

class SealTest : public testing::Test {
 protected:
  SealTest() {
    std::filesystem::create_directories(folder_);
    store_ = store::open_test_store(folder_, {{"logs", {log_tables()}}});
    files_ = std::make_unique<ChunkFiles>(folder_);
    store_->write_now([](store::Tx& tx) { open_log(tx, kGroup); });
  }
  ~SealTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void append(std::int64_t stream, const std::vector<std::pair<std::int64_t, std::string>>& lines) {
    std::vector<NewEvent> events;
    for (const auto& [time, message] : lines) events.push_back({time, message});
    store_->write_now([&](store::Tx& tx) { append_batch(tx, kGroup, stream, now_, events); });
  }
  // A batch of lines that compress badly, so that chunks of many become files.
  void append_noise(std::int64_t time, std::size_t bytes = 900000) {
    append(1, {{time, base::to_hex(base::random_bytes(bytes / 2))}});
  }
  SealPlan plan() {
    SealPlan made;
    store_->read_now([&](store::Tx& tx) { made = plan_seal(tx, *files_, kGroup); });
    return made;
  }
  void apply(const SealPlan& made) {
    store_->write_now([&](store::Tx& tx) { apply_seal(tx, made, now_); });
  }
  void seal() { apply(plan()); }

  struct Read {
    std::vector<std::string> messages, ids;
    LogPage page;
  };
  Read read(LogRange range, std::size_t most = 1000000, std::uint64_t budget = kBudget) {
    range.group = kGroup;
    Read result;
    store_->read_now([&](store::Tx& tx) {
      result = {};
      result.page = read_log(tx, *files_, range, budget, [&](const LogEvent& event) {
        result.messages.emplace_back(event.message);
        result.ids.push_back(event_id(event.key));
        return result.messages.size() < most;
      });
    });
    return result;
  }
  std::vector<std::string> messages(const LogRange& range = {}) { return read(range).messages; }
  std::int64_t count(const std::string& what) {
    std::int64_t found = 0;
    store_->read_now([&](store::Tx& tx) { found = tx.query("SELECT count(*) FROM " + what).integer(); });
    return found;
  }

  const std::string folder_ = testing::TempDir() + "seal-" + base::random_uuid();
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<ChunkFiles> files_;
  base::Time now_ = base::from_seconds(1800000000);
};

TEST_F(SealTest, EventsAreOrderedByTimeThenByRequest) {
  append(1, {{10, "b"}, {30, "e"}});
  append(2, {{5, "a"}, {30, "f"}});
  append(1, {{10, "c"}, {10, "d"}});
  EXPECT_THAT(messages(), ElementsAre("a", "b", "c", "d", "e", "f"));
  const auto ids = read({}).ids;
  seal();
  EXPECT_EQ(count("log_batches"), 0);
  EXPECT_EQ(count("log_chunks"), 1);
  EXPECT_EQ(count("log_heads WHERE seal_at IS NULL AND unsealed_bytes = 0"), 1);
  EXPECT_THAT(messages(), ElementsAre("a", "b", "c", "d", "e", "f"));
  EXPECT_EQ(read({}).ids, ids);
  EXPECT_THAT(messages({.backward = true}), ElementsAre("f", "e", "d", "c", "b", "a"));
}

TEST_F(SealTest, ChunksAndBatchesAreMerged) {
  append(1, {{10, "a"}, {30, "c"}, {50, "e"}});
  seal();
  append(1, {{20, "b"}, {40, "d"}, {60, "f"}});
  seal();
  append(1, {{25, "b2"}, {70, "g"}});
  EXPECT_THAT(messages(), ElementsAre("a", "b", "b2", "c", "d", "e", "f", "g"));
  EXPECT_THAT(messages({.first_ms = 30, .last_ms = 60}), ElementsAre("c", "d", "e", "f"));
  EXPECT_THAT(messages({.first_ms = 30, .last_ms = 60, .backward = true}), ElementsAre("f", "e", "d", "c"));
  EXPECT_THAT(messages({.first_ms = 71}), IsEmpty());
}

TEST_F(SealTest, AReadContinuesWhereThePageBeforeItEnded) {
  append(1, {{10, "a"}, {10, "b"}, {10, "c"}});
  append(1, {{10, "d"}, {11, "e"}});
  for (const bool backward : {false, true}) {
    LogRange range{.backward = backward};
    std::string all;
    for (int page = 0; page < 10; ++page) {
      const Read one = read(range, 2);
      for (const auto& message : one.messages) all += message;
      range.from = one.page.next;
      if (!one.page.next) break;
    }
    EXPECT_EQ(all, backward ? "edcba" : "abcde");
    seal();
  }
}

TEST_F(SealTest, OnlyTheWantedStreamsAreRead) {
  append(1, {{10, "a"}});
  append(2, {{11, "b"}});
  append(3, {{12, "c"}});
  EXPECT_THAT(messages({.streams = {1, 3}}), ElementsAre("a", "c"));
  seal();
  EXPECT_THAT(messages({.streams = {1, 3}}), ElementsAre("a", "c"));
  EXPECT_EQ(read({.streams = {4}}).page.read_bytes, 0u);
}

TEST_F(SealTest, AHintSkipsWhatCannotMatch) {
  append(1, {{10, "error: disk"}, {11, "ok"}, {12, "errors: net"}});
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(messages({.hint = {.all = {"error", "net"}}}), ElementsAre("errors: net"));
    EXPECT_THAT(messages({.hint = {.any = {"ok", "disk"}}}), ElementsAre("error: disk", "ok"));
    // Not across two messages.
    EXPECT_THAT(messages({.hint = {.all = {"diskok"}}}), IsEmpty());
    seal();
  }
}

TEST_F(SealTest, AChunkWithoutTheTrigramsOfATermIsNotDecompressed) {
  for (int i = 0; i < 3; ++i) append_noise(100 * i);
  append(1, {{500, "a needle"}});
  seal();
  const Read found = read({.hint = {.all = {"needle"}}});
  EXPECT_THAT(found.messages, ElementsAre("a needle"));
  const Read missed = read({.hint = {.all = {"zzzzzz"}}});
  EXPECT_THAT(missed.messages, IsEmpty());
  EXPECT_LT(missed.page.read_bytes, 20000u);
}

TEST_F(SealTest, TimeBoundsTouchOnlyMatchingChunks) {
  for (int i = 0; i < 20; ++i) append_noise(1000 * i);
  while (count("log_batches") > 0) seal();
  EXPECT_GE(count("log_chunks WHERE file IS NOT NULL"), 4);
  const Read one = read({.first_ms = 0, .last_ms = 10});
  EXPECT_EQ(one.messages.size(), 1u);
  EXPECT_LT(one.page.read_bytes, 5u << 20);
}

TEST_F(SealTest, ABudgetEndsAPageThatLeadsOn) {
  for (int i = 0; i < 20; ++i) append_noise(1000 * i);
  while (count("log_batches") > 0) seal();
  for (const bool backward : {false, true}) {
    LogRange range{.backward = backward, .hint = {.all = {"0"}}};
    std::size_t events = 0, pages = 0;
    for (; pages < 100; ++pages) {
      const Read one = read(range, 1000, 1 << 20);
      events += one.messages.size();
      EXPECT_LT(one.page.read_bytes, 9u << 20);
      range.from = one.page.next;
      if (!one.page.next) break;
    }
    EXPECT_EQ(events, 20u);
    EXPECT_GE(pages, 3u);
  }
}

TEST_F(SealTest, AFileThatACrashLeftWithoutARowIsDeletedAtTheStart) {
  for (int i = 0; i < 2; ++i) append_noise(i);
  const SealPlan made = plan();  // the files are written; the crash comes before the transaction
  ASSERT_EQ(made.files().size(), 1u);
  const auto recover = [&] {
    store_->read_now([&](store::Tx& tx) {
      files_->files.recover([&](const std::string& name) { return is_chunk_file(tx, name); });
    });
  };
  recover();
  EXPECT_FALSE(files_->files.has(made.files()[0]));
  EXPECT_EQ(messages().size(), 2u);
  const SealPlan second = plan();
  apply(second);
  recover();  // the crash comes before the file moves to its place
  EXPECT_TRUE(files_->files.has(second.files()[0]));
  EXPECT_EQ(messages().size(), 2u);
}

TEST_F(SealTest, APlanWhoseBatchesAreGoneIsSkipped) {
  append(1, {{10, "a"}});
  const SealPlan first = plan(), second = plan();
  apply(first);
  apply(second);
  EXPECT_THAT(messages(), ElementsAre("a"));
}

TEST_F(SealTest, AFullGroupIsDueAtOnceAndASmallOneLater) {
  append(1, {{10, "a"}});
  std::optional<DueGroup> due;
  const auto look = [&] { store_->read_now([&](store::Tx& tx) { due = next_due_group(tx); }); };
  look();
  EXPECT_EQ(due->seal_at_ms, base::to_millis(now_ + kSealAfter));
  now_ += std::chrono::hours(1);
  for (int i = 0; i < 10; ++i) append_noise(i);
  look();
  EXPECT_EQ(due->seal_at_ms, base::to_millis(now_));
}

TEST_F(SealTest, ADamagedFileIsAnError) {
  append_noise(1);
  const SealPlan made = plan();
  apply(made);
  std::filesystem::resize_file(folder_ + "/chunks/incoming/" + made.files()[0], 100000);
  EXPECT_THROW(messages(), store::Error);
}

}  // namespace
}  // namespace telemetry
