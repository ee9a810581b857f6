// What a server and its clients share and nobody else knows: a file on each host. It never crosses
// the wire; each side only shows that it has it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rdmabench {

// SHA-256 makes so many bytes.
using Mac = std::array<unsigned char, 32>;

class Secret {
 public:
  // Numbers of the users who may own the file.
  struct Owners {
    unsigned self;
    unsigned root = 0;
  };

  static constexpr std::size_t kLeastBytes = 16;
  static constexpr std::size_t kMostBytes = 4096;

  // The file's content without one line end after it. It has to be a regular file of this user or
  // of root that nobody else can read, write or execute; a symbolic link is followed, and the rules
  // are those of what it leads to. `owners`: in place of this process's user and root. Throws
  // Error(kEnvironment) with the remedy.
  static Secret FromFile(const std::string& path, std::optional<Owners> owners = {});
  // `text` as the content of a file; `name` is for errors.
  static Secret FromText(std::string_view text, const std::string& name);

  Secret(Secret&&) noexcept = default;
  Secret& operator=(Secret&& other) noexcept;
  ~Secret();

  // HMAC-SHA256 of the text under the secret.
  Mac Authenticate(std::string_view text) const;

 private:
  explicit Secret(std::vector<unsigned char> bytes) : bytes_(std::move(bytes)) {}
  void Wipe() noexcept;

  std::vector<unsigned char> bytes_;
};

// In a time that does not tell where they differ.
bool Equal(const Mac& a, const Mac& b);

}  // namespace rdmabench
