// SPDX-License-Identifier: Apache-2.0
#include "api/admission.h"

#include <algorithm>
#include <array>

namespace api {
namespace {

constexpr std::array<std::string_view, 29> kVerbs = {
    "Abort",   "Cancel", "Change", "Complete", "Delete",    "Deregister", "Detach", "Disable", "Disassociate", "Enter",
    "Exit",    "Modify", "Pause",  "Purge",    "Receive",   "Record",     "Remove", "Report",  "Resume",       "Revoke",
    "Rollback", "Set",   "Stop",   "Submit",   "Suspend",   "Terminate",  "Untag",  "Update",  "Reboot"};

// These free space later, or keep machines and their tasks running.
constexpr std::array<std::string_view, 5> kAlso = {"AssumeRole", "GetSessionToken", "PutBucketLifecycleConfiguration",
                                                   "PutRetentionPolicy", "RegisterContainerInstance"};

}  // namespace

bool grows(std::string_view operation) {
  const auto begins = [&](std::string_view verb) { return operation.starts_with(verb); };
  return std::none_of(kVerbs.begin(), kVerbs.end(), begins) &&
         std::find(kAlso.begin(), kAlso.end(), operation) == kAlso.end();
}

}  // namespace api
