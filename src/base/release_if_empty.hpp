// SPDX-License-Identifier: Apache-2.0
// release_if_empty: frees the memory of an empty container that had many elements before. The container keeps a small
// block, because freeing and allocating small blocks again and again would cost more.
//
// Thread safety: the rules of the container.
#pragma once

#include <cstddef>

namespace turnstile::base {

template <class Container>
void release_if_empty(Container& all) {
    constexpr std::size_t k_few = 16;
    if (all.empty() && all.capacity() > k_few) all = Container{};
}

}  // namespace turnstile::base
