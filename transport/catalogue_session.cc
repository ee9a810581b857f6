// What ends the session between the two sides, or keeps them from agreeing.
#include "transport/catalogue_rows.h"

namespace rdmabench {
namespace {

constexpr CatalogueRow Row(std::string_view name, Facts facts, std::string_view meaning,
                           std::string_view causes, std::string_view check,
                           Blame blame = Blame::kRun) {
  return {.kind = FailureKind::kSession,
          .name = name,
          .meaning = meaning,
          .causes = causes,
          .check = check,
          .facts = facts,
          .blame = blame};
}

constexpr std::string_view kBugThere = "another version or another program; a fault of this one";
constexpr std::string_view kSameVersion = "rdmabench --version on both hosts";

constexpr CatalogueRow kRows[] = {
    Row("unresolved", Facts::kNone, "nobody knows an address for that name",
        "a mistake in the name; no name server answers", "getent hosts NAME; give the address"),
    Row("nobody_listens", Facts::kNone, "the host is there, and nothing listens on the port",
        "no server runs there; it listens on another port or address; a firewall refuses",
        "start 'rdmabench server' there, or check --port and the firewall"),
    Row("no_way", Facts::kNone, "no connection could be made",
        "no route; a firewall that drops; the host is down; --source-ip is of another family",
        "start 'rdmabench server' there, or check --port and the firewall; ping"),
    Row("port_taken", Facts::kNone, "something listens on that port already",
        "another server is still running; another program has the port",
        "end what listens there (ss -ltnp names it), or choose another --port",
        Blame::kEnvironment),
    Row("port_forbidden", Facts::kNone, "this user may not listen on that port",
        "lower ones are root's (sysctl net.ipv4.ip_unprivileged_port_start); a security module "
        "forbids it",
        "a --port above 1023", Blame::kEnvironment),
    Row("foreign_address", Facts::kNone, "the address is none of this host's",
        "a mistake in --bind or --source-ip; its interface is down or has another one now; its "
        "family is switched off",
        "give an address of this host ('ip address' lists them)", Blame::kEnvironment),
    Row("exhausted", Facts::kNone, "nothing is left for another connection",
        "the limit on open files; the host's memory or its local ports are used up",
        "raise the limit (ulimit -n; LimitNOFILE in the service's unit); cat "
        "/proc/sys/fs/file-nr; sysctl net.ipv4.ip_local_port_range",
        Blame::kEnvironment),
    Row("full", Facts::kNone, "the server has no place for another client",
        "others measure, or wait until they can; connections that say nothing take the places",
        "rdmabench status HOST tells who is there; try again later, wait longer with --wait, or "
        "start the server with a higher --max-sessions, --max-queue or --max-per-address"),
    Row("no_hello", Facts::kNone,
        "whoever connected did not say who it is, or sent no proof of the secret",
        "another program, or a scan of ports; its process is stopped or has ended; the network "
        "between is cut",
        "see what runs at that address; the server's --hello-timeout allows more time"),
    Row("secret", Facts::kNone, "the two sides do not have the same secret",
        "one of them was given none; their files differ; the server has not read its file again",
        "give the same --secret-file on both hosts ('sha256sum FILE' tells), or none on either; "
        "a server reads its file again at SIGHUP"),
    Row("shutdown", Facts::kNone, "the server was told to end",
        "its user or the service manager ended it; its host is going down",
        "the log of the server; start it again"),
    Row("closed", Facts::kSession, "its process has ended, or its host closed the connection",
        "it was killed or crashed; it was ended by its user; its host went down",
        "the log of the server, dmesg of both hosts (out of memory?)"),
    Row("reset", Facts::kSession, "the connection is no more",
        "its host was started again or its process killed; something on the way cut it",
        "the log of the server; firewalls that forget connections"),
    Row("silent", Facts::kSession, "nothing came any more, not even a sign of life",
        "its process is stopped, or its host; the network between is cut, or loses large packets "
        "alone: the MTU is above what the path carries; its host is so busy that the session does "
        "not get its turn",
        "see whether rdmabench still runs there and whether the network carries its answers, also "
        "large ones (ping -M do -s SIZE); a test's --peer-timeout allows more time"),
    Row("late", Facts::kPath, "it is alive, and did not do its part in time",
        "its side stands still in that step; its host is overloaded",
        "what the other side says, and the log of the server; the same run with fewer --qp"),
    Row("stalled", Facts::kPath, "the peer is alive, and no request completes any more",
        "packets are lost: the path between the two GIDs, a firewall on UDP port 4791; the MTU is "
        "above what the path carries; flow control has stopped the port; the device stands still",
        "ping -M do -s SIZE from address to address of the two GIDs, ip neigh; a smaller -m; "
        "--stall-timeout allows more time"),
    Row("no_reply", Facts::kPath, "not one message was answered",
        "packets are lost on the way there or back; the peer answers later than --reply-timeout",
        "ping -M do -s SIZE from address to address of the two GIDs; a longer --reply-timeout"),
    Row("out_of_turn", Facts::kNone, "the two sides are not at the same step", kBugThere,
        kSameVersion),
    Row("no_frame", Facts::kNone, "what it sent is not of this protocol", kBugThere, kSameVersion),
    Row("flood", Facts::kNone, "it sends faster than this side reads", kBugThere, kSameVersion),
    Row("clogged", Facts::kNone, "it does not take what it is sent",
        "its process is stopped; the network between is cut",
        "see whether rdmabench still runs there"),
    Row("version", Facts::kNone, "the two sides do not speak the same protocol",
        "one of them is older", "the same version on both hosts: rdmabench --version"),
    Row("gid_pair", Facts::kNone, "the two sides have no GIDs that can talk to each other",
        "-x names GIDs of different kinds; one interface has no address of the other's family",
        "give the RDMA interfaces of both hosts an address of one family, or choose the GID "
        "indexes with -x",
        Blame::kEnvironment),
    Row("limit", Facts::kNone, "more is asked for than the server grants to one client",
        "the limits that it was started with, or their defaults",
        "ask for less, or start it with a higher --limit-qp, --limit-memory or --limit-duration; "
        "rdmabench status HOST tells them"),
    Row("interrupted", Facts::kNone, "the user ended it", "Ctrl-C or SIGTERM", "start it again",
        Blame::kInterrupted),
};

}  // namespace

std::span<const CatalogueRow> SessionRows() { return kRows; }

}  // namespace rdmabench
