// SPDX-License-Identifier: Apache-2.0
#include "redis/reply_bound.hpp"

namespace turnstile::redis {

reply_bound::reply_bound(redisReader& reader) noexcept
    : functions_{*reader.fn}, make_{functions_.createArray} {
    functions_.createArray = [](const redisReadTask* task, auto elements) {
        return make(task, elements);
    };
    reader.fn = &functions_;
    reader.privdata = this;
}

template <class Count>
void* reply_bound::make(const redisReadTask* task, Count elements) noexcept {
    auto& self = *static_cast<reply_bound*>(task->privdata);
    const auto count = static_cast<std::size_t>(elements);
    if (count > self.elements_) {
        self.exceeded_ = true;
        return nullptr;
    }
    self.elements_ -= count;
    return self.make_(task, elements);
}

}  // namespace turnstile::redis
