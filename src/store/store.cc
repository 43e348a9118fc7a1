// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <future>

namespace store {
namespace {

// Shared, because the thread that sets it may still be inside it when the one that
// waited has gone.
using Outcome = std::shared_ptr<std::promise<void>>;

Store::Done settle(Outcome outcome) {
  return [outcome = std::move(outcome)](std::exception_ptr error) {
    if (error) {
      outcome->set_exception(error);
    } else {
      outcome->set_value();
    }
  };
}

}  // namespace

void Store::write_now(const Work& work) {
  auto outcome = std::make_shared<std::promise<void>>();
  auto waited = outcome->get_future();
  write([&work](Tx& tx) { work(tx); }, settle(std::move(outcome)));
  waited.get();
}

void Store::read_now(const Work& work) {
  auto outcome = std::make_shared<std::promise<void>>();
  auto waited = outcome->get_future();
  read([&work](Tx& tx) { work(tx); }, settle(std::move(outcome)));
  waited.get();
}

}  // namespace store
