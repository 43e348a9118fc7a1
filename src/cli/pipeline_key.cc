// SPDX-License-Identifier: Apache-2.0
// stoker pipeline key create|list|delete, and webhook-secret
#include <ostream>

#include "cli/json.h"
#include "cli/pipeline_commands.h"
#include "cli/profile.h"
#include "cli/table.h"
#include "shapes/stoker/job.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

using namespace shapes::stoker;

}  // namespace

int pipeline_key_create(const Options& options, const std::string& pipeline, const std::optional<std::string>& name,
                        std::ostream& out) {
  client::Client client(read_profile(options));
  const CreatePipelineKeyRequest request{pipeline, name};
  const auto response = client.call<CreatePipelineKeyResponse>(kPipelinesTarget, "CreatePipelineKey", request);
  if (options.json) {
    print_json(out, response);
  } else {
    out << "id = " << response.key.id << "\nkey = " << response.secret << '\n';
  }
  return 0;
}

int pipeline_key_list(const Options& options, const std::string& pipeline, std::ostream& out) {
  client::Client client(read_profile(options));
  const auto response =
      client.call<ListPipelineKeysResponse>(kPipelinesTarget, "ListPipelineKeys", ListPipelineKeysRequest{pipeline});
  if (options.json) {
    print_json(out, response);
    return 0;
  }
  if (response.keys.empty()) {
    out << "no keys: `stoker pipeline key create " << pipeline << "` creates one\n";
    return 0;
  }
  std::vector<std::vector<std::string>> rows{{"ID", "CREATED", "NAME"}};
  for (const PipelineKey& key : response.keys) rows.push_back({key.id, wire::to_iso8601(key.createdAt), key.name});
  print_table(out, rows);
  return 0;
}

int pipeline_key_delete(const Options& options, const std::string& pipeline, const std::string& id, std::ostream& out) {
  client::Client client(read_profile(options));
  client.call(kPipelinesTarget, "DeletePipelineKey", DeletePipelineKeyRequest{pipeline, id});
  if (options.json) {
    print_json(out, PrintedId{id});
  } else {
    out << "deleted " << id << '\n';
  }
  return 0;
}

int pipeline_webhook_secret(const Options& options, const std::string& pipeline, std::ostream& out) {
  client::Client client(read_profile(options));
  const auto response = client.call<GetWebhookSecretResponse>(kPipelinesTarget, "GetWebhookSecret",
                                                              GetWebhookSecretRequest{pipeline});
  if (options.json) {
    print_json(out, response);
  } else {
    out << response.secret << '\n';
  }
  return 0;
}

}  // namespace cli
