#include "transport/secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "transport/error.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;
using ::testing::ThrowsMessage;

std::string Hex(const Mac& mac) {
  std::string text;
  for (const unsigned char byte : mac) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", unsigned{byte});
    text += digits;
  }
  return text;
}

// RFC 4231; of its cases those whose key is long enough for a secret and whose output is whole.
struct Vector {
  int number;
  std::string key;
  std::string data;
  std::string_view mac;
};

std::string CountedTo(char last) {
  std::string bytes;
  for (char byte = 1; byte <= last; ++byte) bytes += byte;
  return bytes;
}

class Rfc4231 : public testing::TestWithParam<Vector> {};

TEST_P(Rfc4231, IsWhatSecretsMake) {
  const Secret secret = Secret::FromText(GetParam().key, "a test");
  EXPECT_EQ(Hex(secret.Authenticate(GetParam().data)), GetParam().mac);
}

INSTANTIATE_TEST_SUITE_P(
    Secret, Rfc4231,
    testing::Values(
        Vector{1, std::string(20, '\x0b'), "Hi There",
               "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        Vector{3, std::string(20, '\xaa'), std::string(50, '\xdd'),
               "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
        Vector{4, CountedTo(25), std::string(50, '\xcd'),
               "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
        Vector{6, std::string(131, '\xaa'),
               "Test Using Larger Than Block-Size Key - Hash Key First",
               "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        Vector{7, std::string(131, '\xaa'),
               "This is a test using a larger than block-size key and a larger than block-size "
               "data. The key needs to be hashed before being used by the HMAC algorithm.",
               "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"}),
    [](const auto& row) { return "Case" + std::to_string(row.param.number); });

TEST(Secret, TellsMacsApartByEveryBit) {
  const Mac mac = Secret::FromText("0123456789abcdef", "a test").Authenticate("text");
  EXPECT_TRUE(Equal(mac, Mac(mac)));
  for (std::size_t bit = 0; bit < 8 * mac.size(); ++bit) {
    Mac other = mac;
    other[bit / 8] = static_cast<unsigned char>(other[bit / 8] ^ (1U << (bit % 8)));
    EXPECT_FALSE(Equal(mac, other)) << bit;
  }
}

// That two texts make the same secret.
bool AreOne(std::string_view a, std::string_view b) {
  return Equal(Secret::FromText(a, "a").Authenticate("text"),
               Secret::FromText(b, "b").Authenticate("text"));
}

TEST(Secret, IsWithoutTheOneLineEndThatAnEditorAdds) {
  EXPECT_TRUE(AreOne("0123456789abcdef\n", "0123456789abcdef"));
  EXPECT_FALSE(AreOne("0123456789abcdef\n\n", "0123456789abcdef"));
  EXPECT_FALSE(AreOne("0123456789abcdef ", "0123456789abcdef"));
}

TEST(Secret, MovesWholly) {
  Secret secret = Secret::FromText("0123456789abcdef", "a test");
  const Mac mac = secret.Authenticate("text");
  Secret other = Secret::FromText("fedcba9876543210", "a test");
  other = std::move(secret);
  EXPECT_TRUE(Equal(other.Authenticate("text"), mac));
}

class SecretFile : public testing::Test {
 protected:
  // A file that only its owner can use.
  std::string Write(std::string_view content) {
    std::ofstream(path_, std::ios::binary) << content;
    chmod(path_.c_str(), 0600);
    return path_;
  }

  const std::string directory_ = testing::TempDir();
  const std::string path_ = directory_ + "/secret_of_" + std::to_string(getpid());
  void TearDown() override { unlink(path_.c_str()); }
};

// What is said of a file that cannot be the secret, and what to do about it.
auto IsRefused(const std::string& message, const std::string& remedy) {
  return Throws<Error>(AllOf(Property(&Error::what, HasSubstr(message)),
                             Property(&Error::remedy, HasSubstr(remedy)),
                             Property(&Error::blame, Blame::kEnvironment)));
}

TEST_F(SecretFile, IsReadAsItStandsThere) {
  const std::string bytes("\0\xff\r\n\0 0123456789", 16);
  EXPECT_TRUE(Equal(Secret::FromFile(Write(bytes)).Authenticate("text"),
                    Secret::FromText(bytes, "a test").Authenticate("text")));
}

TEST_F(SecretFile, MayHaveFrom16To4096BytesAndALineEnd) {
  for (const std::size_t bytes : {16U, 4096U}) {
    EXPECT_NO_THROW(Secret::FromFile(Write(std::string(bytes, 's'))));
    EXPECT_NO_THROW(Secret::FromFile(Write(std::string(bytes, 's') + "\n")));
  }
  EXPECT_THAT([&] { Secret::FromFile(Write(std::string(15, 's') + "\n")); },
              IsRefused(path_ + "' has 15 bytes, allowed are 16 to 4096", "openssl rand -hex 32"));
  EXPECT_THAT([&] { Secret::FromFile(Write(std::string(4097, 's'))); },
              IsRefused("has more than 4096 bytes", "openssl rand -hex 32"));
  EXPECT_THAT([&] { Secret::FromFile(Write(std::string(100'000, 's'))); },
              IsRefused("has more than 4096 bytes", "openssl rand -hex 32"));
}

TEST_F(SecretFile, MustNotBeEmpty) {
  EXPECT_THAT([&] { Secret::FromFile(Write("")); }, IsRefused("is empty", "openssl rand"));
  EXPECT_THAT([&] { Secret::FromFile(Write("\n")); }, IsRefused("is empty", "openssl rand"));
}

TEST_F(SecretFile, MustBeThere) {
  EXPECT_THAT([&] { Secret::FromFile(path_); },
              IsRefused("cannot read the secret file '" + path_ + "': No such file or directory",
                        "make one with '(umask 077; openssl rand -hex 32 > " + path_ + ")'"));
}

TEST_F(SecretFile, MustBeReadable) {
  Write("0123456789abcdef");
  const bool is_root = geteuid() == 0;
  // Root reads everything, and where there is no other user, it cannot become one.
  if (is_root && seteuid(65534) != 0) return;
  if (!is_root) chmod(path_.c_str(), 0);
  EXPECT_THAT([&] { Secret::FromFile(path_); }, IsRefused("Permission denied", "chown "));
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
}

TEST_F(SecretFile, IsQuotedInARemedyWhereAShellNeedsIt) {
  EXPECT_THAT([] { Secret::FromFile("/nowhere/a secret"); },
              IsRefused("'/nowhere/a secret'", "> '/nowhere/a secret')"));
}

TEST_F(SecretFile, MustBeAFile) {
  EXPECT_THAT([&] { Secret::FromFile(directory_); }, IsRefused("is a directory", "name a file"));
  EXPECT_THAT([] { Secret::FromFile("/dev/null"); }, IsRefused("is a device", "name a file"));
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT([&] { Secret::FromFile(path_); }, IsRefused("is a pipe", "name a file"));
}

class OpenToOthers : public SecretFile, public testing::WithParamInterface<mode_t> {};

TEST_P(OpenToOthers, IsRefused) {
  Write("0123456789abcdef");
  chmod(path_.c_str(), GetParam());
  char mode[8];
  std::snprintf(mode, sizeof mode, "%03o", unsigned{GetParam()});
  EXPECT_THAT([&] { Secret::FromFile(path_); },
              IsRefused(std::string("its mode is ") + mode, "chmod 600 " + path_));
}

INSTANTIATE_TEST_SUITE_P(SecretFile, OpenToOthers,
                         testing::Values(0640, 0604, 0620, 0602, 0610, 0601, 0644, 0777));

TEST_F(SecretFile, MayBeReadOnly) {
  Write("0123456789abcdef");
  chmod(path_.c_str(), 0400);
  EXPECT_NO_THROW(Secret::FromFile(path_));
}

TEST_F(SecretFile, MustBelongToTheUserOrToRoot) {
  Write("0123456789abcdef");
  const unsigned owner = geteuid();
  EXPECT_NO_THROW(Secret::FromFile(path_, Secret::Owners{.self = owner, .root = owner + 1}));
  EXPECT_NO_THROW(Secret::FromFile(path_, Secret::Owners{.self = owner + 1, .root = owner}));
  EXPECT_THAT(
      [&] { Secret::FromFile(path_, Secret::Owners{.self = owner + 1, .root = owner + 2}); },
      IsRefused("belongs to user " + std::to_string(owner),
                "chown " + std::to_string(owner + 1) + " " + path_));
}

TEST_F(SecretFile, BehindALinkHasToObeyTheRules) {
  Write("0123456789abcdef");
  const std::string link = path_ + "_link";
  ASSERT_EQ(symlink(path_.c_str(), link.c_str()), 0);
  EXPECT_NO_THROW(Secret::FromFile(link));
  chmod(path_.c_str(), 0644);
  EXPECT_THAT([&] { Secret::FromFile(link); }, ThrowsMessage<Error>(EndsWith("mode is 644")));
  unlink(link.c_str());
}

}  // namespace
}  // namespace rdmabench
