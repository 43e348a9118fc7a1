// SPDX-License-Identifier: Apache-2.0
// Query parameters -> values, by table: "Attribute.1.Name=DelaySeconds&...", as the
// query protocol and EC2's own dialect write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/type.h"
#include "wire/validate.h"

namespace wire {

// CloudWatch's PutMetricData may carry a thousand metrics of some seventy parameters.
inline constexpr std::size_t kMaxQueryParameters = 100'000;
inline constexpr int kMaxQueryDepth = 32;

// The parameters of a form, decoded and sorted by name.
class QueryParameters {
 public:
  struct Parameter {
    std::string name;
    std::string value;
  };

  // Adds those of "a=1&b=2". Throws ApiError MalformedQueryString.
  void add(std::string_view form);
  // Sorts; of two with one name the first added comes first.
  void sort();
  const std::vector<Parameter>& all() const { return all_; }

 private:
  std::vector<Parameter> all_;
};

enum class QueryDialect { Query, Ec2 };

// Fills the struct; unknown parameters are passed over. Answers the required members
// that were not there. Throws ApiError InvalidParameterValue. Both forms of a list are
// taken, flattened or not, and a member's own name as well as its name in XML: clients
// of different ages differ.
std::vector<Violation> read_query(const TypeInfo& type, QueryDialect dialect, const QueryParameters& parameters,
                                  void* value);

}  // namespace wire
