#include "transport/hello.h"

#include <sys/random.h>

#include <array>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>

#include "transport/error.h"
#include "transport/joined.h"
#include "transport/json_reader.h"
#include "transport/nearest.h"
#include "transport/printable.h"
#include "transport/session.h"

namespace rdmabench {
namespace {

constexpr std::array<std::string_view, 2> kRequests = {kRunRequest, kDoctorRequest};
constexpr std::size_t kNonceBytes = 16;
constexpr std::size_t kLongestVersion = 64;
constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string MakeNonce() {
  std::array<unsigned char, kNonceBytes> bytes = {};
  // Requests of up to 256 bytes are never answered in part.
  CheckErrno(static_cast<int>(getrandom(bytes.data(), bytes.size(), 0)),
             "cannot read the system's random source");
  std::string nonce;
  for (const unsigned char byte : bytes) {
    nonce += kHexDigits[byte >> 4U];
    nonce += kHexDigits[byte & 0xfU];
  }
  return nonce;
}

// Another protocol's hello may have any other fields, so this looks at no more than it needs.
void RefuseOtherProtocol(const nlohmann::json& body, std::string_view our_tool_version) {
  if (!body.is_object() || !body.contains("protocol")) return;
  const nlohmann::json& protocol = body["protocol"];
  if (!protocol.is_number_integer() || protocol == kProtocolVersion) return;
  std::string version = "of unknown version";
  if (body.contains("tool_version") && body["tool_version"].is_string()) {
    version = Printable(body["tool_version"].get_ref<const std::string&>(), kLongestVersion);
  }
  throw Error(Blame::kRun,
              "the client (rdmabench " + version + ") speaks protocol " + protocol.dump() +
                  ", the server (rdmabench " + std::string(our_tool_version) + ") protocol " +
                  std::to_string(kProtocolVersion),
              "use the same version of rdmabench on both hosts");
}

}  // namespace

Hello MakeHello(std::string_view tool_version, std::string_view request) {
  return {.protocol = kProtocolVersion,
          .tool_version = std::string(tool_version),
          .nonce = MakeNonce(),
          .request = std::string(request)};
}

nlohmann::json HelloToJson(const Hello& hello) {
  return {{"protocol", hello.protocol},
          {"tool_version", hello.tool_version},
          {"nonce", hello.nonce},
          {"request", hello.request}};
}

Hello CheckHello(const nlohmann::json& frame_body, std::string_view our_tool_version) {
  RefuseOtherProtocol(frame_body, our_tool_version);
  JsonReader reader(frame_body, "hello");
  Hello hello;
  hello.protocol = static_cast<int>(reader.Number("protocol", 0, std::numeric_limits<int>::max()));
  hello.tool_version = reader.Text("tool_version", kLongestVersion);
  hello.nonce = reader.Text("nonce", 2 * kNonceBytes);
  hello.request = reader.Text("request", kLongestVersion);
  reader.Done();
  if (hello.nonce.size() != 2 * kNonceBytes ||
      hello.nonce.find_first_not_of(kHexDigits) != std::string::npos) {
    throw Error(Blame::kRun, "hello.nonce is '" + hello.nonce + "', allowed are 32 hex digits");
  }
  for (const std::string_view request : kRequests) {
    if (request == hello.request) return hello;
  }
  throw Error(Blame::kRun, "hello.request is '" + hello.request + "', this server knows " +
                               Joined(kRequests) + DidYouMean(hello.request, kRequests));
}

}  // namespace rdmabench
