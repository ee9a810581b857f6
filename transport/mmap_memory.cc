#include "transport/mmap_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cassert>
#include <cerrno>
#include <optional>
#include <string>

#include "transport/descriptor.h"
#include "transport/error.h"
#include "transport/host_memory.h"

namespace rdmabench {
namespace {

// What is opened is looked at first: nobody knows what opening anything else does, and of a folder
// the system says no more than that it is one.
Descriptor OpenToMap(const std::string& file) {
  struct stat status {};
  CheckErrno(stat(file.c_str(), &status), "cannot open '" + file + "' to map it",
             "make it first, as by fallocate -l SIZE FILE, and let the user write to it");
  if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode)) {
    throw Error(Blame::kEnvironment,
                "'" + file + "' is " +
                    (S_ISDIR(status.st_mode) ? "a folder" : "neither a file nor a device") +
                    ", and cannot be mapped",
                "give a file, such as one of /dev/shm, or a device such as /dev/dax0.0");
  }
  return Descriptor(CheckErrno(open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY),
                               "cannot open '" + file + "' to map it",
                               "let the user read and write it, or use another file"));
}

void CheckArgument(const std::string& file) { OpenToMap(file); }

// A file that is too short is not made longer: its name may be mistyped, or its disk full.
void CheckSize(int fd, const std::string& file, std::uint64_t end) {
  struct stat status {};
  CheckErrno(fstat(fd, &status), "cannot look at '" + file + "'");
  if (S_ISCHR(status.st_mode)) return;  // its size is not told; mmap says when it does not do
  if (static_cast<std::uint64_t>(status.st_size) < end) {
    throw Error(Blame::kEnvironment,
                "'" + file + "' has " + std::to_string(status.st_size) + " bytes, and " +
                    std::to_string(end) + " are needed",
                "fallocate -l " + std::to_string(end) + " '" + file + "'");
  }
  // A hole that cannot be filled would end the process at a touch.
  const int code = posix_fallocate(fd, 0, static_cast<off_t>(end));
  Check(code, "cannot have " + std::to_string(end) + " bytes of '" + file + "' on its disk",
        code == ENOSPC ? "free space there, or use another file" : "use another file");
}

Buffer AllocateMapped(ibv_pd* /*pd*/, const BufferRequest& request) {
  assert(request.bytes > 0);
  const std::string& file = request.argument;
  const std::size_t page = SystemPageBytes();
  const Descriptor descriptor = OpenToMap(file);
  const std::uint64_t offset = request.file_offset;
  CheckSize(descriptor.get(), file, offset + WholePages(request.bytes, page));
  // Some devices map whole units only, others not beyond their end.
  std::size_t mapped = WholePages(request.bytes, kFileAlignment);
  const auto map = [&] {
    return mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(),
                static_cast<off_t>(offset));
  };
  void* data = map();
  if (data == MAP_FAILED) {
    mapped = WholePages(request.bytes, page);
    data = map();
  }
  if (data == MAP_FAILED) {
    // A file's size has been looked at; what maps no memory, or has less of it, is a device.
    ThrowErrno(errno, "cannot map " + std::to_string(mapped) + " bytes of '" + file + "'",
               "give a file of a tmpfs (/dev/shm) or of hugetlbfs, or a device-DAX, of at least " +
                   std::to_string(offset + mapped) + " bytes");
  }
  Buffer buffer(static_cast<std::byte*>(data), request.bytes,
                [data, mapped] { munmap(data, mapped); });
  // Of a tmpfs; a device's pages and those in the page cache stay where they are.
  if (request.numa_node) BindToNode(data, mapped, *request.numa_node);
  const int code = Populate(data, WholePages(request.bytes, page));
  Check(code, "cannot have every page of '" + file + "'", "use another file");
  return buffer;
}

// Kernels since 6.5 do not lock pages of a disk's file for a device, which could write to them
// while they are on their way to the disk.
Registration RegisterMapped(ibv_pd* pd, const Buffer& buffer, int access) {
  return RegisterByAddress(
      pd, buffer, access, "a mapped file",
      "a device can write to files of a tmpfs (/dev/shm), of hugetlbfs, and to a device-DAX");
}

}  // namespace

constinit const MemoryKind kMmapMemory = {
    .name = "mmap",
    .summary = "a file or a DAX device mapped shared: mmap=FILE",
    .why_not = AlwaysThere,
    .allocate = AllocateMapped,
    .register_with = RegisterMapped,
    .fill = FillByCpu,
    .cpu_access = true,
    .inline_ok = true,
    .argument = Argument::kRequired,
    .check_argument = CheckArgument,
};

}  // namespace rdmabench
