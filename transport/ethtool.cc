#include "transport/ethtool.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "transport/counter_table.h"
#include "transport/descriptor.h"
#include "transport/link_modes.h"

namespace rdmabench {
namespace {

constexpr std::uint32_t kMostStatistics = 65536;

// `command` begins with the number of the command; the answer takes its place.
bool Ask(const Descriptor& socket, const std::string& netdev, void* command) {
  ifreq request{};
  if (netdev.size() >= sizeof request.ifr_name) return false;
  std::memcpy(request.ifr_name, netdev.c_str(), netdev.size());
  request.ifr_data = static_cast<char*>(command);
  return ioctl(socket.get(), SIOCETHTOOL, &request) == 0;
}

// Room for a command with a header of type Head and what the kernel writes behind it. The driver
// may have got more statistics since it was asked how many (a queue was added): there is room for
// twice as many.
template <class Head>
class Command {
 public:
  explicit Command(std::size_t answer_bytes)
      : words_(1 + (sizeof(Head) + 2 * answer_bytes) / sizeof(std::uint64_t)) {}

  Head* operator->() { return reinterpret_cast<Head*>(words_.data()); }
  void* data() { return words_.data(); }
  const char* answer() const { return reinterpret_cast<const char*>(words_.data()) + sizeof(Head); }

 private:
  std::vector<std::uint64_t> words_;  // aligned as the statistics are
};

std::uint32_t CountOf(const Descriptor& socket, const std::string& netdev) {
  Command<ethtool_sset_info> sets(sizeof(std::uint32_t));
  sets->cmd = ETHTOOL_GSSET_INFO;
  sets->sset_mask = std::uint64_t{1} << ETH_SS_STATS;
  if (!Ask(socket, netdev, sets.data()) || sets->sset_mask == 0) return 0;
  std::uint32_t count = 0;
  std::memcpy(&count, sets.answer(), sizeof count);
  return std::min(count, kMostStatistics);
}

}  // namespace

PortCounters KnownStatistics(std::string_view names, std::span<const std::uint64_t> values,
                             std::string_view driver) {
  PortCounters counters;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if ((i + 1) * ETH_GSTRING_LEN > names.size()) break;
    const std::string_view field = names.substr(i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
    const std::string name = "ethtool_" + std::string(field.substr(0, field.find('\0')));
    if (FindCounter(driver, name) != nullptr) counters[name] = values[i];
  }
  return counters;
}

PortCounters ReadEthtool(const std::string& netdev, std::string_view driver) {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const std::uint32_t count = socket.get() < 0 ? 0 : CountOf(socket, netdev);
  if (count == 0) return {};
  const std::size_t names_bytes = std::size_t{count} * ETH_GSTRING_LEN;
  Command<ethtool_gstrings> names(names_bytes);
  names->cmd = ETHTOOL_GSTRINGS;
  names->string_set = ETH_SS_STATS;
  names->len = count;
  Command<ethtool_stats> statistics(count * sizeof(std::uint64_t));
  statistics->cmd = ETHTOOL_GSTATS;
  statistics->n_stats = count;
  if (!Ask(socket, netdev, names.data()) || !Ask(socket, netdev, statistics.data())) return {};
  std::vector<std::uint64_t> values(count);
  std::memcpy(values.data(), statistics.answer(), count * sizeof(std::uint64_t));
  return KnownStatistics({names.answer(), names_bytes}, values, driver);
}

std::optional<double> MostGbps(const std::string& netdev) {
  constexpr std::size_t kMostWords = 127;
  constexpr std::size_t kSets = 3;  // supported, advertised, of the partner
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  Command<ethtool_link_settings> settings(kSets * kMostWords * sizeof(std::uint32_t));
  settings->cmd = ETHTOOL_GLINKSETTINGS;
  // Asked without a size of the sets, the kernel answers with its own, negated.
  if (socket.get() < 0 || !Ask(socket, netdev, settings.data())) return std::nullopt;
  const int words = -settings->link_mode_masks_nwords;
  if (words <= 0) return std::nullopt;
  settings->link_mode_masks_nwords = static_cast<std::int8_t>(words);
  if (!Ask(socket, netdev, settings.data())) return std::nullopt;
  if (settings->link_mode_masks_nwords != words) return std::nullopt;
  std::vector<std::uint32_t> supported(static_cast<std::size_t>(words));
  std::memcpy(supported.data(), settings.answer(), supported.size() * sizeof(std::uint32_t));
  return MostGbpsOf(supported);
}

}  // namespace rdmabench
