#include "transport/hello.h"

#include <array>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>

#include "transport/catalogue.h"
#include "transport/handshake.h"
#include "transport/joined.h"
#include "transport/json_reader.h"
#include "transport/nearest.h"
#include "transport/printable.h"
#include "transport/session.h"

namespace rdmabench {
namespace {

constexpr std::array<std::string_view, 3> kRequests = {kRunRequest, kDoctorRequest, kStatusRequest};
constexpr std::size_t kLongestVersion = 64;

// Another protocol's hello may have any other fields, so this looks at no more than it needs.
void RefuseOtherProtocol(const nlohmann::json& body, std::string_view our_tool_version) {
  if (!body.is_object() || !body.contains("protocol")) return;
  const nlohmann::json& protocol = body["protocol"];
  if (!protocol.is_number_integer() || protocol == kProtocolVersion) return;
  std::string version = "of unknown version";
  if (body.contains("tool_version") && body["tool_version"].is_string()) {
    version = Printable(body["tool_version"].get_ref<const std::string&>(), kLongestVersion);
  }
  throw SessionError("version", "the client (rdmabench " + version + ") speaks protocol " +
                                    protocol.dump() + ", the server (rdmabench " +
                                    std::string(our_tool_version) + ") protocol " +
                                    std::to_string(kProtocolVersion));
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
  hello.nonce = reader.Hex("nonce", kNonceBytes);
  hello.request = reader.Text("request", kLongestVersion);
  reader.Done();
  for (const std::string_view request : kRequests) {
    if (request == hello.request) return hello;
  }
  throw SessionError("version", "hello.request is '" + hello.request + "', this server knows " +
                                    Joined(kRequests) + DidYouMean(hello.request, kRequests));
}

}  // namespace rdmabench
