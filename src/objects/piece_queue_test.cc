// SPDX-License-Identifier: Apache-2.0
#include "objects/piece_queue.h"

#include "objects/test_folder.h"

namespace objects {
namespace {

class PieceQueueTest : public ObjectsTest {
 protected:
  void add(const std::string& piece) { queue_.add({std::make_shared<const std::string>(piece)}); }
  std::string written() const {
    std::string bytes(file_.size(), '\0');
    file_.pread(bytes.data(), bytes.size(), 0);
    return bytes;
  }

  PieceQueue queue_;
  base::File file_ = files_.create("0a");
};

TEST_F(PieceQueueTest, WritesTheRequestedNumberOfBytes) {
  add("one");
  add("");
  add("two");
  add("three");
  EXPECT_EQ(queue_.size(), 11u);
  queue_.write_to(file_, 4);
  EXPECT_EQ(written(), "onet");
  queue_.write_to(file_, 1);
  EXPECT_EQ(written(), "onetw");
  EXPECT_EQ(queue_.size(), 6u);
  add("!");
  queue_.write_to(file_, queue_.size());
  EXPECT_EQ(written(), "onetwothree!");
  EXPECT_EQ(queue_.size(), 0u);
}

TEST_F(PieceQueueTest, ManyPiecesKeepTheirOrder) {
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    add(std::to_string(i));
    expected += std::to_string(i);
  }
  queue_.write_to(file_, queue_.size());
  EXPECT_EQ(written(), expected);
}

}  // namespace
}  // namespace objects
