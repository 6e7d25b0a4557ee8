// SPDX-License-Identifier: Apache-2.0
// overloaded: a visitor for std::visit, made of one function for each alternative. An alternative without a function
// does not compile.
//
//     std::visit(overloaded{[](const create& c) { ... }, [](const remove& r) { ... }}, part);
//
// Thread safety: the thread safety of the functions.
#pragma once

namespace turnstile::base {

template <class... Functions>
struct overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
overloaded(Functions...) -> overloaded<Functions...>;

}  // namespace turnstile::base
