// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/pipeline_keys.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"
#include "services/pipelines/pipeline_row.h"
#include "shapes/stoker/job.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

using shapes::stoker::CreatePipelineKeyRequest;
using shapes::stoker::CreatePipelineKeyResponse;
using shapes::stoker::DeletePipelineKeyRequest;
using shapes::stoker::ListPipelineKeysRequest;
using shapes::stoker::ListPipelineKeysResponse;
using shapes::stoker::PipelineKey;
using wire::ApiError;

// "stk_", the id, '_', and 256 random bits.
constexpr std::string_view kKeyPrefix = "stk_";
constexpr std::string_view kKeyLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t kKeyIdLength = 12;
constexpr std::size_t kKeySecretBytes = 32;
constexpr std::size_t kKeyLength = 4 + kKeyIdLength + 1 + 2 * kKeySecretBytes;

Pipeline own_pipeline(Call& call, const std::string& name) {
  auto pipeline = load_pipeline(call.tx, call.caller.account, call.caller.region, name);
  if (!pipeline) throw ApiError("ResourceNotFoundException", "There is no pipeline '" + name + "'.");
  return std::move(*pipeline);
}

std::string hash_of_key(std::string_view key) { return base::to_hex(base::sha256(key)); }

CreatePipelineKeyResponse create_pipeline_key(Call& call, const CreatePipelineKeyRequest& request) {
  const Pipeline pipeline = own_pipeline(call, request.pipeline);
  const auto count =
      call.tx.query("SELECT count(*) FROM pipeline_keys WHERE pipeline = $1", pipeline.number).integer();
  if (count >= kMaxPipelineKeys) {
    throw ApiError("LimitExceededException", "Pipeline '" + pipeline.name + "' has 100 keys already. Delete one first.");
  }
  CreatePipelineKeyResponse response;
  response.key = {base::random_text(kKeyIdLength, kKeyLetters), pipeline.name, request.name.value_or(""), call.now};
  response.secret =
      std::string(kKeyPrefix) + response.key.id + "_" + base::to_hex(base::random_bytes(kKeySecretBytes));
  call.tx.exec("INSERT INTO pipeline_keys (id, pipeline, name, hash, created_at) VALUES ($1, $2, $3, $4, $5)",
               response.key.id, pipeline.number, response.key.name, hash_of_key(response.secret), call.now);
  return response;
}

ListPipelineKeysResponse list_pipeline_keys(Call& call, const ListPipelineKeysRequest& request) {
  const Pipeline pipeline = own_pipeline(call, request.pipeline);
  ListPipelineKeysResponse response;
  response.keys = call.tx.query("SELECT id, name, created_at FROM pipeline_keys WHERE pipeline = $1 ORDER BY id",
                                pipeline.number)
                      .all([&](const store::Row& row) {
                        return PipelineKey{row.str(0), pipeline.name, row.str(1), row.time(2)};
                      });
  return response;
}

void delete_pipeline_key(Call& call, const DeletePipelineKeyRequest& request) {
  const Pipeline pipeline = own_pipeline(call, request.pipeline);
  const auto deleted =
      call.tx.exec("DELETE FROM pipeline_keys WHERE id = $1 AND pipeline = $2", request.id, pipeline.number);
  if (deleted == 0) {
    throw ApiError("ResourceNotFoundException", "Pipeline '" + pipeline.name + "' has no key '" + request.id + "'.");
  }
}

}  // namespace

std::optional<std::int64_t> pipeline_of_key(store::Tx& tx, std::string_view key) {
  if (key.size() != kKeyLength || !key.starts_with(kKeyPrefix)) return std::nullopt;
  const std::string_view id = key.substr(kKeyPrefix.size(), kKeyIdLength);
  if (id.find_first_not_of(kKeyLetters) != id.npos) return std::nullopt;
  const std::string hash = hash_of_key(key);
  std::optional<std::int64_t> pipeline;
  tx.query("SELECT pipeline, hash FROM pipeline_keys WHERE id = $1", id).each([&](const store::Row& row) {
    if (base::equals_in_constant_time(row.text(1), hash)) pipeline = row.integer(0);
  });
  return pipeline;
}

std::vector<Operation> key_operations() {
  return {operation<&create_pipeline_key>("CreatePipelineKey", Access::Write),
          operation<&delete_pipeline_key>("DeletePipelineKey", Access::Write),
          operation<&list_pipeline_keys>("ListPipelineKeys", Access::Read)};
}

}  // namespace services::pipelines
