// SPDX-License-Identifier: Apache-2.0
#include "admin/access/audit_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "admin/reading/lock_json.hpp"

namespace turnstile::admin {
namespace {

constexpr std::size_t k_most_entries = 1'000;
constexpr std::streamoff k_read_back = 1 << 20;  // so many bytes of the file's end

constexpr std::pair<const char*, std::string audit_entry::*> k_fields[] = {
    {"action", &audit_entry::action},  {"path", &audit_entry::path},
    {"kind", &audit_entry::kind},      {"znode", &audit_entry::znode},
    {"who", &audit_entry::by},         {"why", &audit_entry::why},
    {"from", &audit_entry::from},      {"outcome", &audit_entry::outcome},
    {"message", &audit_entry::message}};

wall_time time_of(const std::string& text) {
    std::tm parts{};
    if (::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return {};
    return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

// Nothing of a line that was cut short, or is not ours.
bool read_line(const std::string& line, audit_entry& entry) {
    const auto value = json::parse(line, nullptr, false);
    if (!value.is_object() || !value.contains("time") || !value["time"].is_string()) return false;
    entry.time = time_of(value["time"].get<std::string>());
    for (const auto& [name, field] : k_fields)
        if (value.contains(name) && value[name].is_string())
            entry.*field = value[name].get<std::string>();
    return true;
}

bool same_order(const audit_entry& a, const audit_entry& b) {
    return a.action == b.action && a.path == b.path && a.znode == b.znode && a.by == b.by &&
           a.from == b.from;
}

}  // namespace

std::string audit_line(const audit_entry& entry) {
    json line{{"time", utc(entry.time)}};
    for (const auto& [name, field] : k_fields) line[name] = entry.*field;
    return printed(line);
}

audit_log::audit_log(const std::string& file) {
    if (file.empty()) return;
    file_ = base::descriptor{
        ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR)};
    if (!file_.open()) throw std::runtime_error{file + ": " + std::strerror(errno)};
    struct stat about {};
    if (::fstat(file_.get(), &about) == 0 && S_ISREG(about.st_mode)) read_back(file);
}

void audit_log::read_back(const std::string& file) {
    std::ifstream in{file, std::ios::binary | std::ios::ate};
    const std::streamoff size = in.tellg();
    in.seekg(std::max<std::streamoff>(size - k_read_back, 0));
    std::string line;
    if (size > k_read_back) std::getline(in, line);  // the rest of a line
    while (std::getline(in, line)) {
        audit_entry entry;
        if (!read_line(line, entry)) continue;
        const bool concludes = !entries_.empty() && entries_.back().entry.outcome == "begun" &&
                               same_order(entries_.back().entry, entry);
        if (concludes) entries_.pop_back();
        keep(std::move(entry));
    }
}

void audit_log::keep(audit_entry entry) {
    entries_.push_back({++numbers_, std::move(entry)});
    if (entries_.size() > k_most_entries) entries_.pop_front();
}

void audit_log::write(const audit_entry& entry) {
    if (!file_.open()) return;
    // What was written of a line for which there was no room is no part of the next one.
    const auto line = (torn_ ? "\n" : "") + audit_line(entry) + '\n';
    errno = ENOSPC;  // of a line that is written in part
    const auto written = ::write(file_.get(), line.data(), line.size());
    if (written > 0) torn_ = written != static_cast<ssize_t>(line.size());
    if (written != static_cast<ssize_t>(line.size()) || ::fsync(file_.get()) != 0)
        throw std::runtime_error{std::string{"the audit log cannot be written: "} +
                                 std::strerror(errno)};
}

std::uint64_t audit_log::add(audit_entry entry) {
    const std::lock_guard lock{mutex_};
    write(entry);
    keep(std::move(entry));
    return numbers_;
}

void audit_log::conclude(std::uint64_t number, const std::string& outcome,
                         const std::string& message) {
    const std::lock_guard lock{mutex_};
    for (auto& each : entries_) {
        if (each.number != number) continue;
        each.entry.outcome = outcome;
        each.entry.message = message;
        auto line = each.entry;
        line.time = std::chrono::system_clock::now();
        write(line);
        return;
    }
}

audit_log::page audit_log::read(std::size_t offset, std::size_t limit) const {
    const std::lock_guard lock{mutex_};
    page result{entries_.size(), {}};
    for (auto i = offset; i < entries_.size() && result.entries.size() < limit; ++i)
        result.entries.push_back(entries_[entries_.size() - 1 - i].entry);
    return result;
}

}  // namespace turnstile::admin
