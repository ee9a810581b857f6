// `rdmabench doctor` on both sides: each examines itself, and the client compares the two.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/local.h"
#include "bench/site.h"
#include "report/diagnosis.h"
#include "transport/interrupt.h"
#include "transport/session.h"

namespace rdmabench {

struct DoctorOptions {
  std::optional<Call> call;  // absent: this machine alone
  Local local;
  std::vector<std::string> remote_devices;  // of the server, as --remote-device names them
  Observer observer;
};

// Fills what is found of this machine, and then of the server and of the pair. When that fails it
// throws Error (with host and step), and what was found before is in `diagnosis`.
void Diagnose(const DoctorOptions& options, const Interrupt& interrupt,
              report::Diagnosis& diagnosis);

// The server's part, once the client has been welcomed; it says within `idle` what it asks for.
void ServeDoctor(Session& session, const Local& local, std::chrono::milliseconds idle);

// What a test's report has to warn of, a line each: of the device and port that it uses. As many
// and as long as the other side takes.
inline constexpr std::size_t kMostWarnings = 64;
inline constexpr std::size_t kLongestWarning = 1024;
std::vector<std::string> EssentialWarnings(const Site& site, std::string_view side);

}  // namespace rdmabench
