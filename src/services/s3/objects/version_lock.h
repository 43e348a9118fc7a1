// SPDX-License-Identifier: Apache-2.0
// Object Lock's protection of one version of an object.
#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <string>

#include "base/time.h"

namespace services::s3 {

// The column `object_lock` of objects and uploads, by services::to_json.
struct VersionLock {
  std::optional<std::string> Mode;            // "GOVERNANCE", "COMPLIANCE"; with RetainUntilDate
  std::optional<base::Time> RetainUntilDate;
  std::optional<std::string> LegalHold;       // "ON", "OFF"; nullopt: never set
  bool operator==(const VersionLock&) const = default;

  bool empty() const { return !Mode && !LegalHold; }
  bool retained(base::Time now) const { return RetainUntilDate && *RetainUntilDate > now; }
  // `bypass`: the caller may and wants to ignore the mode GOVERNANCE.
  bool protects(base::Time now, bool bypass) const {
    return LegalHold == "ON" || (retained(now) && !(bypass && Mode == "GOVERNANCE"));
  }
};
BOOST_DESCRIBE_STRUCT(VersionLock, (), (Mode, RetainUntilDate, LegalHold))

}  // namespace services::s3
