// SPDX-License-Identifier: Apache-2.0
#include "admin/access/users.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "admin/http/request.hpp"
#include "support/private_file.hpp"

namespace turnstile::admin {
namespace {

constexpr std::size_t k_largest_file = 1'024 * 1'024;
constexpr std::size_t k_longest_name = 64;
constexpr std::string_view k_token = "sha256$";
constexpr std::string_view k_proxy = "proxy";
constexpr std::string_view k_all_others = "*";

bool is_name_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"._-@+"}.find(c) != std::string_view::npos;
}

bool is_group(std::string_view name) noexcept {
    return name.starts_with('@');
}

bool is_digest(std::string_view text) noexcept {
    constexpr std::size_t k_digits = 64;
    return text.size() == k_digits && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream in{line.substr(0, line.find('#'))};
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

}  // namespace

bool is_user_name(std::string_view text) noexcept {
    return !text.empty() && text.size() <= k_longest_name &&
           std::all_of(text.begin(), text.end(), is_name_letter);
}

void users::add(const std::vector<std::string>& words) {
    if (words.size() != 3) throw std::runtime_error{"expected NAME ROLE SECRET"};
    const auto& name = words[0];
    const auto& secret = words[2];
    const auto may = role_named(words[1]);
    if (!may) throw std::runtime_error{words[1] + ": expected look, ask or take"};
    const bool proxied = secret == k_proxy;
    if (!is_user_name(name) && !(proxied && name == k_all_others))
        throw std::runtime_error{name +
                                 ": a name has 1 to 64 of the characters A-Z a-z 0-9 . _ - @ +"};
    if (is_group(name) && !proxied)
        throw std::runtime_error{name +
                                 ": the SECRET of a group must be the word proxy, because only a "
                                 "proxy can name the groups of a user"};
    bool is_new = false;
    if (proxied) {
        is_new = proxied_.try_emplace(name, *may).second;
    } else if (secret.starts_with(k_token) && is_digest(secret.substr(k_token.size()))) {
        is_new = tokens_.try_emplace(secret.substr(k_token.size()), user{name, *may}).second;
    } else if (const auto hash = password_hash::parse(secret)) {
        is_new = passwords_.try_emplace(name, entry{*may, *hash}).second;
    } else {
        throw std::runtime_error{name +
                                 ": the SECRET must be scrypt$..., sha256$... or the word proxy"};
    }
    if (!is_new) throw std::runtime_error{name + ": is listed twice"};
}

users users::parse(std::string_view text, const std::string& file) {
    users all;
    std::istringstream lines{std::string{text}};
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const auto words = words_of(line);
        if (words.empty()) continue;
        try {
            all.add(words);
        } catch (const std::runtime_error& problem) {
            throw std::runtime_error{file + ":" + std::to_string(number) + ": " + problem.what()};
        }
    }
    if (all.empty()) throw std::runtime_error{file + ": names no user"};
    return all;
}

bool users::know(std::string_view name) const {
    return passwords_.contains(name);
}

users users::read(const std::string& file) {
    return parse(support::text_of_private_file(file, k_largest_file), file);
}

std::optional<user> users::with_password(std::string_view name, std::string_view password) const {
    const auto found = passwords_.find(name);
    if (found == passwords_.end()) {
        static_cast<void>(password_hash::of_nobody().matches(password));
        return std::nullopt;
    }
    if (!found->second.hash.matches(password)) return std::nullopt;
    return user{found->first, found->second.may};
}

// The keys are digests, so that the duration of a search reveals nothing about a token.
std::optional<user> users::with_token(std::string_view token) const {
    if (tokens_.empty()) return std::nullopt;
    const auto found = tokens_.find(digest_text(token));
    if (found == tokens_.end()) return std::nullopt;
    return found->second;
}

std::optional<user> users::from_proxy(std::string_view name, std::string_view groups) const {
    if (proxied_.empty() || !is_user_name(name) || is_group(name)) return std::nullopt;
    if (const auto own = proxied_.find(name); own != proxied_.end())
        return user{std::string{name}, own->second};
    auto may = role::none;
    while (!groups.empty()) {
        const auto group = groups.substr(0, groups.find(','));
        groups.remove_prefix(std::min(group.size() + 1, groups.size()));
        const auto found = proxied_.find("@" + std::string{trimmed(group)});
        if (found != proxied_.end()) may = std::max(may, found->second);
    }
    if (may == role::none) {
        const auto others = proxied_.find(k_all_others);
        if (others != proxied_.end()) may = others->second;
    }
    if (may == role::none) return std::nullopt;
    return user{std::string{name}, may};
}

}  // namespace turnstile::admin
