// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <system_error>

#include "base/random.h"

namespace base {
namespace {

using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  FileTest() { std::filesystem::create_directory(folder_); }
  ~FileTest() override { std::filesystem::remove_all(folder_); }

  const std::string folder_ = testing::TempDir() + "file_test_" + random_uuid();
  const std::string path_ = folder_ + "/a";
};

TEST_F(FileTest, ReadsBackWhatItWrote) {
  File made = File::create(path_);
  made.write_all("hello ");
  made.write_all("world");
  made.sync();
  sync_folder(folder_);
  File file = File::open(path_);
  EXPECT_EQ(file.size(), 11u);
  char into[20];
  EXPECT_EQ(file.pread(into, 5, 6), 5u);
  EXPECT_EQ(std::string(into, 5), "world");
  EXPECT_EQ(file.pread(into, sizeof into, 4), 7u);
  EXPECT_EQ(file.pread(into, sizeof into, 11), 0u);
}

TEST_F(FileTest, CreateRejectsAnExistingFile) {
  File::create(path_).write_all("precious");
  EXPECT_THROW(File::create(path_), std::system_error);
  EXPECT_EQ(File::open(path_).size(), 8u);
}

TEST_F(FileTest, AnErrorNamesThePathAndTheReason) {
  try {
    File::open(path_);
    FAIL() << "opened a missing file";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
    EXPECT_THAT(error.what(), HasSubstr("cannot open " + path_));
  }
  EXPECT_THROW(sync_folder(path_), std::system_error);
}

TEST_F(FileTest, ADescriptorMovesAndIsClosedOnce) {
  File first = File::create(path_);
  const int fd = first.descriptor();
  File second = std::move(first);
  EXPECT_EQ(first.descriptor(), -1);
  EXPECT_EQ(second.descriptor(), fd);
  EXPECT_EQ(second.path(), path_);
  second = File::open(path_);
  second.size();
}

TEST_F(FileTest, AFileOpenedForReadingCannotBeWritten) {
  File::create(path_);
  File file = File::open(path_);
  EXPECT_THROW(file.write_all("x"), std::system_error);
}

}  // namespace
}  // namespace base
