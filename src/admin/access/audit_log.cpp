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
constexpr std::streamoff k_read_back = 64 << 20;  // from the end of the file

constexpr std::pair<const char*, std::string audit_entry::*> k_fields[] = {
    {"action", &audit_entry::action},   {"path", &audit_entry::path},
    {"kind", &audit_entry::kind},       {"znode", &audit_entry::znode},
    {"user", &audit_entry::user},       {"who", &audit_entry::by},
    {"why", &audit_entry::why},         {"from", &audit_entry::from},
    {"outcome", &audit_entry::outcome}, {"message", &audit_entry::message}};

constexpr const char* k_failed_sign_in = "sign_in_failed";

std::optional<wall_time> parsed(const std::string& text, const char* form) {
    std::tm parts{};
    const auto* const end = ::strptime(text.c_str(), form, &parts);
    if (end == nullptr) return std::nullopt;
    const std::string_view rest{end};  // fractions of a second, and the letter Z
    if (rest.find_first_not_of(".0123456789Z") != std::string_view::npos) return std::nullopt;
    // wall_time cannot represent times after the year 2262.
    constexpr auto k_latest = std::chrono::floor<std::chrono::seconds>(wall_time::max());
    const std::time_t seconds = ::timegm(&parts);
    if (seconds < 0 || seconds > k_latest.time_since_epoch().count()) return std::nullopt;
    return std::chrono::system_clock::from_time_t(seconds);
}

support::descriptor opened(const std::string& file) {
    support::descriptor log{
        ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR)};
    if (!log.open()) throw std::runtime_error{file + ": " + std::strerror(errno)};
    return log;
}

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

bool has_part(const std::string& text, const std::string& part) {
    return lower(text).find(lower(part)) != std::string::npos;
}

// Parses a line of the log file. Returns false for an incomplete line, or for a line that this program did not write.
bool read_line(const std::string& line, audit_entry& entry) {
    const auto value = json::parse(line, nullptr, false);
    if (!value.is_object() || !value.contains("time") || !value["time"].is_string()) return false;
    entry.time = parse_time(value["time"].get<std::string>()).value_or(wall_time{});
    for (const auto& [name, field] : k_fields)
        if (value.contains(name) && value[name].is_string())
            entry.*field = value[name].get<std::string>();
    if (value.contains("times") && value["times"].is_number_unsigned())
        entry.times = value["times"].get<std::uint64_t>();
    return true;
}

bool same_order(const audit_entry& a, const audit_entry& b) {
    return a.action == b.action && a.path == b.path && a.znode == b.znode && a.by == b.by &&
           a.user == b.user && a.from == b.from;
}

}  // namespace

std::string audit_line(const audit_entry& entry) {
    json line{{"time", utc(entry.time)}};
    for (const auto& [name, field] : k_fields) line[name] = entry.*field;
    line["times"] = entry.times;
    return printed(line);
}

std::optional<wall_time> parse_time(const std::string& text) {
    if (const auto exact = parsed(text, "%Y-%m-%dT%H:%M:%S")) return exact;
    return parsed(text, "%Y-%m-%d");
}

bool audit_filter::include(const audit_entry& entry) const {
    if (!action.empty() && entry.action != action) return false;
    if (!outcome.empty() && entry.outcome != outcome) return false;
    if (entry.time < since || entry.time >= until) return false;
    if (path.starts_with('/') ? !entry.path.starts_with(path) : !has_part(entry.path, path))
        return false;
    return has_part(entry.user, author) || has_part(entry.by, author) ||
           has_part(entry.from, author);
}

audit_log::audit_log(const std::string& file) : name_{file} {
    if (file.empty()) return;
    file_ = opened(file);
    struct stat about {};
    if (::fstat(file_.get(), &about) == 0 && S_ISREG(about.st_mode)) read_back(file);
}

void audit_log::read_back(const std::string& file) {
    std::ifstream in{file, std::ios::binary | std::ios::ate};
    const std::streamoff size = in.tellg();
    in.seekg(std::max<std::streamoff>(size - k_read_back, 0));
    std::string line;
    if (size > k_read_back) std::getline(in, line);  // skips an incomplete line
    while (std::getline(in, line)) {
        torn_ = in.eof();  // the program ended, or the machine stopped, before the rest was written
        audit_entry entry;
        if (read_line(line, entry)) read_back_entry(std::move(entry));
    }
}

void audit_log::read_back_entry(audit_entry entry) {
    if (entry.action == k_failed_sign_in) {
        const bool goes_on = !failures_.empty() && entry.times > 1 &&
                             failures_.back().entry.from == entry.from &&
                             failures_.back().entry.user == entry.user;
        if (goes_on) failures_.pop_back();
        return keep(failures_, std::move(entry));
    }
    // `entry` may be the end of an order, and other orders may have begun in between. So this function searches for the
    // entry that this order got when it began.
    const auto begun = std::find_if(orders_.rbegin(), orders_.rend(), [&](const kept& each) {
        return each.entry.outcome == "begun" && same_order(each.entry, entry);
    });
    if (entry.outcome == "begun" || begun == orders_.rend()) return keep(orders_, std::move(entry));
    begun->entry.outcome = entry.outcome;
    begun->entry.message = entry.message;
}

void audit_log::keep(ring& where, audit_entry entry) {
    where.push_back({++numbers_, std::move(entry)});
    if (where.size() > k_most_entries) where.pop_front();
}

// If the log file was renamed or removed (logrotate), opens a new file with the same name. Otherwise the log would
// write into the old file, which is perhaps deleted already.
void audit_log::open_again_if_moved() {
    struct stat about {};
    struct stat named {};
    if (::fstat(file_.get(), &about) != 0 || !S_ISREG(about.st_mode)) return;
    if (::stat(name_.c_str(), &named) == 0 && named.st_dev == about.st_dev &&
        named.st_ino == about.st_ino)
        return;
    file_ = opened(name_);
    torn_ = false;
}

void audit_log::write(const audit_entry& entry, durability wanted) {
    if (!file_.open()) return;
    open_again_if_moved();
    // If the disk was full at the previous write, the file ends with an incomplete line. The newline ends that line
    // first.
    const auto line = (torn_ ? "\n" : "") + audit_line(entry) + '\n';
    errno = ENOSPC;  // the error if the kernel writes only a part of the line
    const auto written = ::write(file_.get(), line.data(), line.size());
    if (written > 0) torn_ = written != static_cast<ssize_t>(line.size());
    if (written != static_cast<ssize_t>(line.size()) ||
        (wanted == durability::on_disk && ::fsync(file_.get()) != 0))
        throw std::runtime_error{std::string{"the audit log cannot be written: "} +
                                 std::strerror(errno)};
}

std::uint64_t audit_log::add(audit_entry entry) {
    const std::lock_guard lock{mutex_};
    write(entry, durability::on_disk);
    keep(orders_, std::move(entry));
    return numbers_;
}

void audit_log::conclude(std::uint64_t number, const std::string& outcome,
                         const std::string& message) {
    const std::lock_guard lock{mutex_};
    for (auto& each : orders_) {
        if (each.number != number) continue;
        each.entry.outcome = outcome;
        each.entry.message = message;
        auto line = each.entry;
        line.time = std::chrono::system_clock::now();
        write(line, durability::on_disk);
        return;
    }
}

void audit_log::add_failure(const std::string& user, const std::string& from) {
    const std::lock_guard lock{mutex_};
    audit_entry entry{.time = std::chrono::system_clock::now(),
                      .action = k_failed_sign_in,
                      .user = user,
                      .from = from,
                      .outcome = "refused"};
    const auto before = std::find_if(failures_.begin(), failures_.end(), [&](const kept& each) {
        return each.entry.from == from && each.entry.user == user;
    });
    if (before != failures_.end()) {
        entry.times = before->entry.times + 1;
        failures_.erase(before);
    }
    keep(failures_, entry);
    if ((entry.times & (entry.times - 1)) != 0) return;
    try {
        write(entry, durability::in_cache);
    } catch (const std::runtime_error&) {
        // The file cannot be written, but the entry is in memory, and the sign-in is refused in any case.
    }
}

audit_log::page audit_log::read(const audit_filter& filter, std::size_t offset,
                                std::size_t limit) const {
    const std::lock_guard lock{mutex_};
    const auto& from = filter.list == audit_list::orders ? orders_ : failures_;
    page result;
    for (auto each = from.rbegin(); each != from.rend(); ++each) {
        if (!filter.include(each->entry)) continue;
        if (result.total++ < offset || result.entries.size() == limit) continue;
        result.entries.push_back(each->entry);
    }
    return result;
}

}  // namespace turnstile::admin
