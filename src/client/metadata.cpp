#include "client/metadata.hpp"

#include <array>
#include <charconv>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <unistd.h>

#include "turnstile/lock_status.hpp"

namespace turnstile {

namespace {

std::string escaped(std::string_view text) {
    std::string made;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= ' ' || byte == '%' || byte == 0x7f) {
            made += fmt::format("%{:02x}", byte);
        } else {
            made += c;
        }
    }
    return made;
}

std::string unescaped(std::string_view text) {
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr ==
                text.data() + i + 3) {
            made += static_cast<char>(byte);
            i += 2;
        } else {
            made += text[i];
        }
    }
    return made;
}

template <class M>
auto fields(M& m) {
    using member = decltype(&m.host);
    return std::array<std::pair<std::string_view, member>, 6>{{{"host", &m.host},
                                                               {"pid", &m.pid},
                                                               {"thread", &m.thread},
                                                               {"label", &m.label},
                                                               {"since", &m.since},
                                                               {"resource", &m.resource}}};
}

}  // namespace

std::string contender_metadata::to_string() const {
    std::string made;
    for (const auto& [key, value] : fields(*this)) {
        if (value->empty()) continue;
        if (!made.empty()) made += ' ';
        made += key;
        made += '=';
        made += escaped(*value);
    }
    return made;
}

contender_metadata contender_metadata::parse(std::string_view text) {
    contender_metadata made;
    made.text = text;
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        const auto pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto equals = pair.find('=');
        if (equals == std::string_view::npos) continue;
        for (const auto& [key, value] : fields(made))
            if (key == pair.substr(0, equals)) *value = unescaped(pair.substr(equals + 1));
    }
    return made;
}

namespace detail {

std::string contender_text(std::string_view path, std::string_view label) {
    static const std::string host = [] {
        std::array<char, 256> name{};
        return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string{name.data()}
                                                                : std::string{"unknown"};
    }();
    contender_metadata mine;
    mine.resource = path;
    mine.host = host;
    mine.pid = std::to_string(::getpid());
    mine.thread = std::to_string(::gettid());
    mine.label = label;
    mine.since = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    return mine.to_string();
}

}  // namespace detail

}  // namespace turnstile
