#include "report/text_table.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "report/printable.h"

namespace rdmabench::report {

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  std::vector<std::string> titles;
  for (Column& column : columns_) {
    titles.push_back(column.title);
    column.minimum_width = std::max(column.minimum_width, Columns(column.title));
  }
  const bool titled = std::any_of(titles.begin(), titles.end(),
                                  [](const std::string& title) { return !title.empty(); });
  if (titled) rows_.push_back(std::move(titles));
}

void TextTable::AddRow(std::vector<std::string> cells) {
  assert(cells.size() <= columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    columns_[i].minimum_width = std::max(columns_[i].minimum_width, Columns(cells[i]));
  }
  rows_.push_back(std::move(cells));
}

std::string TextTable::Render(std::size_t indent) const {
  std::string text;
  for (const std::vector<std::string>& row : rows_) text += Line(row, indent);
  return text;
}

std::string TextTable::Line(const std::vector<std::string>& cells, std::size_t indent) const {
  std::string line(indent, ' ');
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(columns_[i].minimum_width - Columns(cells[i]), ' ');
    if (i > 0) line += "  ";
    line += columns_[i].align == Align::kRight ? padding + cells[i] : cells[i] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace rdmabench::report
