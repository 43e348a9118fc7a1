// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/definitions/description.h"

#include "services/page.h"
#include "services/pipelines/definitions/definition_operations.h"
#include "services/pipelines/definitions/reconciliation.h"
#include "services/pipelines/definitions/stored_resources.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

using namespace shapes::stoker;

constexpr std::int32_t kMaxListedPipelines = 100;

Page pipeline_page(const ListPipelinesRequest& request) {
  const auto error = [](const std::string& text) { return wire::ApiError("ValidationException", text); };
  return read_page(request.maxResults, request.nextToken,
                   {.most = kMaxListedPipelines,
                    .invalid_size = [&](std::int32_t size) {
                      return error("maxResults is " + std::to_string(size) + ", but must be 1 to 100.");
                    },
                    .invalid_token = [&](const std::string&) { return error("The nextToken is invalid."); }});
}

// ECS's event only states that no machine fits.
void explain_builtin(const Settings& settings, PipelineDescription& out) {
  if (settings.builtin.empty() || !settings.image.empty() || !out.lastEvent) return;
  if (out.lastEvent->find("MemberOf placement constraint") == std::string::npos) return;
  *out.lastEvent += " The built-in " + settings.builtin + " needs a machine with the attribute stoker.builtin." +
                    settings.builtin + ", which agents with the process driver have if the program stoker-" +
                    settings.builtin + " is beside stoker; or an image that contains it.";
}

DescribePipelineResponse describe_pipeline(Call& call, const DescribePipelineRequest& request) {
  if (const auto removal = find_removal(call, request.name)) return {describe(*removal)};
  return {describe(call, require_pipeline(call, request.name), Detail::Full)};
}

// Those being deleted are on the last page.
ListPipelinesResponse list_all_pipelines(Call& call, const ListPipelinesRequest& request) {
  const Page page = pipeline_page(request);
  ListPipelinesResponse response;
  std::vector<std::string> names;
  for (const Pipeline& pipeline :
       list_pipelines(call.tx, call.caller.account, call.caller.region, page.after, page.size + 1)) {
    names.push_back(pipeline.name);
    if (std::ssize(names) <= page.size) response.pipelines.push_back(describe(call, pipeline, Detail::Summary));
  }
  response.nextToken = cut_page(names, page);
  if (response.nextToken) return response;
  for (const Removal& removal : list_removals(call)) response.pipelines.push_back(describe(removal));
  return response;
}

}  // namespace

Pipeline require_pipeline(Call& call, const std::string& name) {
  auto pipeline = load_pipeline(call.tx, call.caller.account, call.caller.region, name);
  if (pipeline) return std::move(*pipeline);
  if (const auto removal = find_removal(call, name)) {
    throw wire::ApiError("ConflictException", "The pipeline '" + name + "' is being deleted: its bucket is emptied.");
  }
  throw wire::ApiError("ResourceNotFoundException",
                       "The pipeline '" + name + "' does not exist. 'stoker pipeline list' shows those that do.");
}

PipelineDescription describe(Call& call, const Pipeline& pipeline, Detail detail) {
  PipelineDescription out;
  out.name = pipeline.name;
  out.status = pipeline.paused ? "PAUSED" : "ACTIVE";
  out.createdAt = pipeline.created_at;
  out.spec = from_json<PipelineSpec>(pipeline.spec_json);
  const Settings settings = check_spec(*out.spec);
  const ResourceNames names = resource_names(settings, owner_of(pipeline));
  out.bucket = names.bucket;
  out.logGroup = names.log_group;
  if (detail == Detail::Full) {
    const ResourceSet resources = stored_resources(pipeline);
    out.resources.emplace(resources.begin(), resources.end());
  }
  show_workers(call, names, settings.cluster, out);
  show_scaling(call, names, out);
  show_items(call, names, out);
  explain_builtin(settings, out);
  return out;
}

PipelineDescription describe(const Removal& removal) {
  PipelineDescription out;
  out.name = removal.name;
  out.status = "DELETING";
  out.createdAt = removal.created_at;
  out.bucket = removal.bucket;
  if (!removal.problem.empty()) out.lastEvent = removal.problem;
  return out;
}

std::vector<Operation> pipeline_reading_operations() {
  return {
      operation<&describe_pipeline>("DescribePipeline", Access::Read),
      operation<&list_all_pipelines>("ListPipelines", Access::Read),
  };
}

}  // namespace services::pipelines
