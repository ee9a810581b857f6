#include "report/json_delivery.h"

#include <nlohmann/json.hpp>

namespace rdmabench::report {

nlohmann::ordered_json DeliveryJson(const Delivery& delivery) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  if (!delivery.lost) {
    object["status"] = "unknown";
    return object;
  }
  object["status"] = delivery.arrivals ? "numbered" : "counted";
  object["lost"] = *delivery.lost;
  object["loss_ratio"] = delivery.loss_ratio;
  if (!delivery.arrivals) return object;
  object["duplicated"] = delivery.arrivals->duplicated;
  object["reordered"] = delivery.arrivals->reordered;
  object["furthest_behind"] = delivery.arrivals->furthest_behind;
  object["late"] = delivery.arrivals->late;
  return object;
}

}  // namespace rdmabench::report
