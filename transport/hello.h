// The first frame of a session: who calls, with which protocol, for what.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace rdmabench {

struct Hello {
  int protocol = 0;
  std::string tool_version;
  std::string nonce;    // 32 hexadecimal digits from the system's random source
  std::string request;  // one of the below
};

inline constexpr std::string_view kRunRequest = "run";
inline constexpr std::string_view kDoctorRequest = "doctor";
inline constexpr std::string_view kStatusRequest = "status";

Hello MakeHello(std::string_view tool_version, std::string_view request);
nlohmann::json HelloToJson(const Hello& hello);

// Throws Error(kRun) when it is ill-formed, of another protocol version (naming both versions and
// both tool versions) or for an unknown request.
Hello CheckHello(const nlohmann::json& frame_body, std::string_view our_tool_version);

}  // namespace rdmabench
