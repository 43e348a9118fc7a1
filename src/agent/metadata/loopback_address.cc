// SPDX-License-Identifier: Apache-2.0
#include "agent/metadata/loopback_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string_view>

#include "http/listener.h"

namespace agent {
namespace {

struct AddressRequest {
  nlmsghdr header;
  ifaddrmsg body;
  char attributes[64];
};

// The address's label, which must begin with the interface's name. It marks an address that a killed agent
// left, so that the next agent may remove it.
constexpr const char kLabel[] = "lo:stoker";

void add_attribute(AddressRequest& request, unsigned short type, const void* bytes, std::size_t size) {
  auto* place = reinterpret_cast<rtattr*>(reinterpret_cast<char*>(&request) + NLMSG_ALIGN(request.header.nlmsg_len));
  place->rta_type = type;
  place->rta_len = static_cast<unsigned short>(RTA_LENGTH(size));
  std::memcpy(RTA_DATA(place), bytes, size);
  request.header.nlmsg_len = NLMSG_ALIGN(request.header.nlmsg_len) + RTA_ALIGN(place->rta_len);
}

// Uses netlink, because small systems lack the `ip` command. Returns 0 or an errno.
int change_address(unsigned short type, unsigned short flags, in_addr address) {
  http::Descriptor netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (netlink.get() < 0) return errno;
  timeval timeout = {5, 0};
  ::setsockopt(netlink.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  AddressRequest request = {};
  request.header.nlmsg_len = NLMSG_LENGTH(sizeof request.body);
  request.header.nlmsg_type = type;
  request.header.nlmsg_flags = static_cast<unsigned short>(NLM_F_REQUEST | NLM_F_ACK | flags);
  request.body.ifa_family = AF_INET;
  request.body.ifa_prefixlen = 32;
  request.body.ifa_scope = RT_SCOPE_HOST;
  request.body.ifa_index = ::if_nametoindex("lo");
  add_attribute(request, IFA_LOCAL, &address, sizeof address);
  add_attribute(request, IFA_ADDRESS, &address, sizeof address);
  if (type == RTM_NEWADDR) add_attribute(request, IFA_LABEL, kLabel, sizeof kLabel);
  if (::send(netlink.get(), &request, request.header.nlmsg_len, 0) < 0) return errno;
  struct {
    nlmsghdr header;
    nlmsgerr body;
    char rest[512];
  } reply = {};
  if (::recv(netlink.get(), &reply, sizeof reply, 0) < 0) return errno;
  return reply.header.nlmsg_type == NLMSG_ERROR ? -reply.body.error : EPROTO;
}

std::string find_address(const std::function<bool(const ifaddrs&, in_addr)>& wanted) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return "";
  std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> freed(all, ::freeifaddrs);
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET) continue;
    in_addr address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
    char text[INET_ADDRSTRLEN] = "";
    ::inet_ntop(AF_INET, &address, text, sizeof text);
    if (wanted(*one, address)) return text;
  }
  return "";
}

base::Result<bool> to_result(int code, const std::string& what, const std::string& ipv4) {
  if (code == 0) return true;
  return base::Error{fmt::format("cannot {} the address {}: {}", what, ipv4, std::strerror(code))};
}

}  // namespace

base::Result<bool> add_loopback_address(const std::string& ipv4) {
  in_addr address = {};
  if (::inet_pton(AF_INET, ipv4.c_str(), &address) != 1) return base::Error{ipv4 + ": invalid IPv4 address"};
  std::string present = find_address([&](const ifaddrs&, in_addr one) { return one.s_addr == address.s_addr; });
  if (!present.empty()) {
    // getifaddrs() returns the label as the name.
    return !find_address([&](const ifaddrs& entry, in_addr one) {
              return one.s_addr == address.s_addr && std::string_view(entry.ifa_name) == kLabel;
            }).empty();
  }
  int code = change_address(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, address);
  if (code == EEXIST) return true;  // another agent added it meanwhile
  return to_result(code, "add", ipv4);
}

base::Result<bool> remove_loopback_address(const std::string& ipv4) {
  in_addr address = {};
  ::inet_pton(AF_INET, ipv4.c_str(), &address);
  return to_result(change_address(RTM_DELADDR, 0, address), "remove", ipv4);
}

bool address_in_use(const std::string& ipv4) {
  in_addr address = {};
  ::inet_pton(AF_INET, ipv4.c_str(), &address);
  // " 0: 02AAA9FE:0050 00000000:0000 0A ...": the address in the machine's byte order.
  std::string wanted = fmt::format("{:08X}:", address.s_addr);
  constexpr std::string_view kEstablished = "01", kListening = "0A";
  std::ifstream in("/proc/net/tcp");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string number, local, remote, state;
    words >> number >> local >> remote >> state;
    if (local.starts_with(wanted) && (state == kEstablished || state == kListening)) return true;
  }
  return !in.eof();  // unreadable: assume that it is in use
}

std::string interface_address(const std::string& name) {
  return find_address([&](const ifaddrs& one, in_addr) { return name == one.ifa_name; });
}

}  // namespace agent
