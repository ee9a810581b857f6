#include "bench/worker.h"

#include <string>
#include <utility>

#include "transport/error.h"

namespace rdmabench {

Worker::Worker(const Device& device, const Options& options, const Locality& locality)
    : endpoint_(device, options.endpoint),
      control_(options.control ? std::make_unique<Endpoint>(device, *options.control) : nullptr) {
  if (options.receive.slot_bytes != 0) PostReceives(options.receive);
  thread_ = std::thread([this] { Loop(); });
  if (options.cpu) Pin(locality, *options.cpu);
}

Worker::~Worker() { End(); }

void Worker::PostReceives(const ReceiveShape& shape) {
  const std::size_t queues = endpoint_.srq() != nullptr ? 1 : endpoint_.queue_pairs().size();
  const SlotLayout layout = LayoutFor(shape, static_cast<std::uint32_t>(queues));
  rings_.reserve(queues);
  for (std::uint32_t i = 0; i < queues; ++i) {
    rings_.emplace_back(shape, layout,
                        ReceiveRing::Place{.queue = i,
                                           .first_slot = std::uint64_t{i} * shape.Slots(),
                                           .memory = {.addr = endpoint_.exposed_addr(),
                                                      .key = endpoint_.memory().lkey(i)},
                                           .qp = endpoint_.queue_pairs()[i].get(),
                                           .srq = endpoint_.srq()});
    Check(rings_.back().Fill(), "cannot post " + std::to_string(shape.depth) + " receive requests");
  }
}

void Worker::Pin(const Locality& locality, unsigned cpu) {
  try {
    Start(Task([&] { locality.PinThisThread(cpu); })).get();
  } catch (...) {
    End();
    throw;
  }
}

void Worker::End() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
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
