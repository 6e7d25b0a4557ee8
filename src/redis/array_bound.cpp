// SPDX-License-Identifier: Apache-2.0
#include "redis/array_bound.hpp"

namespace turnstile::redis {

array_bound::array_bound(redisReader& reader) noexcept
    : functions_{*reader.fn}, make_{functions_.createArray} {
    functions_.createArray = [](const redisReadTask* task, auto elements) {
        return make(task, elements);
    };
    reader.fn = &functions_;
    reader.privdata = this;
}

template <class Count>
void* array_bound::make(const redisReadTask* task, Count elements) noexcept {
    auto& self = *static_cast<array_bound*>(task->privdata);
    const auto count = static_cast<std::size_t>(elements);
    if (count > self.left_) {
        self.exceeded_ = true;
        return nullptr;
    }
    self.left_ -= count;
    return self.make_(task, elements);
}

}  // namespace turnstile::redis
