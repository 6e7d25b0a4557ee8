// SPDX-License-Identifier: Apache-2.0
#include "stock_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace demo {

using turnstile::fencing_token;

namespace {

constexpr std::size_t k_record_size = 64;
constexpr mode_t k_mode = 0600;

[[noreturn]] void throw_errno(const std::string& step) {
    throw std::system_error{errno, std::generic_category(), step};
}

fencing_token parse_token(const std::string& text) {
    auto token = fencing_token::parse(text);
    if (!token) throw std::runtime_error{token.error().message()};
    return *token;
}

}  // namespace

open_file::open_file(const std::filesystem::path& path, int flags)
    : descriptor_{::open(path.c_str(), flags | O_CLOEXEC, k_mode)} {
    if (descriptor_ < 0) throw_errno("cannot open " + path.string());
}

open_file::open_file(open_file&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)} {}

open_file::~open_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void stock_file::create(const std::filesystem::path& path, int items) {
    { const open_file make{path, O_RDWR | O_CREAT | O_TRUNC}; }
    stock_file{path}.write({items, {}});
}

stock_file::stock_file(const std::filesystem::path& path) : file_{path, O_RDWR} {}

stock_record stock_file::read() const {
    std::array<char, k_record_size> bytes{};
    const auto n = ::pread(file_.descriptor(), bytes.data(), bytes.size(), 0);
    if (n != static_cast<ssize_t>(bytes.size())) throw_errno("cannot read the stock");
    std::istringstream in{std::string{bytes.data(), bytes.size()}};
    stock_record record;
    std::string label;
    std::string token;
    if (!(in >> label >> record.left >> label >> token)) {
        throw std::runtime_error{"the stock file does not hold a stock"};
    }
    record.highest = parse_token(token);
    return record;
}

void stock_file::write(const stock_record& record) {
    const auto text = fmt::format("left {} token {}", record.left, record.highest.to_string());
    const auto bytes = fmt::format("{:<{}}\n", text, k_record_size - 1);
    const auto n = ::pwrite(file_.descriptor(), bytes.data(), bytes.size(), 0);
    if (n != static_cast<ssize_t>(bytes.size())) throw_errno("cannot write the stock");
}

std::optional<fencing_token> stock_file::write_fenced(int left, fencing_token token) {
    const auto now = read();
    if (token < now.highest) return now.highest;
    write({left, token});
    return std::nullopt;
}

sales_file::sales_file(const std::filesystem::path& path)
    : file_{path, O_WRONLY | O_APPEND | O_CREAT} {}

void sales_file::append(const sale& s) {
    const auto line = fmt::format("{} {} {}\n", s.item, s.worker, s.token.to_string());
    const auto n = ::write(file_.descriptor(), line.data(), line.size());
    if (n != static_cast<ssize_t>(line.size())) throw_errno("cannot write down a sale");
}

std::vector<sale> sales_file::read_all(const std::filesystem::path& path) {
    std::ifstream in{path};
    std::vector<sale> sales;
    for (std::string line; std::getline(in, line);) {
        std::istringstream fields{line};
        sale s;
        std::string token;
        if (!(fields >> s.item >> s.worker >> token)) {
            throw std::runtime_error{fmt::format("'{}' in {} is no sale", line, path.string())};
        }
        s.token = parse_token(token);
        sales.push_back(s);
    }
    return sales;
}

}  // namespace demo
