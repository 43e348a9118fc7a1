// SPDX-License-Identifier: Apache-2.0
// Lists of queues, page by page. A token is the last name of the page before it, so
// that it survives the deletion of that queue.
#include "services/sqs/errors.h"
#include "services/sqs/handlers.h"
#include "services/sqs/queue.h"

namespace services::sqs {
namespace {

constexpr std::int32_t kMaxPage = 1000;

struct Page {
  std::int64_t size = kMaxPage;
  std::string after;
  bool tokens = false;  // Amazon gives a token only to those who asked for pages
};

Page page_of(const std::optional<std::int32_t>& max_results, const std::optional<std::string>& token) {
  Page page;
  if (max_results) {
    if (*max_results < 1 || *max_results > kMaxPage) {
      throw invalid_value(std::to_string(*max_results), "MaxResults", "Must be an integer value between 1 and 1000.");
    }
    page.size = *max_results;
    page.tokens = true;
  }
  if (token && !token->empty()) {
    if (!max_results) throw invalid_parameter("MaxResults is a mandatory parameter when you provide a value for NextToken.");
    auto after = base::from_base64(*token);
    if (!after) throw invalid_parameter("Invalid or expired next token.");
    page.after = *after;
  }
  return page;
}

// `names` holds one more than the page where there is more.
template <class Result, class Urls>
void cut(Result& result, Urls& urls, std::vector<std::string> names, const Page& page, const std::string& base_url) {
  const bool more = names.size() > static_cast<std::size_t>(page.size);
  if (more) names.pop_back();
  for (const std::string& name : names) urls.push_back(base_url + name);
  if (more && page.tokens) result.NextToken = base::to_base64(names.back());
}

}  // namespace

ListQueuesResult list_queues(Call& call, const ListQueuesRequest& request) {
  const Page page = page_of(request.MaxResults, request.NextToken);
  const std::string prefix = request.QueueNamePrefix.value_or("");
  // Names are ASCII: all that begin so lie before this one.
  const std::string end = prefix + "\x7f";
  auto names = call.tx.query("SELECT name FROM sqs_queues WHERE account = $1 AND region = $2 AND name > $3"
                             " AND name >= $4 AND name < $5 ORDER BY name LIMIT $6",
                             call.caller.account, call.caller.region, page.after, prefix, end, page.size + 1)
                   .all([](const store::Row& row) { return row.str(0); });
  ListQueuesResult result;
  std::vector<std::string> urls;
  cut(result, urls, std::move(names), page, call.caller.endpoint + "/" + call.caller.account + "/");
  if (!urls.empty()) result.QueueUrls = std::move(urls);
  return result;
}

ListDeadLetterSourceQueuesResult list_dead_letter_source_queues(Call& call,
                                                                const ListDeadLetterSourceQueuesRequest& request) {
  Queue queue = find_queue(call, request.QueueUrl, "ListDeadLetterSourceQueues");
  const Page page = page_of(request.MaxResults, request.NextToken);
  auto names = call.tx.query("SELECT name FROM sqs_queues WHERE dead_letter_arn = $1 AND name > $2 ORDER BY name"
                             " LIMIT $3",
                             queue.arn(), page.after, page.size + 1)
                   .all([](const store::Row& row) { return row.str(0); });
  ListDeadLetterSourceQueuesResult result;
  cut(result, result.queueUrls, std::move(names), page, call.caller.endpoint + "/" + queue.account + "/");
  return result;
}

}  // namespace services::sqs
