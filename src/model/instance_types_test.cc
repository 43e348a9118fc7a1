// SPDX-License-Identifier: Apache-2.0
#include "model/instance_types.h"

#include <gtest/gtest.h>

namespace model {
namespace {

TEST(InstanceTypes, AmazonsTypesAreBuiltIn) {
  const InstanceType* type = find_instance_type("g4dn.12xlarge");
  ASSERT_TRUE(type);
  EXPECT_EQ(*type, (InstanceType{"g4dn.12xlarge", 48, 196608, 4, "T4", 16384}));
  EXPECT_EQ(built_in_instance_types().size(), 228u);
  EXPECT_FALSE(find_instance_type("g4dn"));
}

TEST(InstanceTypes, AFileAddsAndReplacesTypes) {
  const auto types = parse_instance_types(
      "type,vcpus,memory_mib,gpus,gpu_model,gpu_memory_mib\n"
      "# the box under the desk\r\n"
      "\n"
      "box.large, 16, 65536, 2, RTX 4090, 24564\r\n"
      "t3.micro,1,512,0,,0",
      built_in_instance_types());
  ASSERT_TRUE(types) << types.error();
  EXPECT_EQ(*find_instance_type(*types, "box.large"), (InstanceType{"box.large", 16, 65536, 2, "RTX 4090", 24564}));
  EXPECT_EQ(find_instance_type(*types, "t3.micro")->vcpus, 1);
  EXPECT_EQ(types->size(), 229u);
}

TEST(InstanceTypes, AnErrorNamesTheLineAndTheColumn) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"a.b,1", "line 1: expected 6 columns: type,vcpus,memory_mib,gpus,gpu_model,gpu_memory_mib"},
      {"\nb c,1,1,0,,0", "line 2: invalid type: 'b c'"},
      {"a,0,1,0,,0", "line 1: invalid vcpus: '0'"},
      {"a,1,1.5,0,,0", "line 1: invalid memory_mib: '1.5'"},
      {"a,1,1,-1,,0", "line 1: invalid gpus: '-1'"},
      {"a,1,1,1,T4,", "line 1: invalid gpu_memory_mib: ''"},
      {"a,1,1,1,,5", "line 1: gpu_model is missing"},
      {"a,1,1,0,T4,0", "line 1: a type without GPUs has an empty gpu_model and a gpu_memory_mib of 0"},
      {"a,99999999999999999999,1,0,,0", "line 1: invalid vcpus: '99999999999999999999'"},
  };
  for (const auto& entry : cases) {
    const auto types = parse_instance_types(entry.text, {});
    ASSERT_FALSE(types) << entry.text;
    EXPECT_EQ(types.error(), entry.error);
  }
}

}  // namespace
}  // namespace model
