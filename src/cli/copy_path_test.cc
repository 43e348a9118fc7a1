// SPDX-License-Identifier: Apache-2.0
#include "cli/copy_path.h"

#include <gtest/gtest.h>

namespace cli {
namespace {

std::string split(const std::string& path) {
  const SplitPath parts = split_path(path);
  return parts.folder + " " + parts.name;
}

TEST(CopyPath, ATaskIsNamedBeforeTheFirstColon) {
  EXPECT_EQ(remote_path("3fa9:/data/a:b")->task, "3fa9");
  EXPECT_EQ(remote_path("3fa9:/data/a:b")->path, "/data/a:b");
  for (const char* local : {"file", "/a:b", "./a:b", "../a:b", "a/b:c", ":x", "-", ""}) {
    EXPECT_FALSE(remote_path(local)) << local;
  }
}

TEST(CopyPath, APathIsAFolderAndAName) {
  EXPECT_EQ(split("/data/model.pt"), "/data model.pt");
  EXPECT_EQ(split("/data/"), "/ data");
  EXPECT_EQ(split("/data/."), "/data/. .");
  EXPECT_EQ(split("/"), "/ .");
  EXPECT_EQ(split("."), ". .");
  EXPECT_EQ(split("file"), ". file");
}

TEST(CopyPath, NamesAreLiteralInATransform) {
  EXPECT_EQ(transform_pattern("a.b*[c],"), "a\\.b\\*\\[c\\]\\,");
  EXPECT_EQ(transform_replacement("a&b,\\"), "a\\&b\\,\\\\");
}

}  // namespace
}  // namespace cli
