// The body of an error frame: how one side tells the other why it gives up.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "transport/error.h"

namespace rdmabench {

nlohmann::json ErrorToJson(const Error& error);

// The other side's error keeps its blame, host, step and remedy; its text gets "peer: ". Takes any
// JSON: what is missing or ill-formed is left out, and texts are cut and made printable.
Error ErrorFromPeer(const nlohmann::json& body);

// The same without "peer: ", to stand beside an error of this side.
Error ReasonOfPeer(const Error& told);

}  // namespace rdmabench
