// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/instance_type_file.h"

#include <stdexcept>

#include "base/file.h"

namespace services::ec2 {
namespace {

constexpr std::uint64_t kMaxFile = 1u << 20;

}  // namespace

model::InstanceTypes read_instance_types(const std::string& file) {
  if (file.empty()) return model::built_in_instance_types();
  const base::File opened = base::File::open(file);
  if (opened.size() > kMaxFile) throw std::runtime_error(file + " is larger than 1 MiB");
  std::string text(opened.size(), '\0');
  text.resize(opened.pread(text.data(), text.size(), 0));
  auto types = model::parse_instance_types(text, model::built_in_instance_types());
  if (!types) throw std::runtime_error("invalid file of instance types: " + file + ": " + types.error());
  return std::move(*types);
}

}  // namespace services::ec2
