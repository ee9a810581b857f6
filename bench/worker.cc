#include "bench/worker.h"

#include <utility>

namespace rdmabench {

Worker::Worker(const Device& device, const EndpointOptions& options, const Locality& locality,
               std::optional<unsigned> cpu)
    : endpoint_(device, options), thread_([this] { Loop(); }) {
  if (!cpu) return;
  try {
    Start(Task([&] { locality.PinThisThread(*cpu); })).get();
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
    throw;
  }
}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::future<void> Worker::Start(Task task) {
  std::future<void> done = task.get_future();
  {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
  }
  changed_.notify_all();
  return done;
}

void Worker::Loop() {
  for (;;) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ending_ || task_.valid(); });
      if (!task_.valid()) return;
      task = std::exchange(task_, Task());
    }
    task();
  }
}

}  // namespace rdmabench
