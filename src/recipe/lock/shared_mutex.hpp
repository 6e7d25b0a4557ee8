// SPDX-License-Identifier: Apache-2.0
// What the parts of shared_mutex share.
#pragma once

#include <memory>
#include <string_view>

#include "recipe/lock/conversion.hpp"
#include "recipe/lock/queue_lock.hpp"
#include "recipe/lock/standard_forms.hpp"
#include "turnstile/shared_mutex.hpp"

namespace turnstile {

namespace detail {

constexpr core::contender_kind core_kind(contender_kind kind) noexcept {
    switch (kind) {
        case contender_kind::reader: return core::contender_kind::read;
        case contender_kind::upgradable: return core::contender_kind::upgradable;
        default: return core::contender_kind::write;
    }
}

}  // namespace detail

class shared_mutex::state {
public:
    state(const client& servers, std::string_view path)
        : queue{std::make_shared<detail::queue_lock>(servers, path,
                                                     core::contender_family::read_write)} {}

    [[nodiscard]] detail::upgrade_request upgrading(
        core::attempt mode = core::attempt::wait) const {
        return {*queue->servers(), queue->path(), mode};
    }

    const std::shared_ptr<const detail::queue_lock> queue;
    detail::standard_forms threads;
};

}  // namespace turnstile
