// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/record.h"

#include <algorithm>

#include "services/ec2/network/default_network.h"
#include "services/ec2/resource_tags.h"

namespace services::ec2 {
namespace {

// Its row marks an account and region whose default network is rows too.
constexpr std::string_view kMarker = "default-network";

bool has_row(Call& call, std::string_view kind, const std::string& id) {
  return call.tx
             .query("SELECT count(*) FROM ec2_records WHERE account = $1 AND region = $2 AND kind = $3 AND id = $4",
                    call.caller.account, call.caller.region, kind, id)
             .integer() > 0;
}

void write_row(Call& call, const Record& record) {
  call.tx.exec("INSERT INTO ec2_records (account, region, kind, id, body) VALUES ($1, $2, $3, $4, $5) "
               "ON CONFLICT (account, region, kind, id) DO UPDATE SET body = excluded.body",
               call.caller.account, call.caller.region, record.kind, record.id, record.body);
}

// A change of the network first makes its default parts rows.
void store_default_network(Call& call, std::string_view kind) {
  if (kind == kKeyPairs || has_row(call, kMarker, "")) return;
  for (const Record& record : default_network(call.caller.account, call.caller.region)) write_row(call, record);
  write_row(call, {std::string(kMarker), "", "{}"});
}

}  // namespace

std::vector<Record> list_record_rows(Call& call, std::string_view kind) {
  if (kind != kKeyPairs && !has_row(call, kMarker, "")) {
    auto records = default_network(call.caller.account, call.caller.region);
    std::erase_if(records, [&](const Record& record) { return record.kind != kind; });
    return records;
  }
  return call.tx
      .query("SELECT id, body FROM ec2_records WHERE account = $1 AND region = $2 AND kind = $3 ORDER BY id",
             call.caller.account, call.caller.region, kind)
      .all([&](const store::Row& row) { return Record{std::string(kind), row.str(0), row.str(1)}; });
}

std::optional<Record> find_record_row(Call& call, std::string_view kind, const std::string& id) {
  for (Record& record : list_record_rows(call, kind)) {
    if (record.id == id) return std::move(record);
  }
  return std::nullopt;
}

void put_record_row(Call& call, const Record& record) {
  store_default_network(call, record.kind);
  write_row(call, record);
}

void delete_record(Call& call, std::string_view kind, const std::string& id) {
  store_default_network(call, kind);
  call.tx.exec("DELETE FROM ec2_records WHERE account = $1 AND region = $2 AND kind = $3 AND id = $4",
               call.caller.account, call.caller.region, kind, id);
  delete_all_tags(call, id);
}

}  // namespace services::ec2
