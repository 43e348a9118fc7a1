// SPDX-License-Identifier: Apache-2.0
// Arguments about the disk and its shares: options of the server, and of backup and restore.
#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/arguments.h"
#include "cli/checks.h"

namespace cli {

void add_disk_options(CLI::App* command, ServerArguments& server) {
  command
      ->add_option_function<std::string>(
          "--reserve", [&server](const std::string& text) { server.reserve = *base::parse_size(text); },
          "Space kept for requests that free space; what grows is rejected before it is used "
          "(a sixteenth of the disk, at most 64M)")
      ->check(check_size)
      ->type_name("64M|1G")
      ->group("Disk");
  command
      ->add_flag("--drop-damaged-log", server.drop_damaged_log,
                 "Start although the database's log is damaged, without the transactions behind the damage")
      ->group("Disk");
}

void add_quota_options(CLI::App* command, ServerArguments& server) {
  command
      ->add_option_function<std::string>(
          "--account-max-bytes",
          [&server](const std::string& text) {
            server.account_max_bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(*base::parse_size(text), INT64_MAX));
          },
          "Bytes of objects, messages and log events that one account may have (unlimited)")
      ->check(check_size)
      ->type_name("10G|1T")
      ->group("Quotas");
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  command->add_option("--account-max-queues", server.account_max_queues, "Queues that one account may have (unlimited)")
      ->check(CLI::Range(std::int64_t{0}, kMost))
      ->type_name("N")
      ->group("Quotas");
  command
      ->add_option("--account-max-objects", server.account_max_objects,
                   "Versions of objects, and parts of open uploads, that one account may have (unlimited)")
      ->check(CLI::Range(std::int64_t{0}, kMost))
      ->type_name("N")
      ->group("Quotas");
  command
      ->add_option("--account-quota", server.account_quotas,
                   "Other quotas for one account, or `unlimited`, as in 222222222222:bytes=1T,queues=50. Repeatable")
      ->allow_extra_args(false)
      ->type_name("ACCOUNT:bytes=SIZE,queues=N,objects=N")
      ->take_all()
      ->group("Quotas");
}

void add_backup_commands(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<BackupArguments>();  // shared with the commands
  CLI::App* make = add_client(app, options, command, "backup",
                              "Copy the data folder to FOLDER while the server runs; again: only what is new",
                              [&, given] { return backup(options, *given, std::cout); });
  make->add_option("folder", given->folder, "Where the backup is, or will be")->required()->type_name("FOLDER");
  make->add_flag("--verify", given->verify, "Make no copy: read the backup that is in FOLDER; exit status 1 when it is damaged");
  CLI::App* put_back = add_client(app, options, command, "restore", "Make a new data folder of a backup",
                                  [&, given] { return restore(options, given->folder, std::cout); });
  put_back->add_option("folder", given->folder, "The backup")->required()->type_name("FOLDER");
  for (CLI::App* sub : {make, put_back}) add_json(sub, options);
}

}  // namespace cli
