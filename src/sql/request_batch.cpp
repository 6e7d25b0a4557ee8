// SPDX-License-Identifier: Apache-2.0
#include "sql/request_batch.hpp"

#include <algorithm>
#include <variant>

#include "local/client_watches.hpp"
#include "sql/touched_paths.hpp"

namespace turnstile::sql {
namespace {

std::size_t weight_of(const core::operation& op) {
    const auto* const multi = std::get_if<core::multi_op>(&op);
    return multi == nullptr ? 1 : std::max<std::size_t>(multi->parts.size(), 1);
}

std::size_t bytes_of(const core::operation& op) {
    return std::visit(
        [](const auto& request) -> std::size_t {
            if constexpr (requires { request.parts; }) {
                std::size_t bytes = 0;
                for (const core::multi_part& part : request.parts)
                    bytes += std::visit(
                        [](const auto& each) {
                            if constexpr (requires { each.data; })
                                return each.path.size() + each.data.size();
                            else
                                return each.path.size();
                        },
                        part);
                return bytes;
            } else if constexpr (requires { request.data; }) {
                return request.path.size() + request.data.size();
            } else {
                return request.path.size();
            }
        },
        op);
}

}  // namespace

bool request_batch::takes(const core::operation& next, std::size_t most) const {
    if (content_ == content::nothing) return true;
    if (weight_ + weight_of(next) > most) return false;
    if (bytes_ + bytes_of(next) > k_most_bytes_together) return false;
    return core::is_write(next) ? takes_write(next) : takes_read(next);
}

bool request_batch::takes_write(const core::operation& next) const {
    if (content_ != content::writes) return false;
    const std::vector<std::string> touches = touched_paths{next}.list();
    return std::none_of(touches.begin(), touches.end(),
                        [this](const std::string& path) { return listed_.contains(path); });
}

bool request_batch::takes_read(const core::operation& next) const {
    const bool watched = local::watched_path(next) != nullptr;
    if (content_ != content::writes)
        return content_ == (watched ? content::watched_reads : content::reads);
    const auto* const list = std::get_if<core::children_op>(&next);
    return list != nullptr && !watched && touched_.contains(list->path);
}

void request_batch::add(const core::operation& op) {
    weight_ += weight_of(op);
    bytes_ += bytes_of(op);
    if (core::is_write(op)) {
        content_ = content::writes;
        for (std::string& path : touched_paths{op}.list()) touched_.insert(std::move(path));
    } else if (content_ == content::writes) {
        listed_.insert(std::get<core::children_op>(op).path);
    } else {
        content_ = local::watched_path(op) != nullptr ? content::watched_reads : content::reads;
    }
}

}  // namespace turnstile::sql
