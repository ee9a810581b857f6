// Columns that line up, for people to read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace rdmabench::report {

enum class Align { kLeft, kRight };

class TextTable {
 public:
  // A column is as wide as its widest cell, and at least `minimum_width`.
  struct Column {
    std::string title;  // a table whose titles are all empty has no title line
    Align align = Align::kRight;
    std::size_t minimum_width = 0;
  };

  explicit TextTable(std::vector<Column> columns);

  // Printable cells, at most one a column.
  void AddRow(std::vector<std::string> cells);

  // Lines with `indent` spaces before and none behind; two between columns.
  std::string Render(std::size_t indent) const;

 private:
  std::string Line(const std::vector<std::string>& cells, std::size_t indent) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace rdmabench::report
