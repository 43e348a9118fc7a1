// SPDX-License-Identifier: Apache-2.0
// Arguments of queue and object.
#include <iostream>
#include <memory>

#include "cli/arguments.h"

namespace cli {
namespace {

constexpr int kMaxPeeked = 10;  // of one ReceiveMessage
constexpr int kMaxDelaySeconds = 900;

CLI::App* add_data_client(CLI::App& app, Options& options, Command& command, const char* name, const char* help,
                          Command action) {
  CLI::App* sub = add_client(app, options, command, name, help, std::move(action));
  add_region(sub, options);
  add_json(sub, options);
  return sub;
}

void add_queue(CLI::App& app, Options& options, Command& command) {
  struct Given {
    QueueMessage message;
    std::optional<std::string> to;
    int most = kMaxPeeked;
  };
  auto given = std::make_shared<Given>();  // shared with the commands
  CLI::App* queue = app.add_subcommand("queue", "List queues; look at, send, move or delete messages");
  queue->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, Command action) {
    CLI::App* sub = add_data_client(*queue, options, command, name, help, std::move(action));
    sub->add_option("queue", given->message.queue, "Name of the queue, or its URL")->required();
    return sub;
  };
  add_data_client(*queue, options, command, "ls", "List queues with their messages",
                  [&options] { return queue_list(options, std::cout); });
  add("peek", "Print messages and leave them in the queue; each counts as received once more", [&options, given] {
    return queue_peek(options, given->message.queue, given->most, std::cout);
  })->add_option("-n,--limit", given->most, "Print at most N messages (10)")->check(CLI::Range(1, kMaxPeeked))->type_name("N");
  CLI::App* send = add("send", "Send a message and print its id",
                       [&options, given] { return queue_send(options, given->message, std::cin, std::cout); });
  send->add_option("body", given->message.body, "Text of the message; - is standard input")->required();
  send->add_option("--group", given->message.group, "Message group, of a FIFO queue")->type_name("ID");
  send->add_option("--deduplication-id", given->message.deduplication_id, "Deduplication id, of a FIFO queue")->type_name("ID");
  send->add_option("--delay", given->message.delay_seconds, "Seconds until it is visible")
      ->check(CLI::Range(0, kMaxDelaySeconds))
      ->type_name("S");
  add("redrive", "Move the messages of a dead-letter queue back",
      [&options, given] { return queue_redrive(options, given->message.queue, given->to, std::cout); })
      ->add_option("--to", given->to, "Queue that gets them (those that they came from)")
      ->type_name("QUEUE");
  add("purge", "Delete all messages of a queue",
      [&options, given] { return queue_purge(options, given->message.queue, std::cout); });
}

void add_object(CLI::App& app, Options& options, Command& command) {
  struct Given {
    std::string object, file;
    bool recursive = false;
  };
  auto given = std::make_shared<Given>();
  CLI::App* object = app.add_subcommand("object", "List, read, write and remove objects of buckets");
  object->require_subcommand(1);
  CLI::App* list = add_data_client(*object, options, command, "ls", "List buckets, or the objects of one", [&options, given] {
    return object_list(options, given->object, given->recursive, std::cout);
  });
  list->add_option("object", given->object, "BUCKET, or BUCKET/PREFIX");
  list->add_flag("-r,--recursive", given->recursive, "Also keys with further slashes");
  CLI::App* get = add_data_client(*object, options, command, "get", "Write an object to a file", [&options, given] {
    return object_get(options, given->object, given->file, std::cout);
  });
  get->add_option("object", given->object, "BUCKET/KEY")->required();
  get->add_option("file", given->file, "File or folder (the last part of the key); - is standard output");
  CLI::App* put = add_data_client(*object, options, command, "put", "Write a file to an object", [&options, given] {
    return object_put(options, given->file, given->object, std::cin, std::cout);
  });
  put->add_option("file", given->file, "File; - is standard input")->required();
  put->add_option("object", given->object, "BUCKET/KEY, or BUCKET/ for the file's name")->required();
  add_data_client(*object, options, command, "rm", "Remove an object",
                  [&options, given] { return object_remove(options, given->object, std::cout); })
      ->add_option("object", given->object, "BUCKET/KEY")
      ->required();
}

}  // namespace

void add_data_commands(CLI::App& app, Options& options, Command& command) {
  add_queue(app, options, command);
  add_object(app, options, command);
}

}  // namespace cli
