// What `rdmabench doctor` found, and how it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "report/report.h"

namespace rdmabench::report {

struct Finding {
  std::string id = {};        // "pcie_link"
  std::string severity = {};  // "severe", "warning", "note"
  std::string side = {};      // "client", "server", "both"
  std::string what = {};
  std::string evidence = {};
  std::string effect = {};
  std::string remedy = {};
};

// One machine: what it is made of, by name, in one order for all.
struct Examined {
  std::string role = {};  // "client", "server"
  std::string name = {};
  std::vector<std::pair<std::string, std::variant<std::string, std::uint64_t>>> facts = {};
};

struct Diagnosis {
  Tool tool = {};
  std::string started_at = {};
  std::vector<Examined> hosts = {};    // the client's, then the server's where it was asked
  std::vector<Finding> findings = {};  // the most severe first
  std::optional<Failure> error = {};   // why the server's side is missing
};

// Goes up when a key changes its meaning, not when one is added.
inline constexpr int kDiagnosisVersion = 1;

bool IsSevere(const Diagnosis& diagnosis);

std::string RenderDiagnosisText(const Diagnosis& diagnosis);
// As doctor_schema.json describes it, with a line end.
std::string RenderDiagnosisJson(const Diagnosis& diagnosis);

}  // namespace rdmabench::report
