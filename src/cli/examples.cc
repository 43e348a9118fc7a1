// SPDX-License-Identifier: Apache-2.0
// Examples in the help of short commands; those of longer ones are beside their options.
#include <map>

#include "cli/arguments.h"

namespace cli {
namespace {

const std::map<std::string, std::string>& short_examples() {
  static const std::map<std::string, std::string> examples{
    {"env", "\n  eval \"$(stoker env)\"; aws ecs list-clusters"},
    {"status", "\n  stoker status"},
    {"usage", "\n  stoker usage\n  stoker usage --json"},
    {"key", "\n  stoker key create --account 123456789012\n  stoker key list"},
    {"key create", "\n  stoker key create\n  stoker key create --account 123456789012 --json"},
    {"key import", "\n  echo 'AKIAEXAMPLE secret' | stoker key import"},
    {"key list", "\n  stoker key list"},
    {"key delete", "\n  stoker key delete AKIAEXAMPLE"},
    {"webhook", "\n  stoker webhook create pager https://pager.example/stoker\n  stoker webhook list"},
    {"webhook create", "\n  stoker webhook create pager https://pager.example/stoker"},
    {"webhook list", "\n  stoker webhook list --json"},
    {"webhook delete", "\n  stoker webhook delete pager"},
    {"token list", "\n  stoker token list"},
    {"token revoke", "\n  stoker token revoke ID"},
    {"backup", "\n  stoker backup /mnt/backup/stoker\n  stoker backup --verify /mnt/backup/stoker"},
    {"restore", "\n  stoker restore --data /srv/stoker /mnt/backup/stoker"},
    {"token", "\n  stoker token\n  stoker token --cluster lab --region eu-west-1"},
    {"scrub", "\n  stoker scrub\n  stoker scrub --json | tail -1"},
    {"down", "\n  stoker down\n  stoker down --data /srv/stoker"},
    {"stop", "\n  stoker stop 3fa9\n  stoker stop 3fa9 77bc --reason \"wrong data\"\n  stoker stop $(stoker ps -q --filter family=train)"},
    {"wait", "\n  stoker wait 3fa9\n  id=$(stoker run -d train); stoker wait $id"},
    {"inspect", "\n  stoker inspect 3fa9\n  stoker inspect box-a | jq .[0].attributes"},
    {"events", "\n  stoker events\n  stoker events --json | jq -r .text"},
    {"services", "\n  stoker services"},
    {"service scale", "\n  stoker service scale web 3"},
    {"service rollback", "\n  stoker service rollback web"},
    {"service events", "\n  stoker service events -f web"},
    {"service delete", "\n  stoker service delete web --force"},
    {"nodes", "\n  stoker nodes\n  stoker nodes -w\n  stoker nodes drain box-a --wait"},
    {"nodes drain", "\n  stoker nodes drain box-a --wait"},
    {"nodes activate", "\n  stoker nodes activate box-a"},
    {"nodes remove", "\n  stoker nodes remove box-a --force"},
    {"drain", "\n  stoker drain box-a --wait"},
    {"gpus", "\n  stoker gpus\n  stoker gpus -w"},
    {"groups", "\n  stoker groups"},
    {"group show", "\n  stoker group show gpu"},
    {"group set", "\n  stoker group set gpu --min 0 --max 8"},
    {"pipeline create", "\n  stoker pipeline create -f ocr.yaml"},
    {"pipeline apply", "\n  stoker pipeline apply -f ocr.yaml"},
    {"pipeline diff", "\n  stoker pipeline diff -f ocr.yaml"},
    {"pipeline list", "\n  stoker pipeline list"},
    {"pipeline show", "\n  stoker pipeline show ocr"},
    {"pipeline pause", "\n  stoker pipeline pause ocr"},
    {"pipeline resume", "\n  stoker pipeline resume ocr"},
    {"pipeline delete", "\n  stoker pipeline delete ocr"},
    {"pipeline key", "\n  stoker pipeline key create ocr"},
    {"pipeline key create", "\n  stoker pipeline key create ocr"},
    {"pipeline key list", "\n  stoker pipeline key list ocr"},
    {"pipeline key delete", "\n  stoker pipeline key delete ocr KEY"},
    {"pipeline webhook-secret", "\n  stoker pipeline webhook-secret ocr"},
    {"job show", "\n  stoker job show invoice-17"},
    {"job retry", "\n  stoker job retry invoice-17"},
    {"job cancel", "\n  stoker job cancel invoice-17"},
    {"job result", "\n  stoker job result invoice-17 > result.json"},
    {"cluster create", "\n  stoker cluster create lab --region eu-west-1"},
    {"cluster list", "\n  stoker cluster list"},
    {"cluster delete", "\n  stoker cluster delete lab"},
    {"context add", "\n  stoker context add lab --endpoint https://gpu.lab:4566 --profile lab\n  echo SECRET | stoker context add lab --endpoint http://gpu.lab:4566 --access-key AKIAEXAMPLE"},
    {"context use", "\n  stoker context use lab\n  stoker context use local"},
    {"context list", "\n  stoker context list"},
    {"context remove", "\n  stoker context remove lab"},
    {"queue", "\n  stoker queue ls\n  stoker queue send work \"hello\"\n  stoker queue redrive work-dead"},
    {"queue ls", "\n  stoker queue ls"},
    {"queue peek", "\n  stoker queue peek work-dead -n 3\n  stoker queue peek work-dead --json"},
    {"queue send", "\n  stoker queue send work \"hello\"\n  stoker queue send work - < message.json"},
    {"queue redrive", "\n  stoker queue redrive work-dead\n  stoker queue redrive work-dead --to work"},
    {"queue purge", "\n  stoker queue purge work"},
    {"object", "\n  stoker object ls\n  stoker object put scan.png inbox/\n  stoker object get inbox/scan.png -"},
    {"object ls", "\n  stoker object ls\n  stoker object ls inbox/2026/ --recursive"},
    {"object get", "\n  stoker object get inbox/scan.png\n  stoker object get inbox/scan.png - | wc -c"},
    {"object put", "\n  stoker object put scan.png inbox/\n  tar c data | stoker object put - backup/data.tar"},
    {"object rm", "\n  stoker object rm inbox/scan.png"},
    {"server", "\n  stoker server --listen :4566 --tls-cert cert.pem --tls-key key.pem\n  stoker server --store postgresql://db/stoker"},
    {"work", "\n  stoker work --queue images --exec 'convert {input} -resize 50% {output}'"},
  };
  return examples;
}

// A subcommand begins with the footer of its parent, so subcommands come first: then both still have the same.
void add_examples_to(CLI::App& app, const std::string& path) {
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) {
    add_examples_to(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name());
  }
  const CLI::App* parent = app.get_parent();
  const bool own = !app.get_footer().empty() && (!parent || app.get_footer() != parent->get_footer());
  const auto found = short_examples().find(path);
  if (found != short_examples().end() && !own) app.footer("\nExamples:" + found->second + "\n");
}

}  // namespace

void add_examples(CLI::App& app) { add_examples_to(app, ""); }

}  // namespace cli
