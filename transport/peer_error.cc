#include "transport/peer_error.h"

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "transport/catalogue.h"
#include "transport/printable.h"

namespace rdmabench {
namespace {

constexpr std::size_t kLongestText = 1000;
constexpr std::size_t kLongestName = 100;
constexpr std::string_view kPrefix = "peer: ";
constexpr std::string_view kInterruptedRemedy =
    "it was ended there by Ctrl-C or SIGTERM; start it again";

struct BlameName {
  Blame blame;
  std::string_view name;
};

constexpr std::array kBlames = {
    BlameName{Blame::kRun, "run"},
    BlameName{Blame::kUsage, "usage"},
    BlameName{Blame::kEnvironment, "environment"},
    BlameName{Blame::kInterrupted, "interrupted"},
};

std::string_view NameOf(Blame blame) {
  for (const BlameName& row : kBlames) {
    if (row.blame == blame) return row.name;
  }
  return kBlames[0].name;
}

Blame BlameOf(std::string_view name) {
  for (const BlameName& row : kBlames) {
    if (row.name == name) return row.blame;
  }
  return Blame::kRun;
}

std::string TextOf(const nlohmann::json& body, const char* key, std::size_t longest) {
  if (!body.is_object() || !body.contains(key) || !body[key].is_string()) return {};
  return Printable(body[key].get_ref<const std::string&>(), longest);
}

}  // namespace

nlohmann::json ErrorToJson(const Error& error) {
  nlohmann::json body = {{"message", Printable(error.what(), kLongestText)},
                         {"blame", NameOf(error.blame())}};
  if (!error.remedy().empty()) body["remedy"] = Printable(error.remedy(), kLongestText);
  if (!error.host().empty()) body["host"] = error.host();
  if (!error.step().empty()) body["step"] = error.step();
  if (!error.entry().empty()) body["entry"] = error.entry();
  return body;
}

Error ErrorFromPeer(const nlohmann::json& body) {
  std::string message = TextOf(body, "message", kLongestText);
  if (message.empty()) message = "it failed without saying why";
  std::string remedy = TextOf(body, "remedy", kLongestText);
  Blame blame = BlameOf(TextOf(body, "blame", kLongestName));
  // Its user's wish to end is not this side's.
  if (blame == Blame::kInterrupted) {
    blame = Blame::kRun;
    if (remedy.empty()) remedy = kInterruptedRemedy;
  }
  // What was asked for wrongly was asked for on this side; the peer has but found it.
  if (blame != Blame::kUsage) message.insert(0, kPrefix);
  Error error(blame, message, std::move(remedy));
  error.At(TextOf(body, "host", kLongestName), TextOf(body, "step", kLongestName));
  // One that this version does not know would lead nobody to its line.
  std::string entry = TextOf(body, "entry", kLongestName);
  if (FindEntry(entry) != nullptr) error.Of(std::move(entry));
  return error.ToldByPeer();
}

Error ReasonOfPeer(const Error& told) {
  std::string message = told.what();
  if (message.starts_with(kPrefix)) message.erase(0, kPrefix.size());
  Error reason(told.blame(), message, told.remedy());
  reason.At(told.host(), told.step());
  return reason.Of(told.entry()).ToldByPeer();
}

}  // namespace rdmabench
