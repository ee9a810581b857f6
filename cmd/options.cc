#include "cmd/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>

#include "bench/rails.h"
#include "bench/test.h"
#include "cmd/device_options.h"
#include "cmd/memory_options.h"
#include "cmd/option_group.h"
#include "cmd/perftest_hints.h"
#include "cmd/placement_options.h"
#include "cmd/server_options.h"
#include "cmd/test_options.h"
#include "report/format.h"
#include "report/version.h"
#include "transport/error.h"
#include "transport/joined.h"
#include "transport/nearest.h"
#include "transport/secret.h"

namespace rdmabench {
namespace {

constexpr Range kTcpPort{1, 65535};
const std::string kUsedAtOnce = "used at once";
const std::string kOwnDevice = "; default: the one of the session's address";

void AddOutputOptions(CLI::App& app, OutputOptions& output) {
  OptionGroup group(app, "Output");
  const std::string formats = Joined(report::Formats(), &report::Format::name);
  group.Add("--format", "FORMAT", "of stdout: " + formats,
            [&output, formats](const std::string& text) {
              if (!report::FindFormat(text)) {
                throw Error(Blame::kUsage, "--format '" + text + "' is not known",
                            "known formats: " + formats);
              }
              output.format = text;
            });
  group.Text("--json", output.json_file, "FILE",
             "write the JSON report there; - is stdout, and then nothing else is printed there");
  group.Text("--samples", output.samples_file, "FILE",
             "write every latency sample there: 64-bit ns, or CSV when the name ends in .csv; the "
             "first 10 million of each size (docs/method.md)");
  group.Time("--interval", output.interval, Range{100, kMilliseconds.high},
             "a line with what came in each interval on stderr; with --run-infinitely: 1 s");
  group.Flag("--quiet", output.quiet,
             "no progress, notes and warnings on stderr; errors are there");
  group.Flag("--explain", output.explain,
             "before the run, on stderr: the machine as a tree, and why threads and memory are "
             "where they are");
}

// What every command that may call a server takes.
CLI::Option* AddHost(CLI::App& app, Options& options, const std::string& without = "") {
  return app.add_option("HOST", options.call.host, "host that runs 'rdmabench server'" + without)
      ->type_name("");
}

// How to reach a server.
void AddConnectOptions(CLI::App& app, Call& call) {
  OptionGroup session(app, "Session");
  session.Number("-p,--port", call.port, kTcpPort, "TCP port of the server");
  session.Text("--source-ip,--bind-source-ip", call.source_ip, "IP",
               "address that the session comes from; default: the system's choice");
  session.Add(
      "--secret-file", "FILE",
      "the server's secret, of which this host has a copy: a file of this user or root that "
      "others cannot read; each side shows the other that it has it",
      [&call](const std::string& path) {
        call.secret = std::make_shared<const Secret>(Secret::FromFile(path));
      });
  session.Time("--connect-timeout", call.connect_timeout, kMilliseconds,
               "go on trying to connect for so long; default 10 s");
}

void AddSessionOptions(CLI::App& app, Call& call) {
  AddConnectOptions(app, call);
  OptionGroup session(app, "Session");
  session.Time("--wait", call.wait, kMilliseconds,
               "wait so long for a turn when the server is busy; default 60 s");
}

// What every command that measures takes.
void AddCall(CLI::App& app, Options& options, const std::string& of_each) {
  AddHost(app, options)->required();
  AddDeviceOptions(app, options.local,
                   kUsedAtOnce + ", and " + of_each + " are then of each" + kOwnDevice);
  AddRemoteDevice(app, options.plan.remote,
                  "in the order of --ib-dev, or all; default: those of the same subnets, else in "
                  "order");
  AddPlacementOptions(app, options.local.placement);
  AddRemotePlacementOptions(app, options.plan.remote);
  AddSessionOptions(app, options.call);
  AddOutputOptions(app, options.output);
  AddLimitOptions(app, options.limiting);
}

void AddTest(CLI::App& app, Options& options) {
  TestPlan& test = options.plan.tests.front();
  AddTestOptions(app, test);
  AddMemoryOptions(app, test.memory, options.local.memory_arguments);
  AddCall(app, options, "--qp and --threads");
}

void AddRun(CLI::App& app, Options& options) {
  app.add_option_function<std::string>(
         "SUITE", [&options](const std::string& path) { options.plan = PlanFromFile(path); },
         "JSON file with a plan, as in configs/, or a report, which is run again; - is stdin")
      ->required()
      ->type_name("");
  AddMemoryArguments(app, options.local.memory_arguments);
  AddCall(app, options, "a test's queue pairs and threads");
}

void AddServer(CLI::App& app, Options& options) {
  AddServerOptions(app, options.server);
  AddDeviceOptions(app, options.local, kUsedAtOnce + kOwnDevice);
  AddPlacementOptions(app, options.local.placement);
  AddMemoryArguments(app, options.local.memory_arguments);
  AddServerLimits(app, options.server);
}

void AddDevices(CLI::App& app, Options& options) {
  OptionGroup(app, "Device")
      .Add("-d,--ib-dev", "LIST",
           "these only: RDMA devices or their network interfaces, mlx4_0:2 for one port",
           [&options](const std::string& text) {
             options.only_devices = ParseDevices("--ib-dev", text);
             if (IsAll(options.only_devices)) options.only_devices.clear();
           });
  OptionGroup(app, "Output").Flag("--json", options.json, "as JSON (cmd/devices_schema.json)");
}

void AddDoctor(CLI::App& app, Options& options) {
  AddHost(app, options,
          "; without it: this machine alone; with it also what differs between the first ports "
          "that are named on either side, or else those with the session's addresses");
  AddDeviceOptions(app, options.local, "each looked at; default: all");
  AddRemoteDevice(app, options.plan.remote,
                  "each looked at; default: those that it was started with, or all");
  AddSessionOptions(app, options.call);
  OptionGroup group(app, "Output");
  group.Flag("--json", options.json, "as JSON (report/doctor_schema.json)");
  group.Flag("--quiet", options.output.quiet, "no notes on stderr");
}

void AddStatus(CLI::App& app, Options& options) {
  AddHost(app, options)->required();
  AddConnectOptions(app, options.call);
  OptionGroup(app, "Output").Flag("--json", options.json, "as JSON (cmd/status_schema.json)");
}

struct CommandRow {
  std::string_view name;
  std::string_view arguments;
  std::string_view summary;
  Command command;
  void (*add)(CLI::App&, Options&);
};

constexpr CommandRow kCommands[] = {
    {"server", "[OPTIONS]", "serve clients until SIGTERM", Command::kServer, AddServer},
    {"run", "SUITE HOST [OPTIONS]", "run the tests of a file over one session", Command::kTest,
     AddRun},
    {"devices", "[-d LIST] [--json]", "list devices, ports, GIDs and limits", Command::kDevices,
     AddDevices},
    {"doctor", "[HOST] [OPTIONS]", "what makes this machine, and that one, bad to measure on",
     Command::kDoctor, AddDoctor},
    {"status", "HOST [OPTIONS]", "what a server is doing: sessions, queue, totals, limits",
     Command::kStatus, AddStatus},
};

std::string TopHelp() {
  std::string text =
      "Measures an RDMA fabric, and says how far the number can be trusted.\n\nUsage:\n";
  auto line = [&text](const std::string& left, std::string_view right) {
    text += "  rdmabench " + left + std::string(left.size() < 26 ? 26 - left.size() : 1, ' ') +
            std::string(right) + "\n";
  };
  for (const CommandRow& row : kCommands) {
    line(std::string(row.name) + " " + std::string(row.arguments), row.summary);
  }
  for (const Test& test : Tests()) line(test.name + " HOST [OPTIONS]", test.summary);
  line("COMMAND --help", "options of a command");
  line("--help | --version", "");
  return text +
         "\nStart 'rdmabench server' on one host, then a test with that host's name on another.\n";
}

// perftest spells long options with '_' as often as with '-'; here both are the same.
std::vector<std::string> Normalized(std::span<const std::string> args) {
  std::vector<std::string> normalized(args.begin(), args.end());
  for (std::string& arg : normalized) {
    if (!arg.starts_with("--")) continue;
    std::replace(arg.begin(),
                 arg.begin() + static_cast<std::ptrdiff_t>(std::min(arg.find('='), arg.size())),
                 '_', '-');
  }
  return normalized;
}

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// What is wrong with the arguments, in words that do not depend on the library's.
Error MistakeIn(const CLI::App& app, const std::vector<std::string>& args,
                const CLI::ParseError& error) {
  const std::string help = "see '" + app.get_name() + " --help'";
  const std::vector<std::string> names = OptionNames(app);
  for (const std::string& arg : args) {
    if (!arg.starts_with('-') || arg == "-") continue;
    const std::string name =
        arg.starts_with("--") ? arg.substr(0, arg.find('=')) : arg.substr(0, 2);
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string_view hint = PerftestHint(name);
    if (!hint.empty()) {
      return {Blame::kUsage, "there is no option " + name + " as perftest has it",
              std::string(hint) + "; " + help};
    }
    return {Blame::kUsage,
            "unknown option " + name +
                DidYouMean(name, std::vector<std::string_view>(names.begin(), names.end())),
            help + "; docs/perftest.md has perftest's options"};
  }
  const std::string words = error.what();
  const std::string option = words.substr(0, words.find(':'));
  if (words.find("At Most 1 required") != std::string::npos) {
    return {Blame::kUsage, option + " is given more than once",
            "give it once; where several values are allowed they are separated by commas"};
  }
  if (words.find("missing") != std::string::npos && option.starts_with('-')) {
    return {Blame::kUsage, option + " has no value", help};
  }
  return {Blame::kUsage, words, help};
}

void Parse(CLI::App& app, std::vector<std::string> args, Options& options) {
  const std::vector<std::string> given = args;
  std::reverse(args.begin(), args.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(args));
    for (const CLI::Option* option : app.get_options()) {
      if (option->count() == 0) continue;
      for (const std::string& name : option->get_lnames()) {
        options.given.options.push_back("--" + name);
      }
    }
  } catch (const CLI::CallForHelp&) {
    options.command = Command::kPrint;
    options.text = app.help();
  } catch (const CLI::ParseError& error) {
    throw MistakeIn(app, given, error);
  }
}

void CheckOutput(const OutputOptions& output) {
  if (output.json_file == "-" && output.format == "csv") {
    throw Error(Blame::kUsage, "--json - and --format csv would both write to stdout",
                "give --json a file name, or leave one out");
  }
}

void CheckSamples(const Options& options) {
  const std::optional<std::string>& file = options.output.samples_file;
  if (!file) return;
  if (file == "-") {
    throw Error(Blame::kUsage, "--samples '" + *file + "' is no file",
                "name a file; the result goes to stdout");
  }
  if (file == options.output.json_file) {
    throw Error(Blame::kUsage, "--samples and --json name the same file", "name two");
  }
  const auto is_latency = [](const TestPlan& test) {
    return FindTest(test.test).metric == Metric::kLatency;
  };
  const std::vector<TestPlan>& tests = options.plan.tests;
  if (std::any_of(tests.begin(), tests.end(), is_latency)) return;
  throw Error(Blame::kUsage, "--samples does not go with " + tests[0].test,
              "samples are of latency tests");
}

void CheckDoctor(const Options& options) {
  if (options.plan.remote.devices.empty() || !options.call.host.empty()) return;
  throw Error(Blame::kUsage, "--remote-device is of a server, and none is named",
              "name its host, or this machine's devices by --ib-dev");
}

void Finish(Options& options) {
  constexpr std::chrono::milliseconds kInterval{1000};
  const bool is_endless = options.plan.tests.front().run.until_interrupted;
  if (is_endless && !options.output.interval && !options.output.quiet)
    options.output.interval = kInterval;
  CheckGiven(options.plan.tests.front(), options.given);
  CheckPlacementOptions(options.local.placement);
  CheckDeviceNames(options.local);
  Validate(options.plan);
  CheckDeviceLists(options.plan, options.local);
  CheckLimits(options.limiting, options.plan);
  CheckSamples(options);
}

Options Read(std::span<const std::string> args) {
  Options options;
  if (args.empty()) throw Error(Blame::kUsage, "no command given", "see 'rdmabench --help'");
  const std::string& name = args.front();
  if (name == "--help" || name == "-h" || name == "help") {
    options.text = TopHelp();
    return options;
  }
  if (name == "--version" || name == "-V") {
    options.text = "rdmabench " + std::string(kVersion) + " (" + std::string(BuildCommit()) + ")\n";
    return options;
  }
  if (name.starts_with('-')) {
    throw Error(Blame::kUsage, "the command comes before its options such as " + name,
                "rdmabench TEST HOST [OPTIONS]; see 'rdmabench --help'");
  }
  CLI::App app("", "rdmabench " + name);
  const auto* row = std::find_if(std::begin(kCommands), std::end(kCommands),
                                 [&](const CommandRow& command) { return command.name == name; });
  const std::vector<std::string> rest = Normalized(args.subspan(1));
  if (row != std::end(kCommands)) {
    app.description(std::string(row->summary));
    options.command = row->command;
    row->add(app, options);
    Parse(app, rest, options);
    CheckOutput(options.output);
    CheckPlacementOptions(options.local.placement);
    CheckDeviceNames(options.local);
    if (options.command == Command::kDoctor) CheckDoctor(options);
    if (options.command == Command::kTest) {
      CheckDeviceLists(options.plan, options.local);
      CheckLimits(options.limiting, options.plan);
      CheckSamples(options);
    }
    return options;
  }
  const Test& test = FindTest(name);
  app.description(test.summary);
  options.command = Command::kTest;
  options.plan.tests.push_back(
      {.test = test.name, .queue = {}, .link = {}, .memory = {}, .run = {}});
  AddTest(app, options);
  Parse(app, rest, options);
  if (options.command == Command::kTest) Finish(options);
  CheckOutput(options.output);
  return options;
}

}  // namespace

Options ParseOptions(std::span<const std::string> args) {
  try {
    return Read(args);
  } catch (const Error& error) {
    // Nobody is left alone with what is wrong.
    if (error.blame() != Blame::kUsage || !error.remedy().empty()) throw;
    throw Error(Blame::kUsage, error.what(), "see 'rdmabench " + args.front() + " --help'");
  }
}

}  // namespace rdmabench
