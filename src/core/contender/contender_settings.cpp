// SPDX-License-Identifier: Apache-2.0
#include "core/contender/contender_settings.hpp"

#include <string_view>

#include "base/percent.hpp"

namespace turnstile::core {

std::string contender_data(const contender_settings& settings) {
    if (!settings.data_names_folder) return settings.data;
    constexpr std::string_view k_word = " resource=";
    std::string text;
    text.reserve(settings.data.str().size() + k_word.size() + settings.folder.str().size());
    text.append(settings.data).append(k_word);
    base::append_percent_escaped(text, settings.folder.str());
    return text;
}

std::size_t contender_bytes(const std::string& folder, const claim& wants) {
    return folder.size() + 1 + contender_size(wants) + k_length_field;
}

}  // namespace turnstile::core
