// SPDX-License-Identifier: Apache-2.0
#include "turnstile/fencing_vector.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/percent.hpp"

namespace turnstile {

namespace {

std::optional<error> broken_rule(const std::vector<fencing_vector::component>& sorted) {
    for (std::size_t i = 0; i != sorted.size(); ++i) {
        if (sorted[i].name.empty())
            return error{errc::bad_option, "fencing vector: a token has no name"};
        if (i != 0 && sorted[i].name == sorted[i - 1].name) {
            return error{errc::bad_option,
                         "fencing vector: \"" + sorted[i].name + "\" has two tokens"};
        }
    }
    return std::nullopt;
}

void sort(std::vector<fencing_vector::component>& all) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

bool plain(char c) noexcept {
    return c > ' ' && c <= '~' && c != '%' && c != '=' && c != ';';
}

std::string escape(const std::string& name) {
    std::string out;
    for (const char c : name) {
        if (plain(c)) {
            out += c;
            continue;
        }
        base::append_percent_encoded(out, static_cast<unsigned char>(c));
    }
    return out;
}

// Accepts only the output of `escape`, so that each name has exactly one escaped text.
std::optional<std::string> unescape(std::string_view text) {
    auto name = base::percent_decoded(text);
    if (!name || escape(*name) != text) return std::nullopt;
    return name;
}

std::string joined(const std::vector<fencing_vector::component>& all,
                   std::string (fencing_token::*written)() const) {
    std::string out;
    for (const auto& entry : all) {
        if (!out.empty()) out += ';';
        out += escape(entry.name) + '=' + (entry.token.*written)();
    }
    return out;
}

error bad_text(std::string_view text, const std::string& rule) {
    return {errc::bad_option,
            "fencing vector \"" + std::string{text.substr(0, 128)} + "\": " + rule};
}

}  // namespace

fencing_vector::fencing_vector(std::vector<component> components) : all_{std::move(components)} {
    sort(all_);
    if (const auto broken = broken_rule(all_)) throw_error(*broken);
}

const fencing_token* fencing_vector::find(std::string_view name) const noexcept {
    const auto at =
        std::lower_bound(all_.begin(), all_.end(), name,
                         [](const component& entry, std::string_view n) { return entry.name < n; });
    return at == all_.end() || at->name != name ? nullptr : &at->token;
}

bool fencing_vector::is_behind(const fencing_vector& seen) const noexcept {
    return std::any_of(all_.begin(), all_.end(), [&seen](const component& mine) {
        const auto* theirs = seen.find(mine.name);
        return theirs != nullptr && mine.token < *theirs;
    });
}

void fencing_vector::raise(const fencing_vector& other) {
    for (const auto& theirs : other.all_) {
        const auto at = std::lower_bound(
            all_.begin(), all_.end(), theirs,
            [](const component& a, const component& b) { return a.name < b.name; });
        if (at == all_.end() || at->name != theirs.name) {
            all_.insert(at, theirs);
        } else {
            at->token = std::max(at->token, theirs.token);
        }
    }
}

std::string fencing_vector::to_string() const {
    return joined(all_, &fencing_token::to_string);
}

std::string fencing_vector::to_hex() const {
    return joined(all_, &fencing_token::to_hex);
}

result<fencing_vector> fencing_vector::parse(std::string_view text) {
    fencing_vector parsed;
    for (auto rest = text; !rest.empty();) {
        const auto part = rest.substr(0, rest.find(';'));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        const auto sign = part.find('=');
        if (sign == std::string_view::npos)
            return bad_text(text, "a part does not have the form name=token");
        auto name = unescape(part.substr(0, sign));
        if (!name) return bad_text(text, "a name is not escaped as to_string() escapes it");
        auto token = fencing_token::parse(part.substr(sign + 1));
        if (!token) return token.error();
        parsed.all_.push_back({std::move(*name), *token});
    }
    if (text.ends_with(';')) return bad_text(text, "nothing follows the last ';'");
    sort(parsed.all_);
    if (const auto broken = broken_rule(parsed.all_)) return *broken;
    return parsed;
}

}  // namespace turnstile
