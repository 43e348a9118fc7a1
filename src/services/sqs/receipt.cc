// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/receipt.h"

#include <cstring>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"

namespace services::sqs {
namespace {

constexpr int kRandomBits = 20;
constexpr std::size_t kCheckBytes = 6;

// Detects truncated, mistyped and invented handles. It does not stop forgers: a client that
// may delete from a queue may delete all of it.
std::string check_of(std::string_view bytes) { return base::md5(bytes).substr(0, kCheckBytes); }

}  // namespace

std::uint64_t message_tag(std::string_view message_id) {
  std::uint64_t tag = 0;
  std::memcpy(&tag, base::md5(message_id).data(), sizeof tag);
  return tag;
}

std::int64_t new_token(base::Time now) {
  std::uint32_t random = 0;
  std::memcpy(&random, base::random_bytes(sizeof random).data(), sizeof random);
  return base::to_millis(now) << kRandomBits | (random & ((1U << kRandomBits) - 1));
}

base::Time received_at(const Receipt& receipt) { return base::from_millis(receipt.token >> kRandomBits); }

std::string to_handle(const Receipt& receipt) {
  std::string bytes(sizeof receipt, '\0');
  std::memcpy(bytes.data(), &receipt, sizeof receipt);
  return base::to_base64(bytes + check_of(bytes));
}

std::optional<Receipt> parse_handle(std::string_view handle) {
  auto bytes = base::from_base64(handle);
  Receipt receipt;
  if (!bytes || bytes->size() != sizeof receipt + kCheckBytes) return std::nullopt;
  std::string_view body = std::string_view(*bytes).substr(0, sizeof receipt);
  if (check_of(body) != std::string_view(*bytes).substr(sizeof receipt)) return std::nullopt;
  std::memcpy(&receipt, body.data(), sizeof receipt);
  return receipt;
}

}  // namespace services::sqs
