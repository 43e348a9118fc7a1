// SPDX-License-Identifier: Apache-2.0
#include "base/short_slices.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace base {
namespace {

// The shortest one that the kernel accepts.
constexpr std::uint64_t kSliceNs = 100'000;

// The kernel's sched_attr, whose header contradicts that of the C library.
struct Attributes {
  std::uint32_t size = sizeof(Attributes);
  std::uint32_t policy = 0;  // SCHED_OTHER
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0, deadline_ns = 0, period_ns = 0;
};

}  // namespace

void run_in_short_slices() {
  // The call sets the priority, too; 0 is this thread.
  const Attributes attributes{.nice = getpriority(PRIO_PROCESS, 0), .runtime_ns = kSliceNs};
  // A kernel that rejects it runs the thread in slices of its own choice.
  static_cast<void>(syscall(SYS_sched_setattr, 0, &attributes, 0));
}

}  // namespace base
