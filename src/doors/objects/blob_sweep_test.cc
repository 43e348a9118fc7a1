// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/blob_sweep.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "base/random.h"
#include "http/block_on.h"
#include "services/s3/blobs.h"
#include "services/s3/schema.h"
#include "services/usage.h"
#include "store/test_store.h"

namespace doors::objects {
namespace {

// Pauses before a read.
class PausingStore final : public store::Store {
 public:
  explicit PausingStore(std::unique_ptr<store::Store>& store) : store_(store) {}

  void write(Work work, Done done) override { store_->write(std::move(work), std::move(done)); }
  void read(Work work, Done done) override {
    if (before_read) std::exchange(before_read, {})();
    store_->read(std::move(work), std::move(done));
  }

  std::function<void()> before_read = {};

 private:
  std::unique_ptr<store::Store>& store_;
};

class BlobSweepTest : public testing::Test {
 protected:
  ~BlobSweepTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // A file and its row with this number of references.
  std::string add(std::int64_t refs) {
    const std::string name = ::objects::Files::new_name();
    files_.create(name).write_all("bytes");
    files_.keep(name);
    store_->write_now([&](store::Tx& tx) {
      tx.exec("INSERT INTO s3_blobs (refs, size, file) VALUES ($1, 5, $2)", refs, name);
    });
    return name;
  }
  std::int64_t rows() {
    std::int64_t count = 0;
    store_->read_now([&](store::Tx& tx) { count = tx.query("SELECT count(*) FROM s3_blobs").integer(); });
    return count;
  }
  std::optional<base::Time> sweep() { return http::block_on(io_.at(0), loop_.turn()); }

  const std::string folder_ = testing::TempDir() + "blob_sweep_test_" + base::random_uuid();
  base::SystemClock clock_;
  http::IoThreads io_{1};
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {services::usage_migrations(), services::s3::migrations()});
  ::objects::Files files_{folder_ + "/objects"};
  ::objects::DiskThreads disk_{1};
  services::Locals locals_;
  services::Directory directory_;
  api::Topics topics_;
  PausingStore pausing_{store_};
  api::Engine engine_{pausing_, locals_, directory_, topics_, clock_};
  api::Loop loop_ = sweep_blobs(engine_, files_, disk_);
};

TEST_F(BlobSweepTest, AnUnusedBlobIsDeletedWithItsFile) {
  const std::string used = add(1), unused = add(0), shared = add(2);
  EXPECT_TRUE(sweep());
  EXPECT_TRUE(files_.open(used));
  EXPECT_TRUE(files_.open(shared));
  EXPECT_FALSE(files_.open(unused));
  EXPECT_EQ(rows(), 2);
}

TEST_F(BlobSweepTest, TheSweepSleepsWhereNothingIsUnused) {
  add(1);
  EXPECT_EQ(sweep(), std::nullopt);
}

TEST_F(BlobSweepTest, AMissingFileDoesNotStopTheSweep) {
  files_.drop(add(0));
  EXPECT_TRUE(sweep());
  EXPECT_EQ(rows(), 0);
}

TEST_F(BlobSweepTest, AFileThatCannotBeRemovedDoesNotBlockOthers) {
  const std::string stuck = add(0), other = add(0);
  const std::string place = folder_ + "/objects/" + stuck.substr(0, 2) + "/" + stuck;
  std::filesystem::remove(place);
  std::filesystem::create_directory(place);
  EXPECT_THROW(sweep(), std::system_error);
  EXPECT_FALSE(files_.open(other));
  EXPECT_EQ(rows(), 1);
  std::filesystem::remove(place);
  EXPECT_TRUE(sweep());
  EXPECT_EQ(rows(), 0);
}

TEST_F(BlobSweepTest, HeldFilesDoNotBlockOthers) {
  std::vector<std::string> held;
  for (int i = 0; i < 250; ++i) held.push_back(add(0));
  const std::string other = add(0);
  auto hold = files_.hold(held);
  EXPECT_TRUE(sweep());
  EXPECT_TRUE(sweep());
  EXPECT_FALSE(files_.open(other));
  EXPECT_EQ(rows(), 250);
  hold.reset();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(sweep());
  EXPECT_EQ(rows(), 0);
}

TEST_F(BlobSweepTest, DuringABackupNothingIsDeleted) {
  const std::string unused = add(0);
  auto first = files_.hold_all(), second = files_.hold_all();
  EXPECT_TRUE(sweep()) << "it will look again";
  first.reset();
  sweep();
  EXPECT_TRUE(files_.open(unused));
  second.reset();
  sweep();
  EXPECT_FALSE(files_.open(unused));
}

TEST_F(BlobSweepTest, WhatIsDeletedAfterABackupHasBegunStaysWhereTheSweepHasBegunBefore) {
  const std::string copied = add(1);
  std::shared_ptr<const void> backup;
  pausing_.before_read = [&] {
    backup = files_.hold_all();
    store_->write_now([](store::Tx& tx) { tx.exec("UPDATE s3_blobs SET refs = 0"); });
  };
  EXPECT_TRUE(sweep()) << "it will look again";
  EXPECT_TRUE(files_.open(copied));
  backup.reset();
  sweep();
  EXPECT_FALSE(files_.open(copied));
}

TEST_F(BlobSweepTest, ManyFilesAreDeletedInSlices) {
  for (int i = 0; i < 250; ++i) add(0);
  EXPECT_TRUE(sweep());
  EXPECT_GT(rows(), 0);
  EXPECT_TRUE(sweep());
  EXPECT_EQ(rows(), 0);
  EXPECT_EQ(sweep(), std::nullopt);
}

}  // namespace
}  // namespace doors::objects
