// SPDX-License-Identifier: Apache-2.0
// DescribeImages: Amazon's ECS-optimized images, as records. An instance boots no image; its id is only shown.
#include "services/ec2/errors.h"
#include "services/ec2/filters.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/operations.h"
#include "shapes/ec2/image.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;

struct KnownImage {
  const char *name, *description, *architecture;
};

// Amazon's account of ECS-optimized images, and the form of their names.
constexpr char kImageOwner[] = "591542846629";
constexpr char kCreationDate[] = "2026-02-26T00:00:00.000Z";
constexpr KnownImage kImages[] = {
    {"amzn2-ami-ecs-hvm-2.0.20260226-x86_64-ebs", "Amazon Linux AMI 2.0.20260226 x86_64 ECS HVM GP2", "x86_64"},
    {"amzn2-ami-ecs-hvm-2.0.20260226-arm64-ebs", "Amazon Linux AMI 2.0.20260226 arm64 ECS HVM GP2", "arm64"},
    {"amzn2-ami-ecs-gpu-hvm-2.0.20260226-x86_64-ebs", "Amazon Linux AMI 2.0.20260226 x86_64 ECS GPU HVM GP2", "x86_64"},
    {"al2023-ami-ecs-hvm-2023.0.20260226-kernel-6.1-x86_64", "Amazon Linux AMI 2023.0.20260226 x86_64 ECS HVM EBS",
     "x86_64"},
    {"al2023-ami-ecs-hvm-2023.0.20260226-kernel-6.1-arm64", "Amazon Linux AMI 2023.0.20260226 arm64 ECS HVM EBS",
     "arm64"},
    {"al2023-ami-ecs-gpu-hvm-2023.0.20260226-kernel-6.1-x86_64-ebs",
     "Amazon Linux AMI 2023.0.20260226 x86_64 ECS GPU HVM EBS", "x86_64"},
};
constexpr std::string_view kImageFilters[] = {
    "architecture", "creation-date", "description", "hypervisor",       "image-id",         "image-type",
    "is-public",    "name",          "owner-alias", "owner-id",         "root-device-name", "root-device-type",
    "state",        "virtualization-type", "ena-support",
    // Of Amazon's, those on what these images lack: they match none.
    "block-device-mapping.delete-on-termination", "block-device-mapping.device-name", "block-device-mapping.encrypted",
    "block-device-mapping.snapshot-id", "block-device-mapping.volume-size", "block-device-mapping.volume-type",
    "kernel-id", "manifest-location", "platform", "product-code", "product-code.type", "ramdisk-id", "sriov-net-support",
    "state-reason-code", "state-reason-message"};

Image shown_image(const std::string& region, const KnownImage& known) {
  Image image;
  image.ImageId = derive_id("ami", region + "/" + known.name);
  image.Name = known.name;
  image.Description = known.description;
  image.Architecture = known.architecture;
  image.OwnerId = kImageOwner;
  image.ImageOwnerAlias = "amazon";
  image.ImageLocation = "amazon/" + *image.Name;
  image.CreationDate = kCreationDate;
  image.State = "available";
  image.Public = true;
  image.ImageType = "machine";
  image.PlatformDetails = "Linux/UNIX";
  image.UsageOperation = "RunInstances";
  image.Hypervisor = "xen";
  image.VirtualizationType = "hvm";
  image.RootDeviceType = "ebs";
  image.RootDeviceName = "/dev/xvda";
  image.EnaSupport = true;
  image.BlockDeviceMappings.emplace();
  return image;
}

std::vector<std::string> image_values(const Image& image, std::string_view name) {
  if (name == "architecture") return as_values(image.Architecture);
  if (name == "creation-date") return as_values(image.CreationDate);
  if (name == "description") return as_values(image.Description);
  if (name == "hypervisor") return as_values(image.Hypervisor);
  if (name == "image-id") return as_values(image.ImageId);
  if (name == "image-type") return as_values(image.ImageType);
  if (name == "is-public") return as_values(image.Public);
  if (name == "name") return as_values(image.Name);
  if (name == "owner-alias") return as_values(image.ImageOwnerAlias);
  if (name == "owner-id") return as_values(image.OwnerId);
  if (name == "root-device-name") return as_values(image.RootDeviceName);
  if (name == "root-device-type") return as_values(image.RootDeviceType);
  if (name == "state") return as_values(image.State);
  if (name == "ena-support") return as_values(image.EnaSupport);
  return name == "virtualization-type" ? as_values(image.VirtualizationType) : std::vector<std::string>();
}

bool is_owned(const std::optional<std::vector<std::string>>& owners) {
  if (!owners || owners->empty()) return true;
  return std::any_of(owners->begin(), owners->end(),
                     [](const std::string& owner) { return owner == "amazon" || owner == kImageOwner; });
}

DescribeImagesResult describe_images(Call& call, const DescribeImagesRequest& request) {
  check_filters(request.Filters, kImageFilters);
  const Page page = read_list_page(request.MaxResults, request.NextToken);
  check_dry_run(request.DryRun);
  const auto wanted = request.ImageIds.value_or(std::vector<std::string>());
  std::vector<Image> images;
  std::vector<std::string> known;
  for (const KnownImage& one : kImages) {
    const Image image = shown_image(call.caller.region, one);
    known.push_back(*image.ImageId);
    const bool named = wanted.empty() || std::find(wanted.begin(), wanted.end(), *image.ImageId) != wanted.end();
    const auto values = [&](std::string_view name) { return image_values(image, name); };
    if (named && is_owned(request.Owners) && passes(request.Filters, {}, values)) images.push_back(image);
  }
  for (const std::string& id : wanted) {
    if (!is_id(id, "ami")) throw malformed_image_id(id);
    if (std::find(known.begin(), known.end(), id) == known.end()) {
      throw id_not_found("InvalidAMIID.NotFound", "image id", "[" + id + "]");
    }
  }
  DescribeImagesResult result;
  result.NextToken = cut_list(images, page, [](const Image& image) { return *image.ImageId; });
  result.Images = std::move(images);
  return result;
}

}  // namespace

std::vector<Operation> image_operations() { return {operation<&describe_images>("DescribeImages", Access::Read)}; }

}  // namespace services::ec2
