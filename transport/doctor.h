// Is this machine fit to measure? A table of checks, each of which looks for one thing that makes
// figures bad or keeps tests from running.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "transport/finding.h"
#include "transport/machine.h"

namespace rdmabench {

struct CheckRow {
  std::string_view id;
  Severity severity;
  bool is_essential;        // a test's report has it as a warning
  std::string_view effect;  // on what is measured
  std::vector<Symptom> (*look)(const Machine&);
};

std::span<const CheckRow> CheckRows();

// What the checks find, the most severe first; `side` is "client" or "server".
std::vector<Finding> Examine(const Machine& machine, std::string_view side);
// Of the essential ones alone: what a report warns of.
std::vector<Finding> ExamineEssentials(const Machine& machine, std::string_view side);

// The most severe first, else in the order they are in.
void SortBySeverity(std::vector<Finding>& findings);

}  // namespace rdmabench
