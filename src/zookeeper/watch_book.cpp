// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/watch_book.hpp"

namespace turnstile::zookeeper {

void watch_book::asked(const std::string& path) {
    entry& e = entries_[path];
    ++e.under_way;
    e.unwanted = false;
}

bool watch_book::answered(const std::string& path) {
    const auto at = entries_.find(path);
    if (at == entries_.end() || --at->second.under_way > 0) return false;
    if (at->second.unwanted) return true;
    entries_.erase(at);
    return false;
}

bool watch_book::forgotten(const std::string& path) {
    entry& e = entries_[path];
    e.unwanted = true;
    return e.under_way == 0;
}

void watch_book::removed(const std::string& path) {
    const auto at = entries_.find(path);
    if (at != entries_.end() && at->second.unwanted && at->second.under_way == 0) {
        entries_.erase(at);
    }
}

std::vector<std::string> watch_book::left_over() const {
    std::vector<std::string> out;
    for (const auto& [path, e] : entries_) {
        if (e.unwanted && e.under_way == 0) out.push_back(path);
    }
    return out;
}

}  // namespace turnstile::zookeeper
