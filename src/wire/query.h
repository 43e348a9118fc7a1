// SPDX-License-Identifier: Apache-2.0
// Query parameters -> values, by table: "Attribute.1.Name=DelaySeconds&...", in the
// query protocol and in EC2's dialect of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/type.h"
#include "wire/validate.h"

namespace wire {

// CloudWatch's PutMetricData may have a thousand metrics of about seventy parameters each.
inline constexpr std::size_t kMaxQueryParameters = 100'000;
inline constexpr int kMaxQueryDepth = 32;

// The parameters of a form, decoded and sorted by name.
class QueryParameters {
 public:
  struct Parameter {
    std::string name;
    std::string value;
  };

  // Adds the parameters of "a=1&b=2". Throws ApiError MalformedQueryString.
  void add(std::string_view form);
  // Sorts by name, stably.
  void sort();
  const std::vector<Parameter>& all() const { return all_; }

 private:
  std::vector<Parameter> all_;
};

enum class QueryDialect { Query, Ec2 };

// Fills the struct, ignoring unknown parameters. Returns the missing required members.
// Throws ApiError InvalidParameterValue. Accepts lists flattened or not, and a member's
// own name as well as its XML name: older and newer clients differ.
std::vector<Violation> read_query(const TypeInfo& type, QueryDialect dialect, const QueryParameters& parameters,
                                  void* value);

}  // namespace wire
