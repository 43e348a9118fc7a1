// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "services/s3/objects/list_objects.h"
#include "services/s3/s3_fixture.h"

namespace services::s3 {
namespace {

class ListObjects : public S3Test {
 protected:
  ListObjects() { make_bucket(); }

  // Keys and common prefixes of a page, the latter as "p:...".
  template <class Output>
  static std::vector<std::string> shown(const Output& output) {
    std::vector<std::string> out;
    for (const auto& object : output.Contents.value_or(std::vector<shape::Object>())) out.push_back(*object.Key);
    for (const auto& prefix : output.CommonPrefixes.value_or(std::vector<shape::CommonPrefix>())) {
      out.push_back("p:" + *prefix.Prefix);
    }
    return out;
  }
  using Names = std::vector<std::string>;
};

TEST_F(ListObjects, KeysAreInTheOrderOfTheirBytes) {
  for (const char* key : {"b", "a/2", "\xc3\xa9", "Z", "a", "a/10", "a0", "~"}) put(key);
  auto page = read(&list_objects_v2, {.Bucket = "bucket"});
  EXPECT_EQ(shown(page), (Names{"Z", "a", "a/10", "a/2", "a0", "b", "~", "\xc3\xa9"}));
  EXPECT_EQ(page.KeyCount, 8);
  EXPECT_EQ(page.MaxKeys, 1000);
  EXPECT_EQ(page.IsTruncated, false);
  EXPECT_EQ(page.Prefix, "");
  EXPECT_FALSE(page.Delimiter);
  EXPECT_FALSE(page.EncodingType);
  EXPECT_FALSE(page.StartAfter);
}

TEST_F(ListObjects, AnObjectIsListedWithItsProperties) {
  put("k", "bucket", 5);
  auto page = read(&list_objects_v2, {.Bucket = "bucket"});
  const shape::Object& object = page.Contents->at(0);
  EXPECT_EQ(object.ETag, "\"900150983cd24fb0d6963f7d28e17f72\"");
  EXPECT_EQ(object.Size, 5);
  EXPECT_EQ(object.LastModified, now_);
  EXPECT_EQ(object.StorageClass, "STANDARD");
  EXPECT_FALSE(object.Owner);
  EXPECT_EQ(read(&list_objects_v2, {.Bucket = "bucket", .FetchOwner = true}).Contents->at(0).Owner->ID,
            canonical_id("111111111111"));
  EXPECT_EQ(read(&list_objects, {.Bucket = "bucket"}).Contents->at(0).Owner->ID, canonical_id("111111111111"));
}

TEST_F(ListObjects, KeysWithACommonPrefixBecomeOneItem) {
  for (const char* key : {"a/1", "a/2", "a/b/3", "b", "c/1", "d//x"}) put(key);
  auto page = read(&list_objects_v2, {.Bucket = "bucket", .Delimiter = "/"});
  EXPECT_EQ(shown(page), (Names{"b", "p:a/", "p:c/", "p:d/"}));
  EXPECT_EQ(page.KeyCount, 4);
  EXPECT_EQ(page.Delimiter, "/");
  EXPECT_EQ(shown(read(&list_objects_v2, {.Bucket = "bucket", .Delimiter = "/", .Prefix = "a/"})), (Names{"a/1", "a/2", "p:a/b/"}));
  EXPECT_EQ(shown(read(&list_objects_v2, {.Bucket = "bucket", .Delimiter = "/", .Prefix = "a"})), (Names{"p:a/"}));
  EXPECT_EQ(shown(read(&list_objects_v2, {.Bucket = "bucket", .Delimiter = "//"})),
            (Names{"a/1", "a/2", "a/b/3", "b", "c/1", "p:d//"}));
  EXPECT_EQ(shown(read(&list_objects_v2, {.Bucket = "bucket", .Delimiter = ""})),
            (Names{"a/1", "a/2", "a/b/3", "b", "c/1", "d//x"}));
}

TEST_F(ListObjects, AMarkerInsideACommonPrefixSkipsThePrefix) {
  for (const char* key : {"folder/sub/1", "folder/sub/2", "folder/1", "folder/2"}) put(key);
  shape::ListObjectsRequest request{.Bucket = "bucket", .Delimiter = "/", .MaxKeys = 2, .Prefix = "folder/"};
  auto page = read(&list_objects, request);
  EXPECT_EQ(shown(page), (Names{"folder/1", "folder/2"}));
  EXPECT_EQ(page.NextMarker, "folder/2");
  request.Marker = "folder/sub/1";
  EXPECT_EQ(shown(read(&list_objects, request)), Names());
  request.Marker = "folder/2";
  page = read(&list_objects, request);
  EXPECT_EQ(shown(page), (Names{"p:folder/sub/"}));
  EXPECT_EQ(page.IsTruncated, false);
  EXPECT_FALSE(page.NextMarker);
  EXPECT_EQ(page.Marker, "folder/2");
}

TEST_F(ListObjects, NextMarkerIsShownOnlyWithADelimiter) {
  for (const char* key : {"a", "b", "c"}) put(key);
  auto page = read(&list_objects, {.Bucket = "bucket", .MaxKeys = 1});
  EXPECT_EQ(page.IsTruncated, true);
  EXPECT_FALSE(page.NextMarker);
  EXPECT_EQ(page.Marker, "");
  EXPECT_EQ(shown(read(&list_objects, {.Bucket = "bucket", .Marker = "a", .MaxKeys = 1})), Names{"b"});
}

TEST_F(ListObjects, ATokenContinuesWhereThePageEnded) {
  for (const char* key : {"a", "b/1", "b/2", "c"}) put(key);
  shape::ListObjectsV2Request request{.Bucket = "bucket", .Delimiter = "/", .MaxKeys = 2};
  auto page = read(&list_objects_v2, request);
  EXPECT_EQ(shown(page), (Names{"a", "p:b/"}));
  EXPECT_EQ(page.IsTruncated, true);
  remove("b/1");
  remove("b/2");
  put("b/3");
  request.ContinuationToken = page.NextContinuationToken;
  request.StartAfter = "a";
  page = read(&list_objects_v2, request);
  EXPECT_EQ(shown(page), Names{"c"});
  EXPECT_EQ(page.ContinuationToken, request.ContinuationToken);
  EXPECT_FALSE(page.StartAfter);
  EXPECT_FALSE(page.NextContinuationToken);
  for (const char* token : {"", "not base64!"}) {
    EXPECT_EQ(error_of(&list_objects_v2, {.Bucket = "bucket", .ContinuationToken = token}), "InvalidArgument");
    EXPECT_EQ(message(), "The continuation token provided is incorrect");
  }
}

TEST_F(ListObjects, StartAfterNeedNotBeAnExistingKey) {
  for (const char* key : {"a", "b", "c"}) put(key);
  auto page = read(&list_objects_v2, {.Bucket = "bucket", .StartAfter = "aa"});
  EXPECT_EQ(shown(page), (Names{"b", "c"}));
  EXPECT_EQ(page.StartAfter, "aa");
  EXPECT_EQ(shown(read(&list_objects_v2, {.Bucket = "bucket", .StartAfter = "c"})), Names());
}

TEST_F(ListObjects, PagesHaveAtMostAThousandKeys) {
  put("a");
  auto none = read(&list_objects_v2, {.Bucket = "bucket", .MaxKeys = 0});
  EXPECT_EQ(shown(none), Names());
  EXPECT_EQ(none.IsTruncated, false);
  EXPECT_EQ(none.KeyCount, 0);
  EXPECT_EQ(read(&list_objects_v2, {.Bucket = "bucket", .MaxKeys = 5000}).MaxKeys, 1000);
  EXPECT_EQ(error_of(&list_objects_v2, {.Bucket = "bucket", .MaxKeys = -1}), "InvalidArgument");
}

TEST_F(ListObjects, KeysAreEncodedOnRequest) {
  put("a b/c+d=\xc3\xa9");
  auto page = read(&list_objects, {.Bucket = "bucket", .Delimiter = " ", .EncodingType = "url", .Marker = "A B", .Prefix = "a b/"});
  EXPECT_EQ(shown(page), Names{"a+b/c%2Bd%3D%C3%A9"});
  EXPECT_EQ(page.Prefix, "a+b/");
  EXPECT_EQ(page.Delimiter, "+");
  EXPECT_EQ(page.Marker, "A+B");
  EXPECT_EQ(page.EncodingType, "url");
  auto rolled = read(&list_objects_v2, {.Bucket = "bucket", .Delimiter = "=", .EncodingType = "url", .StartAfter = "A B"});
  EXPECT_EQ(shown(rolled), Names{"p:a+b/c%2Bd%3D"});
  EXPECT_EQ(rolled.StartAfter, "A+B");
  EXPECT_EQ(error_of(&list_objects_v2, {.Bucket = "bucket", .EncodingType = "base64"}), "InvalidArgument");
}

TEST_F(ListObjects, DeletedKeysAndNoncurrentVersionsAreNotListed) {
  version("Enabled");
  put("a");
  put("a");
  put("b");
  remove("b");
  EXPECT_EQ(shown(read(&list_objects_v2, {.Bucket = "bucket"})), Names{"a"});
}

// Random keys, prefixes, delimiters and page sizes, with changes between the pages: a key that exists throughout is
// shown once, itself or in a common prefix, and no other key is.
class ListProperty : public ListObjects {
 protected:
  std::string random_key() {
    static const std::vector<std::string> kPieces = {"a", "b", "/", "//", "ab", "\xc3\xa9", " ", "0", "\xf0\x9f\x98\x80", "-", "z/"};
    std::string key;
    for (int i = 1 + pick(5); i > 0; --i) key += kPieces[pick(kPieces.size())];
    return key;
  }
  std::size_t pick(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_); }

  static std::string rolled(const std::string& key, const std::string& prefix, const std::string& delimiter) {
    const std::size_t found = delimiter.empty() ? key.npos : key.find(delimiter, prefix.size());
    return found == key.npos ? key : "p:" + key.substr(0, found + delimiter.size());
  }
  void fill(int count) {
    with_call([&](Call& call) {
      const Bucket bucket = *load_bucket(call.tx, "bucket");
      for (int i = 0; i < count; ++i) {
        Object object;
        object.key = random_key();
        if (!keys_.insert(object.key).second) continue;
        put_version(call, bucket, std::nullopt, object);
      }
    });
  }
  void change() {
    const std::string key = random_key();
    if (keys_.contains(key)) {
      remove(key);
      keys_.erase(key);
      throughout_.erase(key);
    } else {
      put(key);
      keys_.insert(key);
    }
    ever_.insert(key);
  }
  void begin() { throughout_ = ever_ = keys_; }
  void check(const Names& all, const std::string& prefix, const std::string& delimiter) {
    std::set<std::string> must, may;
    for (const std::string& key : throughout_) {
      if (key.starts_with(prefix)) must.insert(rolled(key, prefix, delimiter));
    }
    for (const std::string& key : ever_) {
      if (key.starts_with(prefix)) may.insert(rolled(key, prefix, delimiter));
    }
    std::multiset<std::string> shown(all.begin(), all.end());
    for (const std::string& name : must) EXPECT_EQ(shown.count(name), 1u) << name << " of " << prefix << " by " << delimiter;
    for (const std::string& name : shown) {
      EXPECT_TRUE(may.contains(name)) << name;
      EXPECT_EQ(shown.count(name), 1u) << name;
    }
  }

  std::mt19937 random_{20270115};
  std::set<std::string> keys_, throughout_, ever_;
};

TEST_F(ListProperty, NoKeyIsMissedOrShownTwice) {
  fill(150);
  static const Names kDelimiters = {"", "/", "//", "a", "ab", " "};
  for (int round = 0; round < 100; ++round) {
    const std::string prefix = pick(2) ? "" : random_key().substr(0, 1 + pick(3));
    const std::string delimiter = kDelimiters[pick(kDelimiters.size())];
    const auto most = static_cast<std::int32_t>(1 + pick(7));
    begin();
    Names all;
    if (pick(2)) {
      shape::ListObjectsV2Request request{.Bucket = "bucket", .Delimiter = delimiter, .MaxKeys = most, .Prefix = prefix};
      while (true) {
        auto page = read(&list_objects_v2, request);
        const Names names = shown(page);
        ASSERT_LE(names.size(), static_cast<std::size_t>(most));
        all.insert(all.end(), names.begin(), names.end());
        if (!*page.IsTruncated) break;
        ASSERT_EQ(names.size(), static_cast<std::size_t>(most));
        request.ContinuationToken = page.NextContinuationToken;
        if (pick(12) == 0) change();
      }
    } else {
      shape::ListObjectsRequest request{.Bucket = "bucket", .Delimiter = delimiter, .MaxKeys = most, .Prefix = prefix};
      while (true) {
        auto page = read(&list_objects, request);
        const Names names = shown(page);
        all.insert(all.end(), names.begin(), names.end());
        if (!*page.IsTruncated) break;
        request.Marker = page.NextMarker ? *page.NextMarker : *page.Contents->back().Key;
        if (pick(12) == 0) change();
      }
    }
    check(all, prefix, delimiter);
  }
}

}  // namespace
}  // namespace services::s3
