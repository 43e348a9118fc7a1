// SPDX-License-Identifier: Apache-2.0
#include "cli/run_arguments.h"

#include <algorithm>
#include <cstdlib>

#include "base/bytes.h"
#include "base/hash.h"
#include "cli/run_options.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace cli {
namespace {

using namespace shapes::ecs;

constexpr std::size_t kMaxFamilyChars = 255;  // Amazon's limit

base::Result<std::vector<KeyValuePair>> parse_environment(const std::vector<std::string>& texts) {
  std::vector<KeyValuePair> pairs;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0) return base::Error{"-e " + text + " has no name: use K=V, or K to copy the local value"};
    const std::string name = text.substr(0, equals);
    if (equals != text.npos) {
      pairs.push_back({.name = name, .value = text.substr(equals + 1)});
    } else if (const char* value = std::getenv(name.c_str())) {
      pairs.push_back({.name = name, .value = value});
    } else {
      return base::Error{"-e " + name + ": no such variable in the local environment"};
    }
  }
  return pairs;
}

base::Result<std::vector<ResourceRequirement>> gpu_requirements(const RunArguments& arguments) {
  std::vector<ResourceRequirement> gpus;
  if (arguments.gpu_compute_percent && !arguments.gpu_memory_mib) {
    return base::Error{"--gpu-compute limits a share of a GPU: it needs --gpu-memory"};
  }
  if (arguments.gpu_memory_mib && !arguments.gpus.empty()) {
    return base::Error{"--gpus requests whole GPUs and --gpu-memory a share of one: use only one of them"};
  }
  if (arguments.gpu_memory_mib) {
    const NvidiaMps mps{arguments.gpu_memory_mib, arguments.gpu_compute_percent};
    gpus.push_back({.type = "GPU", .sharingStrategy = SharingStrategy{mps}});
  } else if (base::equals_ignoring_case(arguments.gpus, "all")) {
    gpus.push_back({.value = "ALL", .type = "GPU"});
  } else if (!arguments.gpus.empty() && arguments.gpus != "0") {
    const bool number = arguments.gpus.find_first_not_of("0123456789") == std::string::npos;
    if (!number) return base::Error{"--gpus " + arguments.gpus + ": expected a number, or all"};
    gpus.push_back({.value = arguments.gpus, .type = "GPU"});
  }
  return gpus;
}

base::Result<std::vector<std::string>> all_variables(const RunArguments& arguments) {
  std::vector<std::string> variables;
  for (const std::string& path : arguments.environment_files) {
    auto read = read_env_file(path);
    if (!read) return base::Error{read.error()};
    variables.insert(variables.end(), read->begin(), read->end());
  }
  variables.insert(variables.end(), arguments.environment.begin(), arguments.environment.end());
  return variables;
}

// The last value of a name counts, in the place of the first.
void keep_last(std::vector<KeyValuePair>& pairs) {
  std::vector<KeyValuePair> kept;
  for (KeyValuePair& pair : pairs) {
    const auto before = std::ranges::find(kept, pair.name, &KeyValuePair::name);
    if (before == kept.end()) {
      kept.push_back(std::move(pair));
    } else {
      before->value = std::move(pair.value);
    }
  }
  pairs = std::move(kept);
}

// CPU and memory. Returns the error, or "".
std::string add_limits(const RunArguments& arguments, ContainerDefinition& container) {
  container.cpu = arguments.cpu_units;
  if (!arguments.cores.empty()) {
    auto units = parse_cores(arguments.cores);
    if (!units) return units.error();
    container.cpu = *units;
  }
  if (arguments.memory.empty()) {
    container.memoryReservation = kRunMemoryMiB;
    return "";
  }
  auto memory = parse_memory(arguments.memory);
  if (!memory) return memory.error();
  container.memory = *memory;
  return "";
}

// Volumes, ports, shared memory, working directory and user. Returns the error, or "".
std::string add_options(const RunArguments& arguments, RegisterTaskDefinitionRequest& request) {
  ContainerDefinition& container = request.containerDefinitions.front();
  for (const std::string& text : arguments.volumes) {
    auto volume = parse_volume(text, request.volumes ? request.volumes->size() : 0);
    if (!volume) return volume.error();
    if (!request.volumes) request.volumes.emplace();
    if (!container.mountPoints) container.mountPoints.emplace();
    const bool known = std::ranges::find(*request.volumes, volume->volume.name, &Volume::name) != request.volumes->end();
    if (!known) request.volumes->push_back(volume->volume);
    container.mountPoints->push_back(volume->mount);
  }
  for (const std::string& text : arguments.ports) {
    auto port = parse_port(text);
    if (!port) return port.error();
    if (!container.portMappings) container.portMappings.emplace();
    container.portMappings->push_back(*port);
  }
  if (!arguments.shm_size.empty()) {
    auto size = parse_shm_size(arguments.shm_size);
    if (!size) return size.error();
    container.linuxParameters.emplace().sharedMemorySize = *size;
  }
  if (!arguments.working_directory.empty()) container.workingDirectory = arguments.working_directory;
  if (!arguments.user.empty()) container.user = arguments.user;
  return "";
}

std::string hash_of(const RegisterTaskDefinitionRequest& request) {
  std::string text;
  wire::write_json(wire::type_of<RegisterTaskDefinitionRequest>(), &request, text);
  return base::to_hex(base::sha256(text));
}

}  // namespace

std::string family_of_image(const std::string& image) {
  std::string name = image.substr(0, image.find('@'));
  name = name.substr(name.rfind('/') + 1);
  name = "run-" + name.substr(0, name.find(':'));
  auto valid = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  std::ranges::replace_if(
      name, [&](char c) { return !valid(c); }, '-');
  return name.substr(0, kMaxFamilyChars);
}

base::Result<RegisterTaskDefinitionRequest> definition_of(const RunArguments& arguments) {
  auto variables = all_variables(arguments);
  if (!variables) return base::Error{variables.error()};
  auto environment = parse_environment(*variables);
  if (!environment) return base::Error{environment.error()};
  keep_last(*environment);
  auto gpus = gpu_requirements(arguments);
  if (!gpus) return base::Error{gpus.error()};
  ContainerDefinition container;
  container.name = kRunContainer;
  container.image = arguments.image;
  container.essential = true;
  if (const std::string error = add_limits(arguments, container); !error.empty()) return base::Error{error};
  if (!arguments.entry_point.empty()) container.entryPoint = arguments.entry_point;
  if (!arguments.command.empty()) container.command = arguments.command;
  if (!environment->empty()) container.environment = *environment;
  if (!gpus->empty()) container.resourceRequirements = *gpus;
  if (arguments.interactive) container.interactive = true;
  if (arguments.tty) container.pseudoTerminal = true;
  RegisterTaskDefinitionRequest request;
  request.family = arguments.family.empty() ? family_of_image(arguments.image) : arguments.family;
  request.containerDefinitions.push_back(std::move(container));
  if (const std::string error = add_options(arguments, request); !error.empty()) return base::Error{error};
  if (!arguments.role.empty()) request.taskRoleArn = arguments.role;
  request.tags = std::vector<Tag>{{.key = kRunTag, .value = hash_of(request)}};
  return request;
}

}  // namespace cli
