// SPDX-License-Identifier: Apache-2.0
#include "admin/http/wire.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace turnstile::admin {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using boost::system::error_code;

tcp::socket socket_of(asio::io_context& loop, support::descriptor socket) {
    tcp::socket result{loop};
    // The protocol argument has no effect on a connected socket.
    result.assign(tcp::v4(), socket.release());
    return result;
}

void end_of_writing(tcp::socket& socket) {
    error_code ignored;
    socket.shutdown(tcp::socket::shutdown_send, ignored);
}

class plain_wire : public wire {
public:
    explicit plain_wire(tcp::socket socket) : socket_{std::move(socket)} {}

    void open(finished then) override {
        asio::post(socket_.get_executor(), [then = std::move(then)] { then(true); });
    }
    void read_some(char* room, std::size_t size, transferred then) override {
        socket_.async_read_some(
            asio::buffer(room, size),
            [then = std::move(then)](const error_code& error, std::size_t count) {
                then(!error, count);
            });
    }
    void write(std::string_view bytes, transferred then) override {
        asio::async_write(socket_, asio::buffer(bytes.data(), bytes.size()),
                          [then = std::move(then)](const error_code& error, std::size_t count) {
                              then(!error, count);
                          });
    }
    void finish(finished then) override {
        end_of_writing(socket_);
        asio::post(socket_.get_executor(), [then = std::move(then)] { then(true); });
    }
    void close() override {
        error_code ignored;
        socket_.close(ignored);
    }

private:
    tcp::socket socket_;
};

class tls_wire : public wire {
public:
    tls_wire(tcp::socket socket, const tls_context& tls)
        : context_{tls.share()}, stream_{std::move(socket), context_} {}

    void open(finished then) override {
        stream_.async_handshake(
            asio::ssl::stream_base::server,
            [then = std::move(then)](const error_code& error) { then(!error); });
    }
    void read_some(char* room, std::size_t size, transferred then) override {
        const auto done = [then = std::move(then)](const error_code& error, std::size_t count) {
            then(!error, count);
        };
        if (finished_)
            stream_.next_layer().async_read_some(asio::buffer(room, size), done);
        else
            stream_.async_read_some(asio::buffer(room, size), done);
    }
    void write(std::string_view bytes, transferred then) override {
        asio::async_write(stream_, asio::buffer(bytes.data(), bytes.size()),
                          [then = std::move(then)](const error_code& error, std::size_t count) {
                              then(!error, count);
                          });
    }
    void finish(finished then) override {
        finished_ = true;
        // Ignores errors, because a client need not answer the end of TLS.
        stream_.async_shutdown([this, then = std::move(then)](const error_code& /*error*/) {
            end_of_writing(stream_.next_layer());
            then(true);
        });
    }
    void close() override {
        error_code ignored;
        stream_.next_layer().close(ignored);
    }

private:
    asio::ssl::context context_;  // a reference to the context that all connections share
    asio::ssl::stream<tcp::socket> stream_;
    bool finished_ = false;
};

}  // namespace

std::unique_ptr<wire> make_wire(asio::io_context& loop, support::descriptor socket,
                                const tls_context* tls) {
    auto own = socket_of(loop, std::move(socket));
    if (tls == nullptr) return std::make_unique<plain_wire>(std::move(own));
    return std::make_unique<tls_wire>(std::move(own), *tls);
}

}  // namespace turnstile::admin
