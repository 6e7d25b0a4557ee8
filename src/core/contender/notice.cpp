// SPDX-License-Identifier: Apache-2.0
#include "core/contender/notice.hpp"

#include <fmt/core.h>

namespace turnstile::core {
namespace {

struct text_of_news {
    std::string operator()(const entered& n) const { return "entered as " + n.znode; }
    std::string operator()(const position_known& n) const {
        return fmt::format("queued, contenders ahead: {}", n.ahead);
    }
    std::string operator()(const granted& n) const {
        return fmt::format("granted {} by {}", n.token.to_string(), n.znode);
    }
    std::string operator()(const failed& n) const { return "failed: " + n.why.message(); }
    std::string operator()(const at_risk& /*n*/) const { return "at risk"; }
    std::string operator()(const expiring& /*n*/) const { return "expiring"; }
    std::string operator()(const lost& n) const { return "lost: " + n.why.message(); }
    std::string operator()(const asked_to_release& n) const {
        return "asked to release the lock; the requester is '" + n.by + "'";
    }
    std::string operator()(const contended& /*n*/) const {
        return "other contenders wait behind the holder";
    }
    std::string operator()(const renamed& n) const {
        if (n.refused) return "not renamed: " + n.refused->message();
        return fmt::format("renamed to {}, token {}", n.znode, n.token.to_string());
    }
    std::string operator()(const gone& /*n*/) const { return "gone"; }
};

}  // namespace

std::string notice_text(const notice& news) {
    return std::visit(text_of_news{}, news.event);
}

}  // namespace turnstile::core
