// For tests: the files of a machine in a folder of the test's own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace rdmabench {

class MachineTree {
 public:
  // A folder below the test's temporary one, empty at first and removed at the end.
  explicit MachineTree(const std::string& name);
  ~MachineTree();
  MachineTree(const MachineTree&) = delete;
  MachineTree& operator=(const MachineTree&) = delete;

  const std::filesystem::path& root() const { return root_; }

  // Paths are absolute, below the root. What was there is replaced.
  void Write(const std::string& path, const std::string& line);
  void WriteBytes(const std::string& path, const std::string& bytes);
  void Directory(const std::string& path);
  void Link(const std::string& path, const std::string& target);
  void Remove(const std::string& path);

  // What is there now comes back with Restore().
  void Keep() const;
  void Restore() const;

 private:
  std::filesystem::path At(const std::string& path) const;

  std::filesystem::path root_;
  std::filesystem::path kept_;  // beside it
};

// The configuration space of a PCI function, 4096 bytes of which all but the two capabilities that
// the suite reads is zero.
struct PciSpace {
  unsigned port_type =
      0;  // of the PCI Express capability: 0 endpoint, 4 root port, 5 and 6 of a switch
  std::uint32_t payload_bytes = 256;
  std::uint32_t most_payload_bytes = 512;
  std::uint32_t read_request_bytes = 512;
  std::optional<unsigned> access_control = {};  // the ACS control register
};
std::string BytesOf(const PciSpace& space);

}  // namespace rdmabench
