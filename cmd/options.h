// The command line: argv in, plain values out. The only user of CLI11.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/agreement.h"
#include "bench/local.h"
#include "bench/plan.h"
#include "cmd/given.h"
#include "cmd/server_options.h"
#include "cmd/verdict.h"

namespace rdmabench {

enum class Command { kPrint, kTest, kServer, kDevices, kDoctor, kStatus };

struct OutputOptions {
  std::string format = "text";
  std::optional<std::string> json_file;  // "-" is stdout, and then nothing else is printed there
  std::optional<std::string> samples_file;
  bool quiet = false;
  bool explain = false;
  std::optional<std::chrono::milliseconds> interval;  // a line for each; absent: none
};

struct Options {
  Command command = Command::kPrint;
  std::string text;  // for kPrint: help or version
  Plan plan;
  Given given;
  Call call;  // of the doctor: without a host it is this machine alone
  Local local;
  OutputOptions output;
  Limiting limiting;
  ServerOptions server;
  bool json = false;                      // of devices, doctor and status
  std::vector<std::string> only_devices;  // devices --ib-dev; none: all
};

// `args` without the program's name. Throws Error(kUsage).
Options ParseOptions(std::span<const std::string> args);

}  // namespace rdmabench
