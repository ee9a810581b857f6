#include "transport/error.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace rdmabench {

Error::Error(Blame blame, const std::string& message, std::string remedy)
    : std::runtime_error(message), blame_(blame), remedy_(std::move(remedy)) {}

Error& Error::At(std::string_view host, std::string_view step) {
  if (host_.empty()) host_ = host;
  if (step_.empty()) step_ = step;
  return *this;
}

Error& Error::Of(std::string entry) {
  entry_ = std::move(entry);
  return *this;
}

Error& Error::Add(std::string_view more) {
  if (more.empty()) return *this;
  static_cast<std::runtime_error&>(*this) =
      std::runtime_error(std::string(what()) + "; " + std::string(more));
  return *this;
}

Error& Error::Precede(std::string_view where) {
  static_cast<std::runtime_error&>(*this) = std::runtime_error(std::string(where) + ": " + what());
  return *this;
}

Error& Error::AdviseFirst(std::string_view remark) {
  if (remark.empty()) return *this;
  remedy_ = std::string(remark) + (remedy_.empty() ? "" : "; " + remedy_);
  return *this;
}

Error& Error::ToldByPeer() {
  is_peers_ = true;
  return *this;
}

Error& Error::Refusing() {
  is_refusal_ = true;
  return *this;
}

Error& Error::Beside(const Error& peers) {
  peer_ = std::make_shared<const Error>(peers);
  return *this;
}

Error AsError(const std::exception& exception) {
  const auto* error = dynamic_cast<const Error*>(&exception);
  return error != nullptr ? *error : Error(Blame::kRun, exception.what());
}

std::string WithReason(std::string_view attempted, int code) {
  return std::string(attempted) + ": " + std::generic_category().message(code);
}

void ThrowErrno(int code, std::string_view attempted, std::string_view remedy) {
  throw Error(Blame::kEnvironment, WithReason(attempted, code), std::string(remedy));
}

int LastErrno() { return errno; }

void Check(int code, std::string_view attempted, std::string_view remedy) {
  if (code != 0) ThrowErrno(code, attempted, remedy);
}

int CheckErrno(int result, std::string_view attempted, std::string_view remedy) {
  if (result < 0) ThrowErrno(errno, attempted, remedy);
  return result;
}

}  // namespace rdmabench
