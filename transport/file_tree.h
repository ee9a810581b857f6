// The files in which the kernel tells of a machine, or a copy of them elsewhere.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rdmabench {

// Paths are absolute, such as "/proc/cmdline", and looked up below the root. What cannot be read is
// not there.
class FileTree {
 public:
  explicit FileTree(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }

  bool Has(const std::string& path) const;
  // The first line, without blanks around it.
  std::optional<std::string> Line(const std::string& path) const;
  std::vector<std::string> Lines(const std::string& path) const;
  // The first number in the first line: "16.0 GT/s PCIe" has 16.
  std::optional<double> Number(const std::string& path) const;
  std::string Bytes(const std::string& path) const;
  // Names in a directory, in the order of the numbers in them: cpu2 before cpu10.
  std::vector<std::string> Entries(const std::string& path) const;
  // The last part of where a link leads to; empty where it is none.
  std::string LinkedName(const std::string& path) const;

 private:
  std::filesystem::path At(const std::string& path) const;

  std::filesystem::path root_;
};

// {"/sys/class/net", "eth1", "mtu"} as one path.
std::string JoinPath(std::initializer_list<std::string_view> parts);

// "/proc/cmdline: quiet": evidence.
std::string Said(const std::string& path, const std::string& content);

}  // namespace rdmabench
