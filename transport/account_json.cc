#include "transport/account_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "transport/error.h"
#include "transport/gid.h"
#include "transport/gid_json.h"
#include "transport/json_reader.h"
#include "transport/printable.h"

namespace rdmabench {
namespace {

using nlohmann::json;

constexpr std::size_t kMostFindings = 128;
constexpr std::size_t kMostGids = kMostGidIndex + 1;
constexpr std::size_t kLongestText = 1024;
constexpr std::size_t kLongestName = 64;
constexpr std::uint64_t kMostNumber = std::uint64_t{1} << 53U;  // that a double holds

json FindingToJson(const Finding& finding) {
  return {{"id", finding.id},
          {"severity", SeverityName(finding.severity)},
          {"what", Printable(finding.what, kLongestText)},
          {"evidence", Printable(finding.evidence, kLongestText)},
          {"effect", Printable(finding.effect, kLongestText)},
          {"remedy", Printable(finding.remedy, kLongestText)}};
}

template <class T>
T Known(std::optional<T> value, const JsonReader& reader, std::string_view key) {
  if (value) return *std::move(value);
  throw Error(Blame::kRun, reader.path() + "." + std::string(key) + " is none that is known",
              "use the same version of rdmabench on both hosts");
}

Finding ReadFinding(JsonReader& reader, const std::string& side) {
  Finding finding;
  finding.side = side;
  finding.id = reader.Text("id", kLongestName);
  finding.severity = Known(FindSeverity(reader.Text("severity", kLongestName)), reader, "severity");
  finding.what = reader.Text("what", kLongestText);
  finding.evidence = reader.Text("evidence", kLongestText);
  finding.effect = reader.Text("effect", kLongestText);
  finding.remedy = reader.Text("remedy", kLongestText);
  reader.Done();
  return finding;
}

json FactsToJson(const std::vector<Fact>& facts) {
  json object = json::object();
  for (const Fact& fact : facts) {
    if (const auto* number = std::get_if<std::uint64_t>(&fact.value)) {
      object[std::string(fact.name)] = std::min(*number, kMostNumber);
    } else {
      object[std::string(fact.name)] = Printable(std::get<std::string>(fact.value), kLongestText);
    }
  }
  return object;
}

std::vector<Fact> ReadFacts(JsonReader reader) {
  std::vector<Fact> facts;
  for (const FactRow& row : FactRows()) {
    if (!reader.Has(row.name)) continue;
    if (row.is_number) {
      facts.push_back({row.name, reader.Number(row.name, 0, kMostNumber)});
    } else {
      facts.push_back({row.name, reader.Text(row.name, kLongestText)});
    }
  }
  reader.Done();
  return facts;
}

}  // namespace

json AccountToJson(const Account& account) {
  json findings = json::array();
  for (const Finding& finding : account.findings) {
    if (findings.size() < kMostFindings) findings.push_back(FindingToJson(finding));
  }
  json gids = json::array();
  for (const Gid& gid : account.facts.gids) {
    if (gid.index <= kMostGidIndex && gids.size() < kMostGids) gids.push_back(GidToJson(gid));
  }
  return {{"host", Printable(account.host, kLongestText)},
          {"findings", std::move(findings)},
          {"facts", FactsToJson(account.facts.facts)},
          {"gids", std::move(gids)}};
}

Account AccountFromJson(const json& body, const std::string& side) {
  JsonReader reader(body, "account");
  Account account;
  account.host = reader.Text("host", kLongestText);
  for (JsonReader& finding : reader.Objects("findings", kMostFindings)) {
    account.findings.push_back(ReadFinding(finding, side));
  }
  account.facts.facts = ReadFacts(reader.Object("facts"));
  for (JsonReader& gid : reader.Objects("gids", kMostGids)) {
    account.facts.gids.push_back(GidFromJson(std::move(gid)));
  }
  reader.Done();
  return account;
}

}  // namespace rdmabench
