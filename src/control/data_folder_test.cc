// SPDX-License-Identifier: Apache-2.0
#include "control/data_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/random.h"

namespace control {
namespace {

class DataFolderTest : public testing::Test {
 protected:
  DataFolderTest() { std::filesystem::create_directories(folder_); }
  ~DataFolderTest() override { std::filesystem::remove_all(folder_); }

  std::string read(const std::string& name) const {
    std::ifstream in(folder_ + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::string folder_ = testing::TempDir() + "data_folder_test_" + base::random_uuid();
};

TEST_F(DataFolderTest, CredentialsHaveTheFormatOfSharedCredentialsFiles) {
  write_credentials(folder_, {.id = "AKIA1", .secret = "s3cret", .account = "111122223333"});
  EXPECT_EQ(read("credentials"), "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = s3cret\n");
}

TEST_F(DataFolderTest, AChangedAddressReplacesTheOldOneAndLeavesNoTemporaryFile) {
  write_endpoint(folder_, "http://127.0.0.1:1");
  write_endpoint(folder_, "http://127.0.0.1:2");
  EXPECT_EQ(read("endpoint"), "http://127.0.0.1:2\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(DataFolderTest, AFolderThatIsMissingIsAnErrorThatNamesTheFile) {
  try {
    write_endpoint(folder_ + "/missing", "http://127.0.0.1:1");
    FAIL() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("missing/endpoint"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace control
