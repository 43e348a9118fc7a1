// SPDX-License-Identifier: Apache-2.0
// Stores results so that each item has one, however many workers worked on it: a result is written only where there is
// none, or an older one. The sequencer of the input's event, kept with the result, is the order.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "client/object_client.h"
#include "worker/item.h"
#include "worker/options.h"

namespace worker {

inline constexpr char kSequencerHeader[] = "x-amz-meta-stoker-sequencer";

enum class Stored {
  Written,
  Present,     // somebody else has stored the result of the same input
  Superseded,  // there is the result of a newer input
};

class Results {
 public:
  // `objects` must outlive it. `who`: the task and the machine, for error documents. `patience`: how long calls are
  // repeated while S3 does not respond.
  struct Origin {
    std::string task, machine;
  };
  Results(client::ObjectClient& objects, const Options& options, Origin origin,
          base::Duration patience = std::chrono::minutes(2));

  // Downloads the input and reads its content type and metadata. "" or a failure.
  boost::asio::awaitable<std::optional<Failure>> fetch(Item& item);
  // Whether the item has a result already: that of its input or of a newer one.
  boost::asio::awaitable<bool> is_done(const Item& item);
  boost::asio::awaitable<base::Result<Stored>> store(const Item& item, std::string json);
  // Best effort: the queue counts the failure in any case. False where it is not stored.
  boost::asio::awaitable<bool> store_error(const Item& item, Failure failure, base::Time now);

 private:
  struct PutCall {
    client::ObjectName name;
    base::Headers headers;
    std::string body;
  };

  std::string bucket_for(const Item& item) const;
  boost::asio::awaitable<client::ObjectReply> put(PutCall call);
  boost::asio::awaitable<client::ObjectReply> head(client::ObjectName name);

  client::ObjectClient& objects_;
  const Options& options_;
  const Origin origin_;
  const base::Duration patience_;
};

}  // namespace worker
