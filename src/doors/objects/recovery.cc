// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/recovery.h"

#include "base/log.h"
#include "services/s3/blobs.h"

namespace doors::objects {

void recover_files(store::Store& store, const ::objects::Files& files) {
  ::objects::Files::Recovered recovered;
  store.read_now([&](store::Tx& tx) {
    recovered = files.recover([&](const std::string& name) { return services::s3::is_named(tx, name); });
  });
  if (recovered.kept + recovered.dropped == 0) return;
  base::log_info("recovered files", {{"kept", recovered.kept}, {"dropped", recovered.dropped}});
}

}  // namespace doors::objects
