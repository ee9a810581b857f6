#include "transport/secret.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "transport/descriptor.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr mode_t kOfOthers = 077;

std::string Named(const std::string& path) { return "the secret file '" + path + "'"; }

// With the path as a shell takes it.
std::string Command(const std::string& before, const std::string& path,
                    const std::string& after = {}) {
  const bool is_plain = path.find_first_of(" \t\n'\"\\$`*?[;&|<>()#~") == std::string::npos;
  return before + " " + (is_plain ? path : "'" + path + "'") + after;
}

std::string Remedy(const std::string& path) {
  return "make one with '" + Command("(umask 077; openssl rand -hex 32 >", path) +
         ")' and copy it to each host";
}

[[noreturn]] void Refuse(const std::string& path, const std::string& what,
                         const std::string& remedy) {
  throw Error(Blame::kEnvironment, Named(path) + " " + what, remedy);
}

std::string KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "no regular file";
}

// Of the file that is open, so that another one of its name cannot take its place.
void CheckFile(int fd, const std::string& path, const Secret::Owners& owners) {
  struct stat status = {};
  CheckErrno(fstat(fd, &status), "cannot examine " + Named(path));
  if (!S_ISREG(status.st_mode)) {
    Refuse(path, "is " + KindOf(status.st_mode), "name a file; " + Remedy(path));
  }
  if (status.st_uid != owners.self && status.st_uid != owners.root) {
    Refuse(path,
           "belongs to user " + std::to_string(status.st_uid) +
               ", and not to the user that runs rdmabench (" + std::to_string(owners.self) +
               ") or to root",
           Command("chown " + std::to_string(owners.self), path));
  }
  if ((status.st_mode & kOfOthers) == 0) return;
  char mode[8];
  std::snprintf(mode, sizeof mode, "%03o", status.st_mode & 0777U);
  Refuse(path, std::string("is open to other users: its mode is ") + mode,
         Command("chmod 600", path));
}

}  // namespace

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this == &other) return *this;
  Wipe();
  bytes_ = std::move(other.bytes_);
  return *this;
}

Secret::~Secret() { Wipe(); }

void Secret::Wipe() noexcept { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

Secret Secret::FromFile(const std::string& path, std::optional<Owners> owners) {
  const Owners allowed = owners.value_or(Owners{.self = geteuid()});
  // A pipe without a writer would be waited for.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) {
    const int code = errno;
    Check(code, "cannot read " + Named(path),
          code == EACCES ? "let the user that runs rdmabench own it: " +
                               Command("chown " + std::to_string(allowed.self), path)
                         : Remedy(path));
  }
  CheckFile(file.get(), path, allowed);
  // One allocation, so that no copy is left behind: a line end and one byte too many fit, too.
  Secret read(std::vector<unsigned char>(kMostBytes + 2));
  std::vector<unsigned char>& bytes = read.bytes_;
  std::size_t count = 0;
  while (count < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + count, bytes.size() - count);
    if (got < 0 && errno == EINTR) continue;
    CheckErrno(static_cast<int>(got), "cannot read " + Named(path));
    if (got == 0) break;
    count += static_cast<std::size_t>(got);
  }
  return FromText({reinterpret_cast<const char*>(bytes.data()), count}, path);
}

Secret Secret::FromText(std::string_view text, const std::string& name) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::string allowed =
      "allowed are " + std::to_string(kLeastBytes) + " to " + std::to_string(kMostBytes);
  if (text.empty()) Refuse(name, "is empty", Remedy(name));
  if (text.size() < kLeastBytes) {
    Refuse(name, "has " + std::to_string(text.size()) + " bytes, " + allowed, Remedy(name));
  }
  if (text.size() > kMostBytes) {
    Refuse(name, "has more than " + std::to_string(kMostBytes) + " bytes, " + allowed,
           Remedy(name));
  }
  return Secret({text.begin(), text.end()});
}

Mac Secret::Authenticate(std::string_view text) const {
  Mac mac = {};
  unsigned int bytes = 0;
  const auto* data = reinterpret_cast<const unsigned char*>(text.data());
  const unsigned char* made = HMAC(EVP_sha256(), bytes_.data(), static_cast<int>(bytes_.size()),
                                   data, text.size(), mac.data(), &bytes);
  if (made == nullptr || bytes != mac.size()) {
    throw Error(Blame::kEnvironment, "OpenSSL cannot make an HMAC-SHA256",
                "see whether its configuration (OPENSSL_CONF) allows SHA-256");
  }
  return mac;
}

bool Equal(const Mac& a, const Mac& b) { return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

}  // namespace rdmabench
