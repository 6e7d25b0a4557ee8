// SPDX-License-Identifier: Apache-2.0
#include "admin/http/metrics_page.hpp"

namespace turnstile::admin {
namespace {

std::string escaped(std::string_view text) {
    std::string result;
    for (const char symbol : text) {
        if (symbol == '"' || symbol == '\\') result += '\\';
        if (symbol == '\n') {
            result += "\\n";
        } else {
            result += symbol;
        }
    }
    return result;
}

}  // namespace

metrics_page::metrics_page(const labels& of_all) {
    for (const auto& [name, value] : of_all)
        labels_.append(labels_.empty() ? "{" : ",")
            .append(name)
            .append("=\"")
            .append(escaped(value))
            .append("\"");
    if (!labels_.empty()) labels_ += '}';
}

void metrics_page::add_text(std::string_view name, std::string_view type, std::string_view help,
                            std::string_view value) {
    const auto full = std::string{"turnstile_"}.append(name);
    text_.append("# HELP " + full + ' ').append(help).append("\n");
    text_.append("# TYPE " + full + ' ').append(type).append("\n");
    text_.append(full + labels_ + ' ').append(value).append("\n");
}

}  // namespace turnstile::admin
