// SPDX-License-Identifier: Apache-2.0
// stoker pipeline ...
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "client/client.h"
#include "shapes/stoker/pipeline.h"

namespace cli {

extern const client::Target kPipelinesTarget;

// Creates a pipeline, which must not exist.
int pipeline_create(const Options& options, const shapes::stoker::PipelineSpec& spec, std::ostream& out);
// Creates or changes it.
int pipeline_apply(const Options& options, const shapes::stoker::PipelineSpec& spec, std::ostream& out);
// Returns 1 when apply would change something.
int pipeline_diff(const Options& options, const shapes::stoker::PipelineSpec& spec, std::ostream& out);
int pipeline_list(const Options& options, std::ostream& out);
int pipeline_show(const Options& options, const std::string& name, std::ostream& out);
int pipeline_pause(const Options& options, const std::string& name, std::ostream& out);
int pipeline_resume(const Options& options, const std::string& name, std::ostream& out);

struct PipelineDeletion {
  std::string name;
  bool delete_data = false;
  bool yes = false;  // do not ask
};
// Asks on `out` and reads the answer from `in` before it deletes data.
int pipeline_delete(const Options& options, const PipelineDeletion& deletion, std::istream& in, std::ostream& out);

int pipeline_key_create(const Options& options, const std::string& pipeline, const std::optional<std::string>& name,
                        std::ostream& out);
int pipeline_key_list(const Options& options, const std::string& pipeline, std::ostream& out);
int pipeline_key_delete(const Options& options, const std::string& pipeline, const std::string& id, std::ostream& out);
// Prints the secret that signs the webhooks of the pipeline and of its jobs.
int pipeline_webhook_secret(const Options& options, const std::string& pipeline, std::ostream& out);

// The lines of `stoker pipeline show`. `endpoint` is the server's address.
void print_pipeline(std::ostream& out, const shapes::stoker::PipelineDescription& pipeline, const std::string& endpoint,
                    base::Time now);

}  // namespace cli
