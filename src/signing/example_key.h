// SPDX-License-Identifier: Apache-2.0
// Secret keys and a date of Amazon's published examples, for tests.
#pragma once

#include "base/time.h"

namespace signing {

inline constexpr const char* kExampleSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";    // S3's documentation
inline constexpr const char* kTestSuiteSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";  // the SigV4 test suite
inline constexpr base::Time kExampleTime =
    std::chrono::sys_days(std::chrono::year(2015) / 12 / 29);  // of the form example

}  // namespace signing
