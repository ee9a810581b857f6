#include "report/diagnosis.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "report/json_failure.h"
#include "report/printable.h"
#include "report/text_phrase.h"
#include "report/text_table.h"

namespace rdmabench::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSevere = "severe";

struct Plural {
  const char* severity;
  const char* many;
};
constexpr Plural kCounted[] = {{kSevere, "severe"}, {"warning", "warnings"}, {"note", "notes"}};

std::string TextOf(const std::variant<std::string, std::uint64_t>& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return Printable(*text);
  return std::to_string(std::get<std::uint64_t>(value));
}

// The names of all hosts' facts, in the order in which the first host that has more of them has
// them.
std::vector<std::string> FactNames(const std::vector<Examined>& hosts) {
  std::vector<std::string> names;
  for (const Examined& host : hosts) {
    auto place = names.begin();
    for (const auto& [name, value] : host.facts) {
      const auto found = std::find(names.begin(), names.end(), name);
      place = found == names.end() ? names.insert(place, name) : found;
      ++place;
    }
  }
  return names;
}

std::string FactsBlock(const std::vector<Examined>& hosts) {
  TextTable table(std::vector<TextTable::Column>(hosts.size() + 1, {"", Align::kLeft}));
  std::vector<std::string> titles{""};
  for (const Examined& host : hosts) {
    titles.push_back(Printable(host.role + (host.name.empty() ? "" : " " + host.name)));
  }
  table.AddRow(std::move(titles));
  for (const std::string& name : FactNames(hosts)) {
    std::vector<std::string> cells{Printable(name)};
    for (const Examined& host : hosts) {
      const auto found = std::find_if(host.facts.begin(), host.facts.end(),
                                      [&name](const auto& fact) { return fact.first == name; });
      cells.push_back(found == host.facts.end() ? "-" : TextOf(found->second));
    }
    table.AddRow(std::move(cells));
  }
  return table.Render(2);
}

std::string FindingBlock(const Finding& finding) {
  TextTable table({{"", Align::kLeft}, {"", Align::kLeft}});
  table.AddRow({"evidence", Printable(finding.evidence)});
  table.AddRow({"effect", Printable(finding.effect)});
  table.AddRow({"remedy", Printable(finding.remedy)});
  return Printable(finding.severity + "  " + finding.side + "  " + finding.id + ": " +
                   finding.what) +
         "\n" + table.Render(4);
}

// "1 severe, 2 warnings, 1 note"
std::string Sum(const std::vector<Finding>& findings) {
  std::string text;
  for (const Plural& row : kCounted) {
    const auto count =
        std::count_if(findings.begin(), findings.end(),
                      [&row](const Finding& finding) { return finding.severity == row.severity; });
    if (count == 0) continue;
    AppendWord(text, std::to_string(count) + " " + (count == 1 ? row.severity : row.many));
  }
  return text.empty() ? "nothing found" : text;
}

Json FindingJson(const Finding& finding) {
  return {{"id", finding.id},        {"severity", finding.severity}, {"side", finding.side},
          {"what", finding.what},    {"evidence", finding.evidence}, {"effect", finding.effect},
          {"remedy", finding.remedy}};
}

Json HostJson(const Examined& host) {
  Json facts = Json::object();
  for (const auto& [name, value] : host.facts) {
    std::visit([&facts, &name = name](const auto& known) { facts[name] = known; }, value);
  }
  Json object = {{"role", host.role}};
  if (!host.name.empty()) object["name"] = host.name;
  object["facts"] = std::move(facts);
  return object;
}

}  // namespace

bool IsSevere(const Diagnosis& diagnosis) {
  return std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(),
                     [](const Finding& finding) { return finding.severity == kSevere; });
}

std::string RenderDiagnosisText(const Diagnosis& diagnosis) {
  std::string text = Printable(diagnosis.tool.name + " " + diagnosis.tool.version + " doctor, " +
                               diagnosis.started_at) +
                     "\n\n" + FactsBlock(diagnosis.hosts) + "\n";
  for (const Finding& finding : diagnosis.findings) text += FindingBlock(finding) + "\n";
  text += Sum(diagnosis.findings) + "\n";
  if (diagnosis.error) {
    text += "the server is not in it: " + Printable(diagnosis.error->message) + "\n";
  }
  return text;
}

std::string RenderDiagnosisJson(const Diagnosis& diagnosis) {
  Json document = {{"schema_version", kDiagnosisVersion},
                   {"tool",
                    {{"name", diagnosis.tool.name},
                     {"version", diagnosis.tool.version},
                     {"commit", diagnosis.tool.commit}}},
                   {"started_at", diagnosis.started_at}};
  if (diagnosis.error) document["error"] = FailureJson(*diagnosis.error);
  document["severe"] = IsSevere(diagnosis);
  document["hosts"] = Json::array();
  for (const Examined& host : diagnosis.hosts) document["hosts"].push_back(HostJson(host));
  document["findings"] = Json::array();
  for (const Finding& finding : diagnosis.findings) {
    document["findings"].push_back(FindingJson(finding));
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rdmabench::report
