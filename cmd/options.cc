#include "cmd/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <string_view>

#include "bench/test.h"
#include "cmd/quantity.h"
#include "report/format.h"
#include "report/version.h"
#include "transport/error.h"
#include "transport/nearest.h"

namespace rdmabench {
namespace {

constexpr Range kTcpPort{0, 65535};
constexpr Range kIbPort{1, 255};
constexpr Range kGidIndex{0, 255};
constexpr Range kSessions{1, 1024};

// Adds options that parse their own text, so that every error has one form.
class Group {
 public:
  Group(CLI::App& app, std::string title) : app_(app), title_(std::move(title)) {}

  template <class T>
  void Number(const std::string& names, T& value, Range range, const std::string& help) {
    Add(names, "N", help + " (" + range.ToString() + ")", [=, &value](const std::string& text) {
      value = static_cast<typename ValueOf<T>::Type>(ParseNumber(Shown(names), text, range));
    });
  }
  template <class T>
  void Size(const std::string& names, T& value, Range range, const std::string& help) {
    Add(names, "SIZE", help, [=, &value](const std::string& text) {
      value = static_cast<typename ValueOf<T>::Type>(ParseSize(Shown(names), text, range));
    });
  }
  // Into milliseconds, as a number or as a duration.
  template <class T>
  void Time(const std::string& names, T& value, Range range, const std::string& help) {
    Add(names, "TIME", help, [=, &value](const std::string& text) {
      const std::chrono::milliseconds time = ParseDuration(Shown(names), text, range);
      if constexpr (std::is_integral_v<T>) {
        value = static_cast<T>(time.count());
      } else {
        value = time;
      }
    });
  }
  template <class T>
  void Text(const std::string& names, T& value, const std::string& kind, const std::string& help) {
    Add(names, kind, help, [&value](const std::string& text) { value = text; });
  }
  void Flag(const std::string& names, bool& value, const std::string& help) {
    app_.add_flag(names, value, help)->group(title_);
  }
  CLI::Option* Add(const std::string& names, const std::string& kind, const std::string& help,
                   const std::function<void(const std::string&)>& take) {
    return app_.add_option_function<std::string>(names, take, help)->type_name(kind)->group(title_);
  }

 private:
  template <class T>
  struct ValueOf {
    using Type = T;
  };
  template <class T>
  struct ValueOf<std::optional<T>> {
    using Type = T;
  };

  // The long name, for error texts: "-s,--size" → "--size".
  static std::string Shown(const std::string& names) {
    const std::size_t dashes = names.find("--");
    const std::string name = dashes == std::string::npos ? names : names.substr(dashes);
    return name.substr(0, name.find(','));
  }

  CLI::App& app_;
  std::string title_;
};

void AddDeviceOptions(CLI::App& app, Local& local) {
  Group group(app, "Device");
  group.Text("-d,--ib-dev", local.device, "NAME",
             "RDMA device or its network interface; default: the one of the session's address");
  group.Number("-i,--ib-port", local.port, kIbPort,
               "port of the device; default: the first active");
  group.Number("-x,--gid-index", local.gid_index, kGidIndex,
               "GID of this side; default: paired with the peer's");
}

void AddQueueOptions(CLI::App& app, TestPlan& test) {
  Group group(app, "Queues");
  group.Add("-c,--connection", "TYPE", "queue pair type: rc",
            [&test](const std::string& text) { test.queue.qp_type = FindQpType(text).name; });
  group.Number("-q,--qp", test.queue.queue_pairs, kQueuePairs, "queue pairs");
  group.Number("-t,--tx-depth", test.queue.send_depth, kDepth,
               "requests in flight a queue pair; default 128, less for large messages");
  group.Number("-l,--post-list", test.queue.post_list, kPostList, "requests a post");
  group.Number("-Q,--cq-mod", test.queue.signal_every, kSignalEvery,
               "requests a completion; default: by size and depth");
  group.Number("-I,--inline-size", test.queue.inline_bytes, kInlineBytes,
               "bytes sent inline; default: what the queue pair grants");
  group.Add("-m,--mtu", "N",
            "path MTU: 256, 512, 1024, 2048 or 4096; default: the smaller active one",
            [&test](const std::string& text) {
              test.link.mtu_bytes =
                  static_cast<std::uint32_t>(ParseNumber("--mtu", text, Range{256, 4096}));
            });
  group.Number("-u,--qp-timeout", test.link.timeout, kTimeout,
               "acknowledgement timeout, 4.096 us x 2^N");
  group.Number("--retry-count", test.link.retry_count, kRetry, "tries before a transport error");
  group.Add("--relaxed-ordering", "on|off", "PCIe relaxed ordering of the memory; default on",
            [&test](const std::string& text) {
              if (text != "on" && text != "off") {
                throw Error(Blame::kUsage,
                            "--relaxed-ordering '" + text + "' is neither on nor off");
              }
              test.memory.relaxed_ordering = text == "on";
            });
}

void AddSizeOptions(CLI::App& app, TestPlan& test) {
  constexpr unsigned kSmallestOfAll = 1;  // as powers of two
  constexpr unsigned kLargestOfAll = 23;
  std::vector<std::uint64_t>& sizes = test.run.message_bytes;
  Group group(app, "Messages");
  CLI::Option* size = group.Add(
      "-s,--size", "SIZES", "message sizes, such as 64,4K,1M; default 64K",
      [&sizes](const std::string& text) { sizes = ParseSizes("--size", text, kMessageBytes); });
  CLI::Option* all = app.add_flag_callback(
      "-a,--all",
      [&sizes] {
        sizes.clear();
        for (unsigned power = kSmallestOfAll; power <= kLargestOfAll; ++power) {
          sizes.push_back(std::uint64_t{1} << power);
        }
      },
      "every power of two from 2 bytes to 8 MiB");
  all->group("Messages")->excludes(size);
}

void AddRunOptions(CLI::App& app, RunOptions& run) {
  Group group(app, "Length");
  CLI::Option* count =
      group.Add("-n,--iters", "N", "messages a queue pair (" + kIterations.ToString() + ")",
                [&run](const std::string& text) {
                  run.iterations = ParseNumber("--iters", text, kIterations);
                });
  group
      .Add("-D,--duration", "TIME", "time to measure: 2, 0.5, 200ms, 5m; default 2 s",
           [&run](const std::string& text) {
             const auto time = ParseDuration("--duration", text, Range{1, kMilliseconds.high});
             run.duration_ms = static_cast<std::uint64_t>(time.count());
           })
      ->excludes(count);
  group.Time("--warmup", run.warmup_ms, kMilliseconds,
             "not counted: so long or 1,000 messages, but a full queue; 0: none; default 200ms");
  group.Time("--stall-timeout", run.stall_timeout_ms, Range{100, kMilliseconds.high},
             "end the run when nothing completes for so long; default 10 s");
  group.Time("--peer-timeout", run.peer_timeout_ms, kPeerTimeout,
             "a peer silent for so long counts as dead; default 1500ms");
}

void AddOutputOptions(CLI::App& app, OutputOptions& output) {
  Group group(app, "Output");
  std::string formats;
  for (const report::Format& format : report::Formats()) {
    formats += (formats.empty() ? "" : ", ") + std::string(format.name);
  }
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
  group.Flag("--quiet", output.quiet, "no progress and no notes on stderr");
}

// What every command that calls a server takes.
void AddCall(CLI::App& app, Options& options) {
  app.add_option("HOST", options.call.host, "host that runs 'rdmabench server'")
      ->required()
      ->type_name("");
  AddDeviceOptions(app, options.local);
  Group session(app, "Session");
  session.Number("-p,--port", options.call.port, Range{1, kTcpPort.high}, "TCP port of the server");
  session.Time("--connect-timeout", options.call.connect_timeout, kMilliseconds,
               "go on trying to connect for so long; default 10 s");
  session.Time("--wait", options.call.wait, kMilliseconds,
               "wait so long for a turn when the server is busy; default 60 s");
  AddOutputOptions(app, options.output);
}

void AddTest(CLI::App& app, Options& options) {
  TestPlan& test = options.plan.tests.front();
  AddSizeOptions(app, test);
  AddRunOptions(app, test.run);
  AddQueueOptions(app, test);
  AddCall(app, options);
}

void AddRun(CLI::App& app, Options& options) {
  app.add_option_function<std::string>(
         "SUITE", [&options](const std::string& path) { options.plan = PlanFromFile(path); },
         "JSON file with a plan, as in configs/, or a report, which is run again")
      ->required()
      ->type_name("");
  AddCall(app, options);
}

void AddServer(CLI::App& app, Options& options) {
  ServerOptions& server = options.server;
  Group group(app, "Server");
  group.Number("-p,--port", server.port, kTcpPort,
               "TCP port; 0: the system chooses, see the output");
  app.add_option("--bind", server.bind, "addresses to listen on; default: all")
      ->type_name("IP")
      ->delimiter(',')
      ->group("Server");
  group.Number("--max-sessions", server.max_sessions, kSessions,
               "clients served at once, others queue; default 1");
  group.Flag("--once", server.once, "end after the first client");
  group.Flag("--quiet", options.output.quiet, "no line per event on stderr");
  AddDeviceOptions(app, options.local);
  Group limits(app, "Limits");
  limits.Number("--limit-qp", server.limits.queue_pairs, kQueuePairs, "queue pairs a client");
  limits.Size("--limit-memory", server.limits.memory_bytes, Range{4096, std::uint64_t{1} << 50},
              "bytes of memory a client; default 4G");
  limits.Time("--limit-duration", server.limits.duration_ms, Range{1, kMilliseconds.high},
              "time a test; default 24h");
  // How the server starts the process of one session; an empty group keeps it out of the help.
  Group(app, "").Number("--session-fd", server.session_fd, Range{3, 1 << 20}, "descriptor");
}

void AddDevices(CLI::App& app, Options& options) {
  Group(app, "Output").Flag("--json", options.json, "as JSON");
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
    {"devices", "[--json]", "list devices, ports and GIDs", Command::kDevices, AddDevices},
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

// The option nearest to the first one that CLI11 did not know.
std::string NearestOption(const CLI::App& app, const std::vector<std::string>& args) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const std::string& arg : args) {
    const std::string name = arg.substr(0, arg.find('='));
    if (!name.starts_with("--")) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) return DidYouMean(name, known);
  }
  return "";
}

void Parse(CLI::App& app, std::vector<std::string> args, Options& options) {
  const std::vector<std::string> given = args;
  std::reverse(args.begin(), args.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(args));
  } catch (const CLI::CallForHelp&) {
    options.command = Command::kPrint;
    options.text = app.help();
  } catch (const CLI::ParseError& error) {
    throw Error(Blame::kUsage, error.what() + NearestOption(app, given),
                "see '" + app.get_name() + " --help'");
  }
}

void CheckOutput(const OutputOptions& output) {
  if (output.json_file == "-" && output.format == "csv") {
    throw Error(Blame::kUsage, "--json - and --format csv would both write to stdout",
                "give --json a file name, or leave one out");
  }
}

void Finish(Options& options) {
  TestPlan& test = options.plan.tests.front();
  constexpr std::uint64_t kDefaultSize = 65536;
  const Op& op = *FindTest(test.test).op;
  if (test.run.message_bytes.empty()) {
    test.run.message_bytes = {op.fixed_size != 0 ? op.fixed_size : kDefaultSize};
  }
  Validate(options.plan);
}

}  // namespace

Options ParseOptions(std::span<const std::string> args) {
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

}  // namespace rdmabench
