// What may be wrong with a machine, as `rdmabench doctor` and the warnings of a report tell it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rdmabench {

// severe: a test fails, or measures something else than the fabric; warning: figures are worse than
// they could be, or vary; note: worth knowing.
enum class Severity { kNote, kWarning, kSevere };
std::string_view SeverityName(Severity severity);  // "note", "warning", "severe"
std::optional<Severity> FindSeverity(std::string_view name);

// What a check has seen. What is the same of each time, its row says.
struct Symptom {
  std::string what;
  std::string evidence;                   // files or calls read, and what they said
  std::string remedy;                     // in one line
  std::optional<Severity> severity = {};  // where it is not that of the row
  std::string_view effect = {};           // as well
};

struct Finding {
  std::string id;  // of the row: "pcie_link"
  Severity severity = Severity::kWarning;
  std::string side;  // "client", "server", "both"
  std::string what;
  std::string evidence;
  std::string effect;  // on what is measured
  std::string remedy;
};

// "client: rxe0 is made of rdma_rxe …; effect; remedy: …": one line.
std::string FindingLine(const Finding& finding);

// "50.4 Gb/s", "100 Gb/s": as findings tell rates.
std::string GbpsText(double gbps);

}  // namespace rdmabench
