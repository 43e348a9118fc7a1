// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/form_body.h"

#include "doors/objects/errors.h"
#include "base/bytes.h"
#include "base/check.h"
#include "base/utf8.h"

namespace doors::objects {
namespace asio = boost::asio;

FormBody::FormBody(http::Exchange& exchange, std::string payload_hash)
    : exchange_(exchange), form_(exchange.head().headers.get("Content-Type")), payload_hash_(std::move(payload_hash)) {}

asio::awaitable<void> FormBody::read_piece() {
  piece_ = co_await exchange_.read_piece();
  left_ = piece_;
  if (!payload_hash_.empty()) hasher_.update(piece_);
}

asio::awaitable<void> FormBody::read_fields() {
  while (!form_.file_begun()) {
    if (left_.empty()) {
      co_await read_piece();
    }
    if (piece_.empty()) form_.finish();  // throws: there is no file
    form_.next(left_);
  }
}

asio::awaitable<std::string> FormBody::next() {
  std::string bytes;
  for (;;) {
    while (!left_.empty()) bytes += form_.next(left_);
    if (!bytes.empty()) co_return bytes;
    co_await read_piece();
    if (!piece_.empty()) continue;
    form_.finish();
    const std::string computed = payload_hash_.empty() ? "" : base::to_hex(hasher_.finish());
    if (computed != payload_hash_) throw payload_hash_error(payload_hash_, computed);
    co_return bytes;
  }
}

void fill_form(const signing::FormData& form, const wire::TypeInfo& type, void* input) {
  const wire::Field* fields = type.find("Fields");
  const wire::Field* name = type.find("FileName");
  CHECK(fields && name) << "no input of a form: " << type.name;
  void* map = fields->make(*fields, input);
  for (const auto& [key, value] : form.fields()) {
    if (!base::is_utf8(key) || !base::is_utf8(value)) {
      throw signing::BodyError(400, "InvalidArgument", "The form's fields are not UTF-8.");
    }
    *static_cast<std::string*>(fields->type->insert(*fields->type, map, base::to_lower(key))) = value;
  }
  *static_cast<std::string*>(name->make(*name, input)) = base::to_printable(form.file().name);
}

}  // namespace doors::objects
