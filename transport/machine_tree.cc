#include "transport/machine_tree.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <fstream>
#include <system_error>

namespace rdmabench {
namespace {

namespace fs = std::filesystem;

// Sizes are 128 bytes shifted by their code.
unsigned CodeOf(std::uint32_t bytes) {
  return static_cast<unsigned>(std::countr_zero(bytes / 128));
}

}  // namespace

MachineTree::MachineTree(const std::string& name)
    : root_(fs::path(testing::TempDir()) / (name + "_" + std::to_string(getpid()))),
      kept_(root_.string() + "_kept") {
  fs::remove_all(root_);
  fs::remove_all(kept_);
  fs::create_directories(root_);
}

MachineTree::~MachineTree() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
  fs::remove_all(kept_, ignored);
}

fs::path MachineTree::At(const std::string& path) const {
  return root_ / fs::path(path).relative_path();
}

void MachineTree::Write(const std::string& path, const std::string& line) {
  WriteBytes(path, line + "\n");
}

void MachineTree::WriteBytes(const std::string& path, const std::string& bytes) {
  fs::create_directories(At(path).parent_path());
  std::ofstream(At(path), std::ios::binary) << bytes;
}

void MachineTree::Directory(const std::string& path) { fs::create_directories(At(path)); }

void MachineTree::Link(const std::string& path, const std::string& target) {
  fs::create_directories(At(path).parent_path());
  fs::remove(At(path));
  fs::create_symlink(At(target), At(path));
}

void MachineTree::Remove(const std::string& path) { fs::remove_all(At(path)); }

// Links are copied as they are, and lead to the place that comes back.
void MachineTree::Keep() const {
  fs::copy(root_, kept_, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
}

void MachineTree::Restore() const {
  fs::remove_all(root_);
  fs::rename(kept_, root_);
}

std::string BytesOf(const PciSpace& space) {
  constexpr std::size_t kExpress = 0x60, kAccessControl = 0x100;
  std::string bytes(4096, '\0');
  const auto put = [&bytes](std::size_t at, unsigned word) {
    bytes[at] = static_cast<char>(word & 0xffU);
    bytes[at + 1] = static_cast<char>(word >> 8U & 0xffU);
  };
  put(0x06, 0x10);  // it has capabilities
  put(0x34, 0x40);  // the first: power management
  put(0x40, kExpress << 8U | 0x01U);
  put(kExpress, 0x10);  // the last of the list
  put(kExpress + 2, space.port_type << 4U | 2U);
  put(kExpress + 4, CodeOf(space.most_payload_bytes));
  put(kExpress + 8, CodeOf(space.read_request_bytes) << 12U | CodeOf(space.payload_bytes) << 5U);
  if (!space.access_control) return bytes;
  put(kAccessControl, 0x0d);
  put(kAccessControl + 2, 1);
  put(kAccessControl + 6, *space.access_control);
  return bytes;
}

}  // namespace rdmabench
