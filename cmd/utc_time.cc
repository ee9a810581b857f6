#include "cmd/utc_time.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace rdmabench {

namespace {

// Without the "Z".
std::string WholeSeconds(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  return text.data();
}

}  // namespace

std::string UtcNow() { return WholeSeconds(std::time(nullptr)) + "Z"; }

std::string UtcNowInMilliseconds() {
  using std::chrono::system_clock;
  const auto now = std::chrono::floor<std::chrono::milliseconds>(system_clock::now());
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ",
                static_cast<int>((now - second).count()));
  return WholeSeconds(system_clock::to_time_t(second)) + fraction.data();
}

}  // namespace rdmabench
