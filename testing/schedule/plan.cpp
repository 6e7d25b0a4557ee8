// SPDX-License-Identifier: Apache-2.0
#include "schedule/plan.hpp"

#include <fmt/core.h>

#include <charconv>

namespace turnstile::schedule {

namespace {

template <class T>
bool read(std::string_view& text, T& value) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

bool skip(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

}  // namespace

std::string plan::to_string() const {
    if (how == kind::priorities) return fmt::format("priorities:{}/{}/{}", seed, depth, length);
    if (how == kind::walk) return fmt::format("walk:{}/{}", seed, depth);
    std::string out = "deviations:";
    for (const auto& deviation : deviations)
        out += fmt::format("{}{}={}", &deviation == &deviations.front() ? "" : ",", deviation.at,
                           deviation.thread);
    return out;
}

std::optional<plan> plan::parse(std::string_view text) {
    plan plan;
    if (skip(text, "deviations:")) {
        while (!text.empty()) {
            auto& step = plan.deviations.emplace_back();
            if (!read(text, step.at) || !skip(text, "=") || !read(text, step.thread)) return {};
            if (!text.empty() && !skip(text, ",")) return {};
        }
        return plan;
    }
    plan.how = text.starts_with("walk:") ? kind::walk : kind::priorities;
    if (!skip(text, "walk:") && !skip(text, "priorities:")) return {};
    if (!read(text, plan.seed) || !skip(text, "/") || !read(text, plan.depth)) return {};
    if (skip(text, "/") && !read(text, plan.length)) return {};
    if (!text.empty()) return {};
    return plan;
}

}  // namespace turnstile::schedule
