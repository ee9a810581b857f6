#include "transport/file_tree.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <system_error>

namespace rdmabench {
namespace {

namespace fs = std::filesystem;

std::string Trimmed(const std::string& text) {
  constexpr const char* kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// What a name is sorted by: runs of digits count by their length first.
std::string SortKey(const std::string& name) {
  std::string key;
  for (std::size_t i = 0; i < name.size();) {
    std::size_t end = i;
    while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) ++end;
    if (end == i) {
      key += name[i++];
      continue;
    }
    key += static_cast<char>('0' + std::min<std::size_t>(end - i, 9)) + name.substr(i, end - i);
    i = end;
  }
  return key;
}

}  // namespace

fs::path FileTree::At(const std::string& path) const {
  return root_ / fs::path(path).relative_path();
}

bool FileTree::Has(const std::string& path) const {
  std::error_code ignored;
  return fs::exists(At(path), ignored);
}

std::optional<std::string> FileTree::Line(const std::string& path) const {
  std::ifstream file(At(path));
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return Trimmed(line);
}

std::vector<std::string> FileTree::Lines(const std::string& path) const {
  std::ifstream file(At(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(Trimmed(line));
  return lines;
}

std::optional<double> FileTree::Number(const std::string& path) const {
  std::ifstream file(At(path));
  double number = 0.0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

std::string FileTree::Bytes(const std::string& path) const {
  std::ifstream file(At(path), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> FileTree::Entries(const std::string& path) const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(At(path), error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end(), [](const std::string& one, const std::string& other) {
    return SortKey(one) < SortKey(other);
  });
  return names;
}

std::string FileTree::LinkedName(const std::string& path) const {
  std::error_code error;
  const fs::path target = fs::read_symlink(At(path), error);
  return error ? std::string() : target.filename().string();
}

std::string JoinPath(std::initializer_list<std::string_view> parts) {
  std::string path;
  for (const std::string_view part : parts) {
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

std::string Said(const std::string& path, const std::string& content) {
  return path + ": " + content;
}

}  // namespace rdmabench
