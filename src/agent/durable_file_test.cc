// SPDX-License-Identifier: Apache-2.0
#include "agent/durable_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace agent {
namespace {

using testing::HasSubstr;

class CreateFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "folder_XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string error_of(const std::string& path) {
    try {
      create_folder(path);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  static mode_t mode_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 0777;
  }

  std::string folder_;
};

TEST_F(CreateFolderTest, ANewFolderIsForItsOwnerAlone) {
  const mode_t before = ::umask(0);
  EXPECT_EQ(error_of(folder_ + "/above/data/"), "");
  ::umask(before);
  EXPECT_EQ(mode_of(folder_ + "/above/data"), 0700u);
  ::chmod((folder_ + "/above/data").c_str(), 0755);
  EXPECT_EQ(error_of(folder_ + "/above/data"), "");
  EXPECT_EQ(mode_of(folder_ + "/above/data"), 0700u);
}

TEST_F(CreateFolderTest, AFolderThatOthersMayWriteToIsRejected) {
  for (const mode_t mode : {0770, 0707, 01777}) {
    ::chmod(folder_.c_str(), mode);
    EXPECT_THAT(error_of(folder_), HasSubstr("other users may write to the folder " + folder_)) << mode;
  }
  ::chmod(folder_.c_str(), 0700);
}

TEST_F(CreateFolderTest, AFolderOfAnotherUserIsRejected) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  ASSERT_EQ(::chown(folder_.c_str(), 65534, 65534), 0);
  EXPECT_THAT(error_of(folder_), HasSubstr("belongs to another user"));
}

}  // namespace
}  // namespace agent
