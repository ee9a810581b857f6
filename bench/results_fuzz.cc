// What a peer may tell of itself and of what it has measured, and what a doctor may ask of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "bench/examine_request.h"
#include "bench/host_json.h"
#include "bench/plan.h"
#include "bench/side_run.h"
#include "transport/account_json.h"
#include "transport/fuzz_entry.h"

namespace rdmabench {
namespace {

using nlohmann::json;

constexpr std::uint32_t kQueuePairs = 4;

void ReadSideRun(const json& body) {
  std::size_t rails = 1;
  if (body.is_object() && body.contains("rails")) {
    rails = std::clamp<std::size_t>(body["rails"].size(), 2, kMostRails);
  }
  const json written = SideRunToJson(SideRunFromJson(body, kQueuePairs, rails));
  Expect(SideRunToJson(SideRunFromJson(written, kQueuePairs, rails)) == written,
         "results are written as they were read");
}

void ReadHost(const json& body) {
  const json written = HostToJson(HostFromJson(body));
  Expect(HostToJson(HostFromJson(written)) == written, "a host is written as it was read");
}

void ReadAccount(const json& body) {
  const json written = AccountToJson(AccountFromJson(body, "server"));
  Expect(AccountToJson(AccountFromJson(written, "server")) == written,
         "an account is written as it was read");
}

void ReadExamineRequest(const json& body) {
  const json written = ExamineRequestToJson(ExamineRequestFromJson(body));
  Expect(ExamineRequestToJson(ExamineRequestFromJson(written)) == written,
         "what is to be examined is written as it was read");
}

}  // namespace
}  // namespace rdmabench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmabench;
  return FuzzJson(data, size, [](const json& body) {
    for (const auto& read : {ReadSideRun, ReadHost, ReadAccount, ReadExamineRequest}) {
      ExpectOnlyErrors([&] { read(body); });
    }
  });
}
