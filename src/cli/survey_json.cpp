// SPDX-License-Identifier: Apache-2.0
#include "cli/survey_json.hpp"

#include "admin/reading/lock_json.hpp"

namespace turnstile::cli {

std::string survey_json(const lock_survey& survey) {
    admin::json result{{"locks", admin::json::array()}, {"unreadable", survey.unreadable}};
    for (const auto& lock : survey.locks) result["locks"].push_back(admin::json_of(lock));
    return admin::printed(result) + '\n';
}

}  // namespace turnstile::cli
