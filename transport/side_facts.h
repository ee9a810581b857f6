// What one end of a measurement is made of, as far as the other end should be the same; and where
// the two differ.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "transport/finding.h"
#include "transport/gid.h"
#include "transport/machine.h"

namespace rdmabench {

using FactValue = std::variant<std::string, std::uint64_t>;
std::string FactText(const FactValue& value);

struct Fact {
  std::string_view name;  // of the row: "active_mtu_bytes"
  FactValue value;

  bool operator==(const Fact&) const = default;
};

struct SideFacts {
  std::vector<Fact> facts;  // those that are known, in the order of the rows
  std::vector<Gid> gids;    // of the port that is compared
};

// The port that is compared; null: there is none.
struct UsedPort {
  const Machine& machine;
  std::string_view tool_version;
  const DeviceInfo* device = nullptr;
  const PortInfo* port = nullptr;
};

struct FactRow {
  std::string_view name;
  bool is_number;
  std::optional<FactValue> (*read)(const UsedPort&);
};
std::span<const FactRow> FactRows();

SideFacts ReadFacts(const UsedPort& used);

struct DifferenceRow {
  std::string_view id;
  Severity severity;
  std::string_view what;
  std::string_view effect;
  std::string_view remedy;
  std::string_view facts[4];    // that should be equal
  std::string_view given = {};  // looked at only where this one is equal, too
  bool is_of_ports = false;     // and not of the hosts: the evidence names the two
};
std::span<const DifferenceRow> DifferenceRows();

// The one that is not of two values: no pair of GIDs can talk.
inline constexpr std::string_view kGidPair = "gid_pair";

// What is known of both and differs, for "both". The addresses are those of the session.
std::vector<Finding> Compare(const SideFacts& client, const SideFacts& server,
                             std::string_view client_ip, std::string_view server_ip);

}  // namespace rdmabench
