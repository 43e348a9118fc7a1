// SPDX-License-Identifier: Apache-2.0
// The filters of system calls: short programs that the kernel runs at each call (seccomp).
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <system_error>
#include <vector>

#include "ocr/confine.h"

namespace ocr {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the filter of system calls needs the name of this architecture"
#endif
constexpr std::uint32_t kOtherTables = 0x40000000;  // x86-64 has a second set of numbers from here on

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kReject = SECCOMP_RET_ERRNO | EPERM;

constexpr int kRejectedCalls[] = {
    SYS_socket,       SYS_socketpair,  SYS_connect,       SYS_bind,         SYS_listen,      SYS_accept,     SYS_accept4,
    SYS_ptrace,       SYS_kill,        SYS_tkill,         SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_open,
    SYS_pidfd_getfd,  SYS_mount,       SYS_umount2,       SYS_pivot_root,   SYS_chroot,      SYS_setns,      SYS_unshare,
    SYS_bpf,          SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_keyctl,  SYS_add_key,    SYS_request_key,
    SYS_init_module,  SYS_finit_module, SYS_kexec_load,   SYS_reboot,       SYS_swapon,      SYS_shmget,     SYS_msgget,
    SYS_semget,       SYS_mq_open,     SYS_open_by_handle_at,
};

constexpr int kComputingCalls[] = {
    // descriptors that are open
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_lseek, SYS_close, SYS_fstat, SYS_newfstatat,
    SYS_fcntl, SYS_dup, SYS_recvmsg, SYS_sendmsg, SYS_recvfrom, SYS_sendto, SYS_ppoll,
#ifdef SYS_poll
    SYS_poll,
#endif
    // memory
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
    // threads and signals of its own
    SYS_futex, SYS_sched_yield, SYS_sched_getaffinity, SYS_gettid, SYS_getpid, SYS_tgkill, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_exit, SYS_exit_group,
    // time and numbers
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_getrandom,
    SYS_getrusage, SYS_sysinfo, SYS_uname,
};

// Calls in `calls` get the verdict `listed`, others `other`.
void install_filter(std::span<const int> calls, std::uint32_t listed, std::uint32_t other) {
  std::vector<sock_filter> program = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kOtherTables, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, kReject),
  };
  for (const int call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, std::uint32_t(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, listed));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, other));
  sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    throw std::system_error(errno, std::generic_category(), "can't filter system calls");
  }
}

}  // namespace

void filter_calls() { install_filter(kRejectedCalls, kReject, kAllow); }

void allow_computing_only() { install_filter(kComputingCalls, kAllow, kReject); }

}  // namespace ocr
