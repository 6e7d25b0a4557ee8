// SPDX-License-Identifier: Apache-2.0
#include "redis/scripts.hpp"

#include <fmt/core.h>

#include <span>

#include "base/check.hpp"
#include "base/never_destroyed.hpp"
#include "core/seam/seam.hpp"
#include "redis/lua_scripts.hpp"
#include "redis/records.hpp"

namespace turnstile::redis {
namespace {

using core::server_error;
using core::watch_kind;

struct named_number {
    std::string_view name;  // the name of the number in the scripts
    int number;

    template <class Number>
    constexpr named_number(std::string_view text, Number value)
        : name{text}, number{static_cast<int>(value)} {}
};

constexpr std::array k_codes{
    named_number{"ok", server_error::ok},
    named_number{"no_node", server_error::no_node},
    named_number{"node_exists", server_error::node_exists},
    named_number{"not_empty", server_error::not_empty},
    named_number{"bad_version", server_error::bad_version},
    named_number{"no_auth", server_error::no_auth},
    named_number{"invalid_acl", server_error::invalid_acl},
    named_number{"no_children_for_ephemerals", server_error::no_children_for_ephemerals},
    named_number{"bad_arguments", server_error::bad_arguments},
    named_number{"rolled_back", server_error::rolled_back},
    named_number{"quota_exceeded", server_error::quota_exceeded},
    named_number{"session_gone", k_session_gone},
    named_number{"session_moved", k_session_moved},
    named_number{"other_layout", k_other_layout},
};
constexpr std::array k_events_by_name{
    named_number{"created", watch_kind::created},
    named_number{"deleted", watch_kind::deleted},
    named_number{"changed", watch_kind::changed},
    named_number{"children", watch_kind::children},
};
constexpr std::array k_flags{
    named_number{"ephemeral", k_part_ephemeral},
    named_number{"container", k_part_container},
    named_number{"creator_only", k_part_creator_only},
    named_number{"kept", k_part_ephemeral | k_part_container | k_part_creator_only},  // in a record
    named_number{"read_only", k_znode_read_only},
    named_number{"emptied", k_znode_emptied},
    named_number{"sequential", k_part_sequential},
    named_number{"refused", k_part_refused},
    named_number{"bad_characters", k_part_bad_characters},
};

// The Lua code for the most frequent requests (lua/quick.lua) contains the following constants as plain numbers.
static_assert(static_cast<int>(server_error::ok) == 0);
static_assert(static_cast<int>(server_error::no_node) == 1);
static_assert(static_cast<int>(server_error::no_auth) == 5);
static_assert(static_cast<int>(watch_kind::deleted) == 1);
static_assert(k_part_ephemeral == 1 && k_part_container == 2 && k_part_creator_only == 4);
static_assert(k_znode_read_only == 8 && k_part_sequential == 16 && k_znode_emptied == 128);
static_assert(k_record_head == 64);

std::string lua_table(std::span<const named_number> entries) {
    std::string text = "{";
    for (const auto& entry : entries) text += fmt::format("{} = {}, ", entry.name, entry.number);
    return text + "}";
}

// Replaces the call of constants() in an embedded script by the numbers.
std::string with_constants(std::string_view script_text) {
    constexpr std::string_view k_call = "constants()";
    std::string text{script_text};
    const auto place = text.find(k_call);
    TURNSTILE_CHECK(place != std::string::npos);
    return text.replace(place, k_call.size(),
                        fmt::format("{}, {}, {}, '{}'", lua_table(k_codes),
                                    lua_table(k_events_by_name), lua_table(k_flags), k_layout));
}

std::array<std::string, k_script_count> all_texts() {
    std::array<std::string, k_script_count> texts;
    for (std::size_t i = 0; i != k_script_count; ++i)
        texts[i] = with_constants(embedded(static_cast<script>(i)));
    return texts;
}

}  // namespace

const std::string& text_of(script which) {
    static const auto& k_texts = base::never_destroyed(all_texts());
    return k_texts.at(static_cast<std::size_t>(which));
}

}  // namespace turnstile::redis
