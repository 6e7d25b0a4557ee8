// SPDX-License-Identifier: Apache-2.0
// Makes malformed and well-formed requests for the tests of the admin page's server.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::tests {

// Generates requests from a fixed seed: parts of valid requests, cut, repeated and mixed with random bytes.
class hostile_bytes {
public:
    explicit hostile_bytes(std::string name) : name_{std::move(name)} {}

    std::string next() {
        std::string text = pick(k_methods) + " " + pick(k_targets) + pick(k_versions);
        if (below(8) != 0) text += "Host: " + name_ + "\r\n";
        for (auto more = below(4); more != 0; --more) text += pick(k_headers);
        text += "\r\n" + pick(k_bodies);
        for (auto more = below(4); more != 0; --more) spoil(text);
        return text;
    }

private:
    using list = std::vector<std::string>;
    std::size_t below(std::size_t end) { return chance_() % end; }
    const std::string& pick(const list& from) { return from[below(from.size())]; }
    void spoil(std::string& text) {
        if (text.empty()) return;
        const auto at = below(text.size());
        switch (below(4)) {
            case 0: text[at] = static_cast<char>(below(256)); break;
            case 1: text.erase(at, below(20)); break;
            case 2: text.insert(at, text.substr(at, below(40))); break;
            default: text.resize(at); break;
        }
    }

    static inline const list k_methods{"GET", "POST", "HEAD",    "PUT",
                                       "PRI", "",     "OPTIONS", "GET GET"};
    static inline const list k_targets{"/",
                                       "/api/v1/locks?limit=1&offset=99999999999999999999",
                                       "/api/v1/lock?path=%00%ff&kind=mutex",
                                       "/api/v1/lock?path=/a&kind=mutex&offset=-1",
                                       "/api/v1/locks?prefix=%2",
                                       "/api/v1/events?path=",
                                       "/assets/%2e%2e/%2e%2e/etc/passwd",
                                       "/assets/" + std::string(300, 'a'),
                                       "http://other/",
                                       "*",
                                       "/api/v1/take",
                                       "/api/v1/sign-in",
                                       "/?" + std::string(9'000, '&')};
    static inline const list k_versions{" HTTP/1.1\r\n", " HTTP/1.0\r\n", " HTTP/9.9\r\n", "\r\n",
                                        "\n"};
    static inline const list k_headers{"Content-Length: 5\r\n",
                                       "Content-Length: -1\r\n",
                                       "Content-Length: 99999999999999999999\r\n",
                                       "Transfer-Encoding: chunked\r\n",
                                       "Content-Type: application/json\r\n",
                                       "Content-Type: multipart/form-data; boundary=x\r\n",
                                       "Content-Encoding: gzip\r\n",
                                       "Accept-Encoding: br, gzip\r\n",
                                       "Range: bytes=0-,1-,2-,-1\r\n",
                                       "Expect: 100-continue\r\n",
                                       "Connection: close\r\n",
                                       "Cookie: turnstile=" + std::string(4'000, 'x') + "\r\n",
                                       "Authorization: Bearer \xff\xfe\r\n",
                                       "If-None-Match: *\r\n",
                                       ": \r\n",
                                       "X\r\n"};
    static inline const list k_bodies{"",
                                      "{}",
                                      "{\"password\": 1}",
                                      "5\r\nhello\r\n0\r\n\r\n",
                                      "ffffffffffffffff\r\n",
                                      std::string(5'000, '[')};
    std::mt19937 chance_{20261123};
    std::string name_;
};

}  // namespace turnstile::tests
