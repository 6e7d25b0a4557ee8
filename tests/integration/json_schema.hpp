// SPDX-License-Identifier: Apache-2.0
// json_schema: checks an answer against an OpenAPI 3.1 document. Supports only the keywords that the project's document
// uses.
//
// Thread safety: a value.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace turnstile::tests {

class json_schema {
public:
    using json = nlohmann::json;

    // Braces in place of the parentheses would wrap the document in a JSON array.
    explicit json_schema(json document) : document_(std::move(document)) {}

    // Returns the position and the reason of the first mismatch; empty if the answer conforms.
    [[nodiscard]] std::string misfit(const std::string& route, const std::string& method,
                                     int status, const json& value) const {
        const json::json_pointer place{"/paths/" + escaped(route) + "/" + method + "/responses/" +
                                       std::to_string(status) + "/content"};
        if (!document_.contains(place)) return "no such answer: " + place.to_string();
        return check(document_.at(place).begin().value()["schema"], value, "");
    }

private:
    static std::string escaped(std::string text) {
        for (auto at = text.find('/'); at != std::string::npos; at = text.find('/', at + 2))
            text.replace(at, 1, "~1");
        return text;
    }
    static bool is_of(const std::string& type, const json& value) {
        if (type == "null") return value.is_null();
        if (type == "boolean") return value.is_boolean();
        if (type == "integer") return value.is_number_integer();
        if (type == "number") return value.is_number();
        if (type == "string") return value.is_string();
        if (type == "array") return value.is_array();
        return type == "object" && value.is_object();
    }
    static bool has_type(const json& types, const json& value) {
        if (types.is_string()) return is_of(types, value);
        return std::any_of(types.begin(), types.end(),
                           [&](const json& each) { return is_of(each, value); });
    }
    [[nodiscard]] std::string check(const json& schema, const json& value,
                                    const std::string& where) const {
        if (schema.contains("$ref")) {
            const std::string reference = schema["$ref"];
            return check(document_.at(json::json_pointer{reference.substr(1)}), value, where);
        }
        if (schema.contains("type") && !has_type(schema["type"], value))
            return where + " is " + value.dump() + ": expected " + schema["type"].dump();
        if (schema.contains("enum") &&
            std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
            return where + " is " + value.dump() + ": expected one of " + schema["enum"].dump();
        if (schema.contains("minimum") && value.is_number() && value < schema["minimum"])
            return where + " is less than " + schema["minimum"].dump();
        if (value.is_array()) return check_items(schema, value, where);
        return value.is_object() ? check_members(schema, value, where) : std::string{};
    }
    [[nodiscard]] std::string check_items(const json& schema, const json& value,
                                          const std::string& where) const {
        for (const auto& each : value) {
            auto wrong = check(schema["items"], each, where + "[]");
            if (!wrong.empty()) return wrong;
        }
        return {};
    }
    [[nodiscard]] std::string check_members(const json& schema, const json& value,
                                            const std::string& where) const {
        if (!schema.contains("properties")) return {};
        for (const auto& name : schema["required"])
            if (!value.contains(name)) return where + " lacks " + name.dump();
        for (const auto& [name, each] : value.items()) {
            if (!schema["properties"].contains(name)) return where + " has " + name;
            auto wrong = check(schema["properties"][name], each, where + "/" + name);
            if (!wrong.empty()) return wrong;
        }
        return {};
    }

    json document_;
};

}  // namespace turnstile::tests
