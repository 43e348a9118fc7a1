// SPDX-License-Identifier: Apache-2.0
// Key pairs. Stoker logs in to no machine: the keys are for those who do.
#include "services/ec2/errors.h"
#include "services/ec2/filters.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/key_material.h"
#include "services/ec2/network/default_network.h"
#include "services/ec2/operations.h"
#include "services/ec2/record.h"
#include "services/ec2/resource_tags.h"
#include "shapes/ec2/key_pair.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;
using wire::ApiError;

constexpr std::size_t kMaxKeyName = 255, kMaxKeyPairs = 5000;  // Amazon's quota of a region
constexpr std::string_view kKeyFilters[] = {"fingerprint", "key-name", "key-pair-id"};

void check_new_key_name(Call& call, const std::string& name) {
  if (name.empty()) throw missing_parameter("KeyName");
  if (name.size() > kMaxKeyName) throw invalid_value("A key name has at most 255 characters.");
  const auto pairs = list_records<KeyPairInfo>(call, kKeyPairs);
  for (const KeyPairInfo& pair : pairs) {
    if (pair.KeyName == name) throw ApiError("InvalidKeyPair.Duplicate", "The keypair already exists");
  }
  if (pairs.size() >= kMaxKeyPairs) throw ApiError("KeyPairLimitExceeded", "The maximum number of key pairs is 5000.");
}

KeyPairInfo store_key(Call& call, const std::string& name, const ImportedKey& key, const Tags& tags) {
  KeyPairInfo pair;
  pair.KeyPairId = make_id("key");
  pair.KeyName = name;
  pair.KeyType = key.type;
  pair.KeyFingerprint = key.fingerprint;
  pair.PublicKey = key.public_text + " " + name;
  pair.CreateTime = std::chrono::floor<std::chrono::seconds>(call.now);
  put_record(call, kKeyPairs, *pair.KeyPairId, pair);
  put_tags(call, *pair.KeyPairId, kKeyPairs, tags);
  if (!tags.empty()) pair.Tags = shown_tags(tags);
  return pair;
}

bool can_have_key(const void* input) {
  const auto& request = *static_cast<const CreateKeyPairRequest*>(input);
  return request.KeyFormat.value_or("pem") == "pem" && !request.KeyName.empty() && !request.DryRun.value_or(false);
}

// A tenth of a second for RSA: too long for the writer's thread.
std::shared_ptr<const void> prepare_key(Call&, const void* input) {
  const auto& request = *static_cast<const CreateKeyPairRequest*>(input);
  return std::make_shared<NewKey>(make_key(request.KeyType.value_or("rsa")));
}

KeyPair create_key_pair(Call& call, const CreateKeyPairRequest& request) {
  if (request.KeyFormat.value_or("pem") != "pem") throw unsupported_parameter("KeyFormat with the value ppk");
  check_new_key_name(call, request.KeyName);
  const Tags tags = requested_tags(call, request.TagSpecifications, kKeyPairs);
  check_dry_run(request.DryRun);
  const std::string type = request.KeyType.value_or("rsa");
  const NewKey key = call.prepared ? *static_cast<const NewKey*>(call.prepared) : make_key(type);
  const KeyPairInfo pair = store_key(call, request.KeyName, {type, key.public_text, key.fingerprint}, tags);
  return {pair.KeyPairId, pair.Tags, pair.KeyName, pair.KeyFingerprint, key.private_pem};
}

ImportKeyPairResult import_key_pair(Call& call, const ImportKeyPairRequest& request) {
  check_new_key_name(call, request.KeyName);
  const Tags tags = requested_tags(call, request.TagSpecifications, kKeyPairs);
  const auto key = parse_public_key(request.PublicKeyMaterial.bytes);
  if (!key) throw ApiError("InvalidKey.Format", "Key is not in valid OpenSSH public key format");
  check_dry_run(request.DryRun);
  const KeyPairInfo pair = store_key(call, request.KeyName, *key, tags);
  return {pair.KeyFingerprint, pair.KeyName, pair.KeyPairId, pair.Tags};
}

bool lists(const std::optional<std::vector<std::string>>& names, const std::string& name) {
  return names && std::find(names->begin(), names->end(), name) != names->end();
}

void check_all_found(const DescribeKeyPairsRequest& request, const std::vector<KeyPairInfo>& pairs) {
  const auto has = [&](const std::string& value, auto member) {
    return std::any_of(pairs.begin(), pairs.end(), [&](const KeyPairInfo& pair) { return pair.*member == value; });
  };
  for (const std::string& name : request.KeyNames.value_or(std::vector<std::string>())) {
    if (!has(name, &KeyPairInfo::KeyName)) throw id_not_found("InvalidKeyPair.NotFound", "key pair", name);
  }
  for (const std::string& id : request.KeyPairIds.value_or(std::vector<std::string>())) {
    if (!has(id, &KeyPairInfo::KeyPairId)) throw id_not_found("InvalidKeyPair.NotFound", "key pair", id);
  }
}

DescribeKeyPairsResult describe_key_pairs(Call& call, const DescribeKeyPairsRequest& request) {
  check_filters(request.Filters, kKeyFilters);
  check_dry_run(request.DryRun);
  auto pairs = list_records<KeyPairInfo>(call, kKeyPairs);
  check_all_found(request, pairs);
  auto tags = tags_of_type(call, kKeyPairs);
  const bool all = !request.KeyNames && !request.KeyPairIds;
  std::erase_if(pairs, [&](const KeyPairInfo& pair) {
    const auto values = [&](std::string_view name) {
      if (name == "fingerprint") return as_values(pair.KeyFingerprint);
      return as_values(name == "key-name" ? pair.KeyName : pair.KeyPairId);
    };
    const bool named = all || lists(request.KeyNames, *pair.KeyName) || lists(request.KeyPairIds, *pair.KeyPairId);
    return !named || !passes(request.Filters, tags[*pair.KeyPairId], values);
  });
  for (KeyPairInfo& pair : pairs) {
    if (!request.IncludePublicKey.value_or(false)) pair.PublicKey.reset();
    pair.Tags = shown_tags(tags[*pair.KeyPairId]);
  }
  DescribeKeyPairsResult result;
  result.KeyPairs = std::move(pairs);
  return result;
}

// Succeeds for a key pair that does not exist, as at Amazon.
DeleteKeyPairResult delete_key_pair(Call& call, const DeleteKeyPairRequest& request) {
  if (!request.KeyName && !request.KeyPairId) throw missing_parameter("KeyName");
  check_dry_run(request.DryRun);
  DeleteKeyPairResult result;
  result.Return = true;
  for (const KeyPairInfo& pair : list_records<KeyPairInfo>(call, kKeyPairs)) {
    const bool named = request.KeyPairId ? pair.KeyPairId == *request.KeyPairId : pair.KeyName == *request.KeyName;
    if (!named) continue;
    delete_record(call, kKeyPairs, *pair.KeyPairId);
    result.KeyPairId = pair.KeyPairId;
  }
  return result;
}

}  // namespace

std::vector<Operation> key_pair_operations() {
  Operation create = operation<&create_key_pair>("CreateKeyPair", Access::Write);
  create.prepare = &prepare_key;
  create.needs_preparation = &can_have_key;
  return {create,
          operation<&import_key_pair>("ImportKeyPair", Access::Write),
          operation<&describe_key_pairs>("DescribeKeyPairs", Access::Read),
          operation<&delete_key_pair>("DeleteKeyPair", Access::Write)};
}

}  // namespace services::ec2
