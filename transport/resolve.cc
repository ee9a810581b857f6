#include "transport/resolve.h"

#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <future>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "transport/catalogue.h"
#include "transport/descriptor.h"
#include "transport/without_signals.h"

namespace rdmabench {
namespace {

struct Answer {
  AddressList list;
  int code = 0;
  int system_code = 0;
};

Answer Ask(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  return {AddressList(code == 0 ? list : nullptr), code, errno};
}

std::string Words(const Answer& answer) {
  if (answer.code != EAI_SYSTEM) return gai_strerror(answer.code);
  return WithReason("the resolver failed", answer.system_code);
}

// What the asker and the thread that waits for the resolver share; the last of them destroys it.
struct Question {
  Descriptor answered{CheckErrno(eventfd(0, EFD_CLOEXEC), "cannot create an event")};
  std::promise<Answer> answer;
};

// Detached, because nothing can call the resolver back.
void AskInBackground(const std::shared_ptr<Question>& question, const std::string& host,
                     std::uint16_t port) {
  const WithoutSignals guard;
  std::thread([question, host, port] {
    question->answer.set_value(Ask(host, port, 0));
    eventfd_write(question->answered.get(), 1);
  }).detach();
}

[[noreturn]] void ThrowUnresolved(const std::string& host, std::string_view reason) {
  throw SessionError("unresolved", "cannot resolve '" + host + "': " + std::string(reason));
}

}  // namespace

AddressList Resolve(const std::string& host, std::uint16_t port, Deadline deadline,
                    const Interrupt* interrupt) {
  Answer number = Ask(host, port, AI_NUMERICHOST);
  if (number.code == 0) return std::move(number.list);

  const auto question = std::make_shared<Question>();
  AskInBackground(question, host, port);
  const std::array<int, 2> fds = {question->answered.get(),
                                  interrupt == nullptr ? -1 : interrupt->fd()};
  const std::vector<bool> ready = WaitReady(fds, {}, deadline);
  if (ready[1]) throw Interruption();
  if (!ready[0]) ThrowUnresolved(host, "the resolver did not answer in time");
  Answer name = question->answer.get_future().get();
  if (name.code != 0) ThrowUnresolved(host, Words(name));
  return std::move(name.list);
}

AddressList ParseAddress(const std::string& ip, std::uint16_t port) {
  Answer number = Ask(ip, port, AI_NUMERICHOST);
  if (number.code == 0) return std::move(number.list);
  throw Error(Blame::kUsage, "'" + ip + "' is not an IP address: " + Words(number),
              "give an address such as 192.0.2.1 or fd00::1 ('ip address' lists those of a host)");
}

}  // namespace rdmabench
