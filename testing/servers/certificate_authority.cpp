// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/certificate_authority.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "turnstile/testing/process.hpp"

namespace turnstile::testing {

namespace {

void write_authority_file(const std::filesystem::path& file, const std::string& text) {
    std::ofstream out{file};
    out << text << std::flush;
    if (!out)
        throw std::system_error{EIO, std::generic_category(), "cannot write " + file.string()};
}

std::string authority_file_text(const std::filesystem::path& file) {
    std::ifstream in{file};
    return {std::istreambuf_iterator<char>{in}, {}};
}

// Returns a configuration of `openssl ca`. Only this command makes revocation lists, and certificates that are valid at
// other times than now.
std::string authority_configuration(const std::filesystem::path& folder) {
    const auto at = folder.string();
    return "[ca]\ndefault_ca = own\n[own]\ndatabase = " + at + "/index\nnew_certs_dir = " + at +
           "\nserial = " + at + "/serial\ncrlnumber = " + at + "/crlnumber\ncertificate = " + at +
           "/ca.crt\nprivate_key = " + at +
           "/ca.key\ndefault_md = sha256\ndefault_days = 30\ndefault_crl_days = 30\n"
           "policy = any\nunique_subject = no\n[any]\ncommonName = supplied\n";
}

}  // namespace

certificate_authority::certificate_authority(const std::string& name) {
    const auto& folder = folder_.path();
    write_authority_file(folder / "ca.cnf", authority_configuration(folder));
    write_authority_file(folder / "index", "");
    write_authority_file(folder / "serial", "1000\n");
    write_authority_file(folder / "crlnumber", "1000\n");
    run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", "ca.key", "-out", "ca.crt", "-days", "30", "-subj",
         "/CN=turnstile test " + name});
    renew_revocations();
}

issued_certificate certificate_authority::issue(const std::string& name,
                                                const certificate_request& wanted) {
    const auto file = [&](const char* ending) {
        return (folder_.path() / (name + ending)).string();
    };
    std::vector<std::string> request{"openssl",
                                     "req",
                                     "-new",
                                     "-newkey",
                                     "ec",
                                     "-pkeyopt",
                                     "ec_paramgen_curve:P-256",
                                     "-keyout",
                                     file(".key.new"),
                                     "-out",
                                     file(".csr"),
                                     "-subj",
                                     "/CN=turnstile test " + name};
    if (wanted.password.empty())
        request.emplace_back("-nodes");
    else
        request.insert(request.end(), {"-passout", "pass:" + wanted.password});
    run(std::move(request));
    write_authority_file(file(".ext"), "subjectAltName=" + wanted.names + "\n");
    std::vector<std::string> command{
        "openssl", "ca",         "-batch", "-notext",        "-config",  "ca.cnf",
        "-in",     file(".csr"), "-out",   file(".crt.new"), "-extfile", file(".ext")};
    if (wanted.expired)
        command.insert(command.end(),
                       {"-startdate", "20200101000000Z", "-enddate", "20210101000000Z"});
    run(std::move(command));
    write_authority_file(file(".pem"), authority_file_text(file(".key.new")) +
                                           authority_file_text(file(".crt.new")));
    std::filesystem::rename(file(".key.new"), file(".key"));
    std::filesystem::rename(file(".crt.new"), file(".crt"));
    ::chmod(file(".key").c_str(), S_IRUSR | S_IWUSR);
    return {file(".crt"), file(".key"), file(".pem")};
}

void certificate_authority::revoke(const issued_certificate& which) {
    run({"openssl", "ca", "-config", "ca.cnf", "-revoke", which.certificate});
    renew_revocations();
}

void certificate_authority::renew_revocations() const {
    run({"openssl", "ca", "-config", "ca.cnf", "-gencrl", "-out", "ca.crl"});
}

void certificate_authority::run(std::vector<std::string> command) const {
    const auto log = folder_.path() / "log";
    auto text = command.front() + " " + command.at(1);
    process child{{.command = std::move(command), .output = log, .folder = folder_.path()}};
    if (!child.wait() || child.exit_code() != 0)
        throw std::runtime_error{
            text + " failed (Debian's package openssl has it): " + authority_file_text(log)};
}

}  // namespace turnstile::testing
