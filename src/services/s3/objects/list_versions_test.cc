// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "services/s3/objects/list_versions.h"
#include "services/s3/s3_fixture.h"

namespace services::s3 {
namespace {

class ListVersions : public S3Test {
 protected:
  ListVersions() {
    make_bucket();
    version("Enabled");
  }
  using Names = std::vector<std::string>;

  // "key version", and "key version marker"; a star marks the latest version; common prefixes as "p:...".
  static Names shown(const shape::ListObjectVersionsOutput& page) {
    Names out;
    for (const auto& one : page.Versions.value_or(std::vector<shape::ObjectVersion>())) {
      out.push_back(*one.Key + " " + *one.VersionId + (*one.IsLatest ? " *" : ""));
    }
    for (const auto& one : page.DeleteMarkers.value_or(std::vector<shape::DeleteMarkerEntry>())) {
      out.push_back(*one.Key + " " + *one.VersionId + (*one.IsLatest ? " *" : "") + " marker");
    }
    for (const auto& one : page.CommonPrefixes.value_or(std::vector<shape::CommonPrefix>())) out.push_back("p:" + *one.Prefix);
    return out;
  }
  Names list(shape::ListObjectVersionsRequest request = {}) {
    request.Bucket = "bucket";
    page_ = read(&list_object_versions, request);
    return shown(page_);
  }

  shape::ListObjectVersionsOutput page_;
};

TEST_F(ListVersions, TheNewestOfAKeyComesFirst) {
  const std::string first = put("b").version(), second = put("b").version(), other = put("a").version();
  EXPECT_EQ(list(), (Names{"a " + other + " *", "b " + second + " *", "b " + first}));
  EXPECT_EQ(page_.KeyMarker, "");
  EXPECT_EQ(page_.VersionIdMarker, "");
  EXPECT_EQ(page_.IsTruncated, false);
  EXPECT_FALSE(page_.NextKeyMarker);
  EXPECT_EQ(page_.Versions->at(0).Owner->ID, canonical_id("111111111111"));
}

TEST_F(ListVersions, DeleteMarkersAreListed) {
  const std::string version = put("a").version(), marker = remove("a").marker->version();
  EXPECT_EQ(list(), (Names{"a " + version, "a " + marker + " * marker"}));
  put("b");
  EXPECT_EQ(list({.MaxKeys = 1}), (Names{"a " + marker + " * marker"}));
  EXPECT_EQ(page_.NextKeyMarker, "a");
  EXPECT_EQ(page_.NextVersionIdMarker, marker);
}

TEST_F(ListVersions, WithoutVersioningTheVersionIsNull) {
  make_bucket("plain");
  put("k", "plain");
  auto page = read(&list_object_versions, {.Bucket = "plain"});
  EXPECT_EQ(page.Versions->at(0).VersionId, "null");
  EXPECT_EQ(page.Versions->at(0).IsLatest, true);
}

TEST_F(ListVersions, APageMayEndWithinAKey) {
  Names versions;
  for (int i = 0; i < 5; ++i) versions.insert(versions.begin(), put("k").version());
  put("l");
  list({.MaxKeys = 2});
  EXPECT_EQ(page_.NextVersionIdMarker, versions[1]);
  // A listed version may be deleted meanwhile: the next one becomes the latest, and is still listed.
  with_call([&](Call& call) {
    for (int i = 0; i < 2; ++i) {
      const Bucket bucket = *load_bucket(call.tx, "bucket");
      delete_version(call, bucket, *load_version(call.tx, bucket, "k", versions[i]));
    }
  });
  EXPECT_EQ(list({.KeyMarker = "k", .MaxKeys = 2, .VersionIdMarker = versions[1]}),
            (Names{"k " + versions[2] + " *", "k " + versions[3]}));
  EXPECT_EQ(list({.KeyMarker = "k", .MaxKeys = 2, .VersionIdMarker = page_.NextVersionIdMarker}).at(0), "k " + versions[4]);
  EXPECT_EQ(page_.IsTruncated, false);
  EXPECT_EQ(list({.KeyMarker = "k"}).size(), 1u);  // skips all versions of the key
}

TEST_F(ListVersions, AVersionMarkerNeedsAKey) {
  EXPECT_EQ(error_of(&list_object_versions, {.Bucket = "bucket", .VersionIdMarker = "null"}), "InvalidArgument");
  EXPECT_EQ(message(), "A version-id marker cannot be specified without a key marker.");
  EXPECT_EQ(error_of(&list_object_versions, {.Bucket = "bucket", .KeyMarker = "k", .VersionIdMarker = "x"}), "InvalidArgument");
  EXPECT_EQ(error_of(&list_object_versions, {.Bucket = "bucket", .KeyMarker = "k", .VersionIdMarker = ""}), "InvalidArgument");
  EXPECT_EQ(message(), "A version-id marker cannot be empty.");
}

TEST_F(ListVersions, TheVersionNullIsAValidMarker) {
  const std::string newest = put("k").version();
  version("Suspended");
  put("k");
  version("Enabled");
  const std::string last = put("k").version();
  EXPECT_EQ(list(), (Names{"k " + last + " *", "k null", "k " + newest}));
  EXPECT_EQ(list({.KeyMarker = "k", .VersionIdMarker = "null"}), Names{"k " + newest});
}

TEST_F(ListVersions, CommonPrefixesAreOneItem) {
  put("d/s/1");
  put("d/s/1");
  remove("d/s/2");
  const std::string version = put("d/t").version();
  EXPECT_EQ(list({.Delimiter = "/", .Prefix = "d/"}), (Names{"d/t " + version + " *", "p:d/s/"}));
  EXPECT_EQ(list({.Delimiter = "/", .MaxKeys = 1, .Prefix = "d/"}), Names{"p:d/s/"});
  EXPECT_EQ(page_.NextKeyMarker, "d/s/");
  EXPECT_FALSE(page_.NextVersionIdMarker);
  EXPECT_EQ(list({.Delimiter = "/", .KeyMarker = "d/s/", .Prefix = "d/"}), Names{"d/t " + version + " *"});
  EXPECT_EQ(list({.Delimiter = "/", .KeyMarker = "d/s/1", .Prefix = "d/"}), Names{"d/t " + version + " *"});
}

TEST_F(ListVersions, PagesOfAnySizeShowTheSame) {
  std::mt19937 random(7);
  const std::vector<std::string> keys = {"a", "a/1", "a/2", "a/b/1", "b", "c/", "c/d"};
  for (int i = 0; i < 120; ++i) {
    const std::string& key = keys[random() % keys.size()];
    if (i % 40 == 30) version(i % 80 == 30 ? "Suspended" : "Enabled");
    if (random() % 4 == 0) {
      remove(key);
    } else {
      put(key);
    }
  }
  for (const char* delimiter : {"", "/"}) {
    for (const char* prefix : {"", "a", "a/"}) {
      const Names whole = list({.Delimiter = delimiter, .Prefix = prefix});
      const std::multiset<std::string> expected(whole.begin(), whole.end());
      for (std::int32_t most : {1, 2, 3, 7}) {
        std::multiset<std::string> all;
        shape::ListObjectVersionsRequest request{.Delimiter = delimiter, .MaxKeys = most, .Prefix = prefix};
        while (true) {
          for (const std::string& name : list(request)) all.insert(name);
          if (!*page_.IsTruncated) break;
          request.KeyMarker = page_.NextKeyMarker;
          request.VersionIdMarker = page_.NextVersionIdMarker;
        }
        EXPECT_EQ(all, expected) << delimiter << prefix << most;
      }
    }
  }
}

}  // namespace
}  // namespace services::s3
