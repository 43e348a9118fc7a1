// SPDX-License-Identifier: Apache-2.0
// The part of `stoker run` that registers a task definition and starts its tasks.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/cluster_client.h"
#include "cli/run_arguments.h"
#include "shapes/stoker/explain.h"

namespace cli {

struct RunDefinition {
  std::string arn;
  bool created = false;  // false: a revision that the same arguments created before
};

// Reuses the latest revision if the same arguments created it, else registers a new one.
RunDefinition find_or_create(ClusterClient& client, const shapes::ecs::RegisterTaskDefinitionRequest& wanted);

// Removes a revision that this command created. False: it could not be removed.
bool delete_created(ClusterClient& client, const RunDefinition& definition);
// The same at the end of a run with --rm: an error is printed to `err`.
void remove_revision(ClusterClient& client, const RunDefinition& definition, std::ostream& err);

struct StartedTasks {
  std::vector<shapes::ecs::Task> tasks;
  std::string error;  // why those after them were not started, or ""
};
// Fewer tasks than requested, or none, where there is no room. An error before the first task is thrown.
StartedTasks start_tasks(ClusterClient& client, const std::string& definition, const RunArguments& arguments);

// A run that does not wait for its task.
struct BackgroundRun {
  int status = 0;    // of a run that was rejected, after its explanation
  std::string task;  // its id; "": the run was rejected
  RunDefinition definition;
};
// One task. Prints its machine, or the explanation, to `err`.
BackgroundRun run_in_background(const Options& options, const RunArguments& arguments, std::ostream& err);

// Where the constraints of the arguments allow it to run.
shapes::stoker::StokerExplainResponse explain_run(ClusterClient& client, const std::string& definition,
                                                  const RunArguments& arguments);

}  // namespace cli
