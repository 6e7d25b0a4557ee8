// SPDX-License-Identifier: Apache-2.0
// Writes and parses the claims that a contender makes about itself in its znode's text (turnstile/lock_status.hpp).
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/metadata_limits.hpp"
#include "base/percent.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile {

namespace {

constexpr std::size_t k_usual_size = 200;

template <class M>
auto fields(M& m) {
    using member = decltype(&m.host);
    return std::array<std::pair<std::string_view, member>, 9>{{{"host", &m.host},
                                                               {"pid", &m.pid},
                                                               {"thread", &m.thread},
                                                               {"label", &m.label},
                                                               {"owner", &m.owner},
                                                               {"timeout", &m.timeout},
                                                               {"since", &m.since},
                                                               {"recipe", &m.recipe},
                                                               {"resource", &m.resource}}};
}

// ---- text that any client may have written ----

constexpr std::size_t k_longest_text = std::size_t{16} * 1024;
constexpr std::size_t k_longest_host = 255;  // the limit of gethostname(2)
constexpr std::size_t k_longest_path = 4096;
constexpr std::size_t k_longest_recipe = 32;

bool is_up_to(std::string_view text, std::size_t longest) {
    return text.size() <= longest;
}

bool is_host(std::string_view text) {
    return is_up_to(text, k_longest_host) && std::all_of(text.begin(), text.end(), [](char c) {
               const auto byte = static_cast<unsigned char>(c);
               return byte > ' ' && byte != 0x7f;
           });
}

bool is_recipe(std::string_view text) {
    return is_up_to(text, k_longest_recipe) && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || c == '_';
           });
}

bool is_number_up_to(std::string_view text, std::int64_t largest) {
    std::int64_t value = 0;
    const auto* const end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data(), end, value);
    return failure == std::errc{} && rest == end && value > 0 && value <= largest;
}

bool is_time(std::string_view text) {
    constexpr std::string_view k_form = "0000-00-00T00:00:00Z";
    return std::equal(text.begin(), text.end(), k_form.begin(), k_form.end(),
                      [](char c, char is) { return is == '0' ? c >= '0' && c <= '9' : c == is; });
}

// Clears each field whose value this library cannot have written.
void drop_impossible(contender_metadata& claimed) {
    const auto keep_if = [](bool possible, std::string& field) {
        if (!possible) field.clear();
    };
    keep_if(is_host(claimed.host), claimed.host);
    keep_if(is_number_up_to(claimed.pid, INT32_MAX), claimed.pid);
    keep_if(is_number_up_to(claimed.thread, INT32_MAX), claimed.thread);
    keep_if(is_up_to(claimed.label, detail::k_longest_label), claimed.label);
    keep_if(is_up_to(claimed.owner, detail::k_longest_owner), claimed.owner);
    keep_if(is_number_up_to(claimed.timeout, detail::k_longest_session_timeout.count()),
            claimed.timeout);
    keep_if(is_time(claimed.since), claimed.since);
    keep_if(is_recipe(claimed.recipe), claimed.recipe);
    keep_if(is_up_to(claimed.resource, k_longest_path), claimed.resource);
}

}  // namespace

std::string contender_metadata::to_string() const {
    std::string metadata;
    metadata.reserve(k_usual_size);
    for (const auto& [key, value] : fields(*this)) {
        if (value->empty()) continue;
        if (!metadata.empty()) metadata += ' ';
        metadata += key;
        metadata += '=';
        base::append_percent_escaped(metadata, *value);
    }
    return metadata;
}

contender_metadata contender_metadata::parse(std::string_view text) {
    contender_metadata metadata;
    metadata.text = text.substr(0, k_longest_text);
    base::for_each_pair(text, [&metadata](std::string_view name, const std::string& content) {
        for (const auto& [key, value] : fields(metadata))
            if (key == name) *value = content;
    });
    drop_impossible(metadata);
    return metadata;
}

}  // namespace turnstile
