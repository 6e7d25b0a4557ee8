// SPDX-License-Identifier: Apache-2.0
#include "turnstile/transaction.hpp"

#include <utility>

#include "client/internals.hpp"

namespace turnstile {

transaction& transaction::create(std::string_view path, std::string_view data, node_kind kind) {
    parts_.emplace_back(create_part{std::string{path}, std::string{data}, kind});
    return *this;
}

transaction& transaction::set(std::string_view path, std::string_view data, std::int32_t version) {
    parts_.emplace_back(set_part{std::string{path}, std::string{data}, version});
    return *this;
}

transaction& transaction::remove(std::string_view path, std::int32_t version) {
    parts_.emplace_back(remove_part{std::string{path}, version});
    return *this;
}

transaction& transaction::check(std::string_view path, std::int32_t version) {
    parts_.emplace_back(check_part{std::string{path}, version});
    return *this;
}

transaction& transaction::put(std::string_view path, std::string_view data) {
    parts_.emplace_back(put_part{std::string{path}, std::string{data}});
    return *this;
}

transaction& transaction::make(std::string_view path) {
    parts_.emplace_back(make_part{std::string{path}});
    return *this;
}

transaction& transaction::under(const guard& further) {
    further_holds_.push_back(detail::internals::hold_of(further));
    return *this;
}

}  // namespace turnstile
