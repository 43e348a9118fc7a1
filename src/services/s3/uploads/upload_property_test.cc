// SPDX-License-Identifier: Apache-2.0
// Uploads in parts against a model that has all bytes in one string.
#include <random>

#include "services/s3/checksums.h"
#include "services/s3/object_fixture.h"
#include "services/s3/objects/ranges.h"
#include "services/s3/uploads/create_upload.h"
#include "services/s3/uploads/upload_part.h"

namespace services::s3 {
namespace {

struct Case {
  unsigned seed;
  const char* kind;  // "" for none
  const char* type;
};

class UploadsProperty : public ObjectTest, public testing::WithParamInterface<Case> {
 protected:
  std::string random_bytes(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; i += 997) bytes[i] = static_cast<char>(random_());
    return bytes;
  }
  base::Checksum kind() const { return *GetParam().kind ? checksum_kind(GetParam().kind) : kDefaultChecksum; }
  std::string sum(std::string_view bytes) const {
    base::Hasher hasher(kind());
    hasher.update(bytes);
    return base::to_base64(hasher.finish());
  }

  void send_part(int number) {
    // Any of them may be the last one, and that may be small; the model grows the others.
    const std::size_t size = random_() % 4 ? (5u << 20) + random_() % 100000 : random_() % 200000;
    std::string bytes = random_bytes(size);
    shape::UploadPartRequest request{.Bucket = "bucket", .Key = "k", .PartNumber = number, .UploadId = upload_};
    if (*GetParam().kind) checksum_member(request, kind()) = sum(bytes);
    send(&prepare_upload_part, &upload_part, request, bytes);
    parts_[number] = std::move(bytes);
  }

  void create_upload() {
    shape::CreateMultipartUploadRequest request{.Bucket = "bucket", .Key = "k"};
    if (*GetParam().kind) request.ChecksumAlgorithm = GetParam().kind;
    if (*GetParam().type) request.ChecksumType = GetParam().type;
    auto created = run(&create_multipart_upload, request);
    upload_ = *created.UploadId;
    type_ = created.ChecksumType.value_or(kFullObject);
  }

  // Those that may be an object together, in order.
  std::map<int, std::string> chosen() {
    std::map<int, std::string> chosen;
    if (type_ == kComposite) return first_ones();
    for (const auto& [number, bytes] : parts_) {
      if (bytes.size() >= (5u << 20) && random_() % 5) chosen[number] = bytes;
    }
    if (parts_.rbegin()->second.size() < (5u << 20) || chosen.empty()) chosen[parts_.rbegin()->first] = parts_.rbegin()->second;
    return chosen;
  }

  // From 1 on and none left out, up to the first small one.
  std::map<int, std::string> first_ones() {
    std::map<int, std::string> chosen;
    for (const auto& [number, bytes] : parts_) {
      chosen[number] = bytes;
      if (bytes.size() < (5u << 20)) break;
    }
    return chosen;
  }

  int number_of(int i) {
    if (type_ == kComposite) return i + 1;
    return 1 + static_cast<int>(random_() % 12) * (random_() % 3 ? 1 : 833);
  }

  void finish() {
    const auto parts = chosen();
    std::vector<shape::CompletedPart> list;
    std::string digests, sums;
    for (const auto& [number, bytes] : parts) {
      shape::CompletedPart part{.ETag = base::to_hex(base::md5(bytes)), .PartNumber = number};
      if (type_ == kComposite) checksum_member(part, kind()) = sum(bytes);
      list.push_back(std::move(part));
      whole_ += bytes;
      digests += base::md5(bytes);
      sums += *base::from_base64(sum(bytes));
    }
    auto output = complete("k", upload_, list);
    const std::string tail = "-" + std::to_string(parts.size());
    EXPECT_EQ(output.ETag, '"' + base::to_hex(base::md5(digests)) + tail + '"');
    EXPECT_EQ(output.ChecksumType, type_);
    EXPECT_EQ(checksum_member(output, kind()), type_ == kComposite ? sum(sums) + tail : sum(whole_));
    std::size_t start = 0;
    for (const auto& [number, bytes] : parts) {
      Got got = get(shape::GetObjectRequest{.Bucket = "bucket", .Key = "k", .PartNumber = number});
      EXPECT_TRUE(got.bytes == bytes) << "part " << number;
      EXPECT_EQ(got.output.PartsCount, std::ssize(parts));
      if (!bytes.empty()) {
        EXPECT_EQ(got.output.ContentRange, content_range({start, bytes.size()}, whole_.size()));
      }
      start += bytes.size();
    }
  }

  void compare_ranges() {
    EXPECT_TRUE(get("k").bytes == whole_);
    for (int i = 0; i < 40 && !whole_.empty(); ++i) {
      const std::size_t first = random_() % whole_.size(), last = std::min(first + random_() % 12000000, whole_.size() - 1);
      const std::string range = "bytes=" + std::to_string(first) + "-" + std::to_string(last);
      Got got = get(shape::GetObjectRequest{.Bucket = "bucket", .Key = "k", .Range = range});
      EXPECT_TRUE(got.bytes == whole_.substr(first, last - first + 1)) << range;
    }
  }

  std::mt19937 random_{GetParam().seed};
  std::string upload_, type_, whole_;
  std::map<int, std::string> parts_;
};

TEST_P(UploadsProperty, EveryRangeIsTheModels) {
  create_upload();
  const int count = 1 + static_cast<int>(random_() % 8);
  for (int i = 0; i < count; ++i) send_part(number_of(i));
  finish();
  compare_ranges();
  check_blobs();
}

INSTANTIATE_TEST_SUITE_P(Seeds, UploadsProperty,
                         testing::Values(Case{1, "", ""}, Case{2, "", ""}, Case{3, "CRC32", ""},
                                         Case{4, "CRC32", "FULL_OBJECT"}, Case{5, "CRC32C", "FULL_OBJECT"},
                                         Case{6, "CRC32C", "COMPOSITE"}, Case{7, "CRC64NVME", ""}, Case{8, "SHA1", ""},
                                         Case{9, "SHA256", "COMPOSITE"}, Case{10, "CRC64NVME", "FULL_OBJECT"}));

}  // namespace
}  // namespace services::s3
