// Host names to addresses, within a deadline: the system's resolver alone may take half a minute to
// give up.
#pragma once

#include <netdb.h>

#include <cstdint>
#include <memory>
#include <string>

#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/interrupt.h"

namespace rdmabench {

struct FreeAddresses {
  void operator()(addrinfo* list) const noexcept { freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, FreeAddresses>;

// The stream addresses of `host`, a name or a number. Throws Error(kRun) when it does not resolve
// or not in time, and Error(kInterrupted). `interrupt` may be null.
AddressList Resolve(const std::string& host, std::uint16_t port, Deadline deadline,
                    const Interrupt* interrupt);

// The addresses of `ip`, which has to be a number. Throws Error(kUsage) when it is none.
AddressList ParseAddress(const std::string& ip, std::uint16_t port);

}  // namespace rdmabench
