// SPDX-License-Identifier: Apache-2.0
// Lists of queues, page by page.
#include "services/page.h"
#include "services/sqs/errors.h"
#include "services/sqs/operations.h"
#include "services/sqs/queue.h"
#include "shapes/sqs/queue.h"

namespace services::sqs {
using namespace shapes::sqs;
namespace {

constexpr std::int32_t kMaxPage = 1000;

const PageRules kQueuePages = {
    .most = kMaxPage,
    .invalid_size = [](std::int32_t size) {
      return invalid_value(std::to_string(size), "MaxResults", "Must be an integer value between 1 and 1000.");
    },
    .invalid_token = [](const std::string&) { return invalid_parameter("Invalid or expired next token."); }};

template <class Request>
Page page_of(const Request& request) {
  if (!request.MaxResults && !request.NextToken.value_or("").empty()) {
    throw invalid_parameter("MaxResults is a mandatory parameter when you provide a value for NextToken.");
  }
  return read_page(request.MaxResults, request.NextToken, kQueuePages);
}

// Amazon returns a token only where the request has MaxResults.
template <class Request>
std::optional<std::string> cut_names(std::vector<std::string>& names, const Page& page, const Request& request) {
  auto token = cut_page(names, page);
  return request.MaxResults ? token : std::nullopt;
}

ListQueuesResult list_queues(Call& call, const ListQueuesRequest& request) {
  const Page page = page_of(request);
  const std::string prefix = request.QueueNamePrefix.value_or("");
  // Names are ASCII: all with the prefix sort before this one.
  const std::string end = prefix + "\x7f";
  auto names = call.tx.query("SELECT name FROM sqs_queues WHERE account = $1 AND region = $2 AND name > $3"
                             " AND name >= $4 AND name < $5 ORDER BY name LIMIT $6",
                             call.caller.account, call.caller.region, page.after, prefix, end, page.size + 1)
                   .all([](const store::Row& row) { return row.str(0); });
  ListQueuesResult result;
  result.NextToken = cut_names(names, page, request);
  for (std::string& name : names) name.insert(0, call.caller.endpoint + "/" + call.caller.account + "/");
  if (!names.empty()) result.QueueUrls = std::move(names);
  return result;
}

ListDeadLetterSourceQueuesResult list_dead_letter_source_queues(Call& call,
                                                                const ListDeadLetterSourceQueuesRequest& request) {
  Queue queue = find_queue(call, request.QueueUrl, "ListDeadLetterSourceQueues");
  const Page page = page_of(request);
  auto names = call.tx.query("SELECT name FROM sqs_queues WHERE dead_letter_arn = $1 AND name > $2 ORDER BY name"
                             " LIMIT $3",
                             queue.arn(), page.after, page.size + 1)
                   .all([](const store::Row& row) { return row.str(0); });
  ListDeadLetterSourceQueuesResult result;
  result.NextToken = cut_names(names, page, request);
  for (const std::string& name : names) result.queueUrls.push_back(call.caller.endpoint + "/" + queue.account + "/" + name);
  return result;
}

}  // namespace

std::vector<Operation> queue_list_operations() {
  return {
      operation<&list_dead_letter_source_queues>("ListDeadLetterSourceQueues", Access::Read),
      operation<&list_queues>("ListQueues", Access::Read),
  };
}

}  // namespace services::sqs
