// SPDX-License-Identifier: Apache-2.0
// Test support: handlers of objects with their bodies, and a map in place of files.
#pragma once

#include "base/bytes.h"
#include "base/hash.h"
#include "services/s3/objects/get_object.h"
#include "services/s3/objects/put_object.h"
#include "services/s3/s3_fixture.h"
#include "services/s3/uploads/complete_upload.h"
#include "services/s3/uploads/create_upload.h"
#include "services/s3/uploads/upload_part.h"

namespace services::s3 {

class ObjectTest : public S3Test {
 protected:
  ObjectTest() { make_bucket(); }
  // After every test: reference counts are right, and no file is lost.
  void TearDown() override {
    check_blobs();
    S3Test::TearDown();
  }

  std::string bytes_of(const std::vector<Extent>& extents) const {
    std::string all;
    for (const Extent& extent : extents) {
      if (extent.file.empty()) {
        EXPECT_EQ(extent.bytes.size(), extent.length);
        all += extent.bytes;
      } else {
        all += files_.at(extent.file).substr(extent.offset, extent.length);
      }
    }
    return all;
  }

  // As the door does.
  Upload spooled(const Spool& spool, std::string bytes, base::Headers trailers = {}) {
    if (spool.source) bytes = bytes_of(*spool.source);
    if (bytes.size() > spool.max_bytes) throw wire::ApiError("EntityTooLarge", "");
    Upload upload{.size = bytes.size(), .md5 = base::md5(bytes), .trailers = std::move(trailers), .note = spool.note};
    for (base::Checksum kind : spool.checksums) {
      base::Hasher hasher(kind);
      hasher.update(bytes);
      upload.checksums[kind] = hasher.finish();
    }
    if (bytes.size() <= kInlineBytes) {
      upload.bytes = std::move(bytes);
    } else {
      upload.file = "file-" + std::to_string(++made_files_);
      if (bytes.size() <= spool.keep_bytes) upload.kept = bytes;
      files_[upload.file] = std::move(bytes);
    }
    return upload;
  }

  // Both halves of an operation with a body. `between` runs between them.
  template <class Out, class In, class Plan>
  Out send(Plan (*prepare)(ObjectCall&, const In&), Out (*handler)(ObjectCall&, const In&, const Plan&),
           const std::type_identity_t<In>& input, std::string bytes = "", base::Headers trailers = {},
           const std::function<void()>& between = {}) {
    std::optional<Plan> plan;
    const Spool spool = spool_of([&](ObjectCall& call) { plan = prepare(call, input); });
    return send_spooled<Out>(spool, [&](ObjectCall& call) { return handler(call, input, *plan); }, std::move(bytes),
                             std::move(trailers), between);
  }
  template <class Out, class In>
  Out send(void (*prepare)(ObjectCall&, const In&), Out (*handler)(ObjectCall&, const In&),
           const std::type_identity_t<In>& input, std::string bytes = "", base::Headers trailers = {},
           const std::function<void()>& between = {}) {
    const Spool spool = spool_of([&](ObjectCall& call) { prepare(call, input); });
    return send_spooled<Out>(spool, [&](ObjectCall& call) { return handler(call, input); }, std::move(bytes),
                             std::move(trailers), between);
  }
  template <class Fn>
  Spool spool_of(Fn&& prepare) {
    Spool spool;
    store_->read_now([&](store::Tx& tx) {
      ObjectCall call{Call{tx, caller_, now_, now_, &locals_, &directory_}};
      prepare(call);
      spool = call.spool;
    });
    return spool;
  }
  template <class Out, class Fn>
  Out send_spooled(const Spool& spool, Fn&& handler, std::string bytes, base::Headers trailers,
                   const std::function<void()>& between) {
    Upload upload = spooled(spool, std::move(bytes), std::move(trailers));
    if (between) between();
    try {
      return with_call([&](ObjectCall& call) {
        call.upload = &upload;
        return handler(call);
      });
    } catch (const wire::ApiError&) {
      files_.erase(upload.file);
      throw;
    }
  }

  shape::PutObjectOutput put_bytes(const shape::PutObjectRequest& request, const std::string& bytes,
                                   base::Headers trailers = {}) {
    return send(&prepare_put_object, &put_object, request, bytes, std::move(trailers));
  }
  // A template, because g++ takes a braced request for a pair of iterators, of which a string can be made.
  template <class Key>
  requires std::is_convertible_v<const Key&, std::string> shape::PutObjectOutput put_bytes(const Key& key, const std::string& bytes) {
    return put_bytes(shape::PutObjectRequest{.Bucket = "bucket", .Key = key}, bytes);
  }

  struct Got {
    shape::GetObjectOutput output;
    std::string bytes;
    int status = 200;
  };
  Got get(const shape::GetObjectRequest& request) {
    Got got;
    store_->read_now([&](store::Tx& tx) {
      ObjectCall call{Call{tx, caller_, now_, now_, &locals_, &directory_}};
      got.output = get_object(call, request);
      got.bytes = bytes_of(*call.download);
      got.status = call.status.value_or(200);
    });
    return got;
  }
  Got get(const std::string& key) { return get(shape::GetObjectRequest{.Bucket = "bucket", .Key = key}); }
  std::string get_version(const std::string& key, const std::string& version) {
    return get(shape::GetObjectRequest{.Bucket = "bucket", .Key = key, .VersionId = version}).bytes;
  }
  shape::HeadObjectOutput head(const std::string& key) { return run(&head_object, {.Bucket = "bucket", .Key = key}); }

  std::string header(const std::string& name) const { return std::string(error_.headers().get(name)); }

  // Multipart uploads, by key.
  std::string create(const std::string& key) {
    return *run(&create_multipart_upload, {.Bucket = "bucket", .Key = key}).UploadId;
  }
  shape::CompletedPart part(const std::string& key, const std::string& upload, std::int32_t number,
                            const std::string& bytes) {
    auto output = send(&prepare_upload_part, &upload_part,
                       {.Bucket = "bucket", .Key = key, .PartNumber = number, .UploadId = upload}, bytes);
    return {.ETag = output.ETag, .PartNumber = number};
  }
  shape::CompleteMultipartUploadRequest completion(const std::string& key, const std::string& upload,
                                                   std::vector<shape::CompletedPart> parts) {
    return {.Bucket = "bucket",
            .Key = key,
            .MultipartUpload = shape::CompletedMultipartUpload{std::move(parts)},
            .UploadId = upload};
  }
  shape::CompleteMultipartUploadOutput complete(const std::string& key, const std::string& upload,
                                                std::vector<shape::CompletedPart> parts) {
    return run(&complete_multipart_upload, completion(key, upload, std::move(parts)));
  }

  // An object of these parts, each with a SHA-256 checksum or none with any.
  void put_in_parts(const std::string& key, const std::optional<std::string>& sha256, const std::vector<std::string>& all) {
    const std::string upload =
        *run(&create_multipart_upload, {.Bucket = "bucket", .Key = key, .ChecksumAlgorithm = sha256}).UploadId;
    std::vector<shape::CompletedPart> parts;
    for (const std::string& bytes : all) {
      shape::UploadPartRequest request{.Bucket = "bucket", .Key = key, .PartNumber = static_cast<std::int32_t>(parts.size() + 1),
                                       .UploadId = upload};
      if (sha256) request.ChecksumSHA256 = base::to_base64(base::sha256(bytes));
      auto sent = send(&prepare_upload_part, &upload_part, request, bytes);
      parts.push_back({.ETag = sent.ETag, .ChecksumSHA256 = request.ChecksumSHA256, .PartNumber = request.PartNumber});
    }
    complete(key, upload, std::move(parts));
  }

  std::int64_t count(std::string_view sql) {
    std::int64_t found = 0;
    store_->read_now([&](store::Tx& tx) { found = tx.query(sql).integer(); });
    return found;
  }
  // What the sweep does.
  void sweep() {
    if (count("SELECT count(*) FROM s3_blobs WHERE refs = 0") == 0) return;
    with_call([&](Call& call) {
      for (const UnusedBlob& blob : unused_blobs(call.tx, 1000)) {
        EXPECT_EQ(files_.erase(blob.file), 1u);
        forget_blob(call.tx, blob.id);
      }
    });
  }
  void check_blobs() {
    EXPECT_EQ(count("SELECT count(*) FROM s3_blobs b WHERE refs <>"
                    " (SELECT count(*) FROM s3_objects WHERE blob = b.id) +"
                    " (SELECT count(*) FROM s3_parts WHERE blob = b.id) +"
                    " (SELECT count(*) FROM s3_object_parts WHERE blob = b.id)"),
              0);
    EXPECT_EQ(count("SELECT count(*) FROM s3_blobs WHERE file IS NULL AND refs = 0"), 0);
    sweep();
    EXPECT_EQ(count("SELECT count(*) FROM s3_blobs WHERE file IS NOT NULL"), std::ssize(files_));
  }

  std::map<std::string, std::string> files_;
  int made_files_ = 0;
};

}  // namespace services::s3
