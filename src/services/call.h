// SPDX-License-Identifier: Apache-2.0
// What a handler gets. A handler is a plain function in one transaction:
//   SendMessageResult send_message(Call& call, const SendMessageRequest& request);
// It returns a struct or throws wire::ApiError, and may run more than once.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/time.h"
#include "services/locals.h"
#include "store/store.h"

namespace services {

class Directory;

// Who sent the request, and how it reached us. The same for each run of a handler.
struct Caller {
  std::string account;     // 12 digits; "" for an anonymous caller
  std::string access_key;  // its id
  std::string region;      // of the credential scope
  std::string endpoint;    // "http://127.0.0.1:4566": how the client reached us
  std::string request_id;
  bool root = false;       // the key that the first start creates
  bool temporary = false;  // a session key
  bool task = false;       // the key of a task's role
  bool machine = false;    // the key of a machine, with which its agent joined
  std::string address = {};  // the client's, without its port
  // A service that calls another (services/invoke.h): "s3.amazonaws.com", and the resource on whose behalf,
  // an ARN. Both are "" for clients.
  std::string service = {}, source_arn = {};
  std::string trace = {};  // X-Amzn-Trace-Id; "": none
  // Condition keys of policies that only the door knows: "aws:Referer".
  std::map<std::string, std::string> conditions = {};

  bool anonymous() const { return account.empty(); }
  bool secure() const { return endpoint.starts_with("https://"); }
  std::string arn() const { return "arn:aws:iam::" + account + ":root"; }
};

// The handler has no result yet. It runs again when the topic is woken, at `again`, and for the
// last time at `until`.
struct Wait {
  std::string topic;
  base::Time until;
  std::optional<base::Time> again;
};

// Lets up to `most` waiters of a topic run again: as many as there is something for.
struct Wake {
  static constexpr std::size_t kAll = static_cast<std::size_t>(-1);

  std::string topic;
  std::size_t most = kAll;
};

struct Call {
  store::Tx& tx;
  const Caller& caller;
  base::Time now;
  base::Time started;  // `now` of the first run
  const Locals* locals = nullptr;
  const Directory* directory = nullptr;  // for services/invoke.h

  // Take effect once the transaction is committed.
  std::vector<Wake> wakes = {};
  std::optional<Wait> wait = {};
  // Take effect once the transaction was rolled back: for what the call took in memory, and returns in tx.on_end.
  std::vector<Wake> wakes_if_failed = {};
  const void* prepared = nullptr;  // by Operation::prepare, of the type that this operation prepares

  // What a service keeps in memory. Change it in tx.on_end, or at once and undo it there.
  template <class T>
  T& local() const {
    CHECK(locals) << "a call without memory";
    return locals->get<T>();
  }

  void wake(std::string topic, std::size_t most = Wake::kAll) { wakes.push_back({std::move(topic), most}); }
  void wake_if_failed(std::string topic) { wakes_if_failed.push_back({std::move(topic)}); }
};

}  // namespace services
