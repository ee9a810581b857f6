// The parts of the catalogue, of which only catalogue.cc makes use.
#pragma once

#include <span>

#include "transport/catalogue.h"

namespace rdmabench {

std::span<const CatalogueRow> CompletionRows();
std::span<const CatalogueRow> CallRows();
std::span<const CatalogueRow> DeviceEventRows();
std::span<const CatalogueRow> ConnectionRows();
std::span<const CatalogueRow> SessionRows();

}  // namespace rdmabench
