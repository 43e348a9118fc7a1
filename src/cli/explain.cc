// SPDX-License-Identifier: Apache-2.0
// stoker explain
#include <ostream>
#include <stdexcept>

#include "cli/explanation.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/table.h"

namespace cli {
namespace {

using namespace shapes::stoker;

constexpr int kNotPlaceable = 2;

bool may_be_task_id(const std::string& text) {
  if (text.starts_with("arn:")) return text.find(":task/") != text.npos;
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == text.npos;
}

StokerExplainResponse explain_task(ClusterClient& client, const std::string& id) {
  return client.call<StokerExplainResponse>("StokerExplain",
                                            StokerExplainRequest{.cluster = client.cluster(), .task = id});
}

StokerExplainResponse explain_task_or_definition(ClusterClient& client, const std::string& what) {
  if (!may_be_task_id(what)) return explain_definition(client, what);
  std::string id;
  try {
    id = client.find_task(what);
  } catch (const std::runtime_error& no_task) {
    if (what.starts_with("arn:")) throw;
    try {
      return explain_definition(client, what);  // a family may be called "cafe"
    } catch (const wire::ApiError&) {
      throw std::runtime_error(no_task.what());
    }
  }
  return explain_task(client, id);
}

void print(std::ostream& out, const Options& options, const StokerExplainResponse& explanation) {
  if (options.json) {
    print_json(out, explanation);
  } else {
    print_explanation(out, explanation);
  }
}

}  // namespace

StokerExplainResponse explain_definition(ClusterClient& client, const std::string& definition) {
  StokerExplainRequest request{.cluster = client.cluster(), .taskDefinition = definition};
  return client.call<StokerExplainResponse>("StokerExplain", request);
}

void print_explanation(std::ostream& out, const StokerExplainResponse& explanation) {
  for (const std::string& sentence : explanation.sentences) out << with_short_ids(sentence) << '\n';
  if (!explanation.machines || explanation.machines->empty()) return;
  std::vector<std::vector<std::string>> rows{{"MACHINE", "FITS", "WHY NOT"}};
  for (const StokerMachineVerdict& verdict : *explanation.machines) {
    std::string why = with_short_ids(verdict.detail.value_or(""));
    if (why.starts_with(verdict.machine + ": ")) why = why.substr(verdict.machine.size() + 2);
    rows.push_back(
        {verdict.machine, verdict.fits ? "yes" : "no", why + (verdict.reason ? " [" + *verdict.reason + "]" : "")});
  }
  out << '\n';
  print_table(out, rows);
  if (explanation.more) out << "more machines are not shown\n";
}

int explain(const Options& options, const std::string& what, std::ostream& out) {
  ClusterClient client(options);
  const StokerExplainResponse explanation = explain_task_or_definition(client, what);
  print(out, options, explanation);
  return explanation.state || explanation.placement ? 0 : kNotPlaceable;
}

int explain_service(const Options& options, const std::string& service, std::ostream& out) {
  ClusterClient client(options);
  StokerExplainRequest request{.cluster = client.cluster()};
  request.service = service;
  try {
    print(out, options, client.call<StokerExplainResponse>("StokerExplain", request));
  } catch (const wire::ApiError& error) {
    if (error.code() != "ServiceNotFoundException") throw;
    throw client.no_such_service(service);
  }
  return 0;
}

}  // namespace cli
