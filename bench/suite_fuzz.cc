// The text of a suite file, or of a report whose plan is run again.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "bench/plan.h"
#include "transport/fuzz_entry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmabench;
  ExpectOnlyErrors([&] {
    const nlohmann::json plan =
        PlanToJson(PlanFromText({reinterpret_cast<const char*>(data), size}, "the input"));
    Expect(PlanToJson(PlanFromJson(plan)) == plan, "a suite's plan can be told to a server");
    Expect(PlanToJson(PlanFromText(plan.dump(), "its plan")) == plan,
           "a plan is a suite that stands for itself");
  });
  return 0;
}
