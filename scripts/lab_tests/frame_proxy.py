#!/usr/bin/python3
"""Relays sessions between clients and a server, and holds a frame on its way, so that whoever awaits it stays in that step.

usage: frame_proxy.py ADDRESS SERVER_ADDRESS SERVER_PORT

It listens on a port of the system's choice at ADDRESS, and connects from there. The first line on stdout is "listening
PORT"; then there is one for each event:

  passed DIRECTION KIND      a frame was relayed; heartbeats are not told of
  held DIRECTION KIND        it was not, nor is what comes behind it
  ended DIRECTION fin|rst    whoever sends in that direction has closed; what was held goes with it
  did COMMAND                the answer to each command, behind the events that it has brought about

DIRECTION is c2s, from client to server, or s2c. Commands are lines on stdin, whose end ends the proxy:

  hold DIRECTION KIND [N]    the N-th such frame of each connection (default 1), from now on
  release                    relays what is held
  reset                      breaks every connection off, and holds nothing any more

Heartbeats are relayed past a frame that is held, and the proxy makes none: silence is that of a side, or of the network. A FIN
is relayed as a FIN behind all that was relayed before, an RST as an RST.
"""

import contextlib
import re
import selectors
import socket
import struct
import sys

HEADER = struct.Struct(">I")
MOST_BYTES = 16 << 20
AT_ONCE = 64 * 1024
KIND = re.compile(rb'\s*\{\s*"([a-z_]+)"\s*:')
NO_LINGER = struct.pack("ii", 1, 0)  # close() sends an RST then


def say(*words):
    print(*words, flush=True)


class Frames:
    """Cuts a stream of bytes into frames: (kind, all bytes of the frame)."""

    def __init__(self):
        self.bytes = bytearray()

    def feed(self, data):
        self.bytes += data
        while len(self.bytes) >= HEADER.size:
            (size,) = HEADER.unpack_from(self.bytes)
            if size > MOST_BYTES:
                raise ValueError(f"a frame of {size} bytes")
            end = HEADER.size + size
            if len(self.bytes) < end:
                return
            frame = bytes(self.bytes[:end])
            del self.bytes[:end]
            kind = KIND.match(frame, HEADER.size)
            if kind is None:
                raise ValueError(f"no frame: {frame[:80]}")
            yield kind.group(1).decode(), frame


class Rule:
    """Which frame is to be held."""

    def __init__(self, direction, kind, number="1"):
        self.direction, self.kind, self.number = direction, kind, int(number)


class Direction:
    """What comes from `source` and goes to `sink`."""

    def __init__(self, name, source, sink):
        self.name, self.source, self.sink = name, source, sink
        self.frames = Frames()
        self.seen = {}
        self.outgoing = bytearray()
        self.held = []  # the frame that is held, and all behind it
        self.reading = True
        self.finished = False  # the sink has been told of the end

    def take(self, data, rule):
        for kind, frame in self.frames.feed(data):
            if kind == "heartbeat":
                self.outgoing += frame
                continue
            self.seen[kind] = self.seen.get(kind, 0) + 1
            due = rule is not None and (rule.direction, rule.kind, rule.number) == (self.name, kind, self.seen[kind])
            if due:
                say("held", self.name, kind)
            if due or self.held:
                self.held.append((kind, frame))
            else:
                self.relay(kind, frame)

    def relay(self, kind, frame):
        self.outgoing += frame
        say("passed", self.name, kind)

    def release(self):
        for kind, frame in self.held:
            self.relay(kind, frame)
        self.held.clear()

    def receive(self, rule):
        data = self.source.recv(AT_ONCE)
        if data:
            self.take(data, rule)
            return
        self.reading = False
        # The beginning of a frame is all that a side that is killed while it sends leaves behind.
        if not self.held:
            self.outgoing += self.frames.bytes
        self.held.clear()
        say("ended", self.name, "fin")

    def send(self):
        if self.outgoing:
            del self.outgoing[:self.sink.send(self.outgoing)]
        if not self.outgoing and not self.reading and not self.finished:
            self.finished = True
            self.sink.shutdown(socket.SHUT_WR)


class Relay:
    """One client's connection and the one to the server."""

    def __init__(self, client, server):
        self.sockets = (client, server)
        self.directions = (Direction("c2s", client, server), Direction("s2c", server, client))
        for end in self.sockets:
            end.setblocking(False)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def wishes(self, end):
        """What to wait for at one of the sockets."""
        wishes = 0
        for direction in self.directions:
            if direction.source is end and direction.reading:
                wishes |= selectors.EVENT_READ
            if direction.sink is end and direction.outgoing:
                wishes |= selectors.EVENT_WRITE
        return wishes

    def turn(self, end, rule):
        """Does what can be done at the socket. False when the relay is at its end."""
        for direction in self.directions:
            try:
                if direction.source is end and direction.reading:
                    with contextlib.suppress(BlockingIOError):
                        direction.receive(rule)
                with contextlib.suppress(BlockingIOError):
                    direction.send()
            except (ValueError, OSError) as error:
                say("ended", direction.name, "rst", error)
                self.break_off()
                return False
        if all(direction.finished for direction in self.directions):
            for each in self.sockets:
                each.close()
            return False
        return True

    def break_off(self):
        for end in self.sockets:
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
            end.close()


class Proxy:
    def __init__(self, address, server):
        self.address, self.server = address, server
        self.listener = socket.create_server((address, 0))
        self.rule = None
        self.relays = []
        say("listening", self.listener.getsockname()[1])

    def accept(self):
        client, _ = self.listener.accept()
        try:
            server = socket.create_connection(self.server, 10, source_address=(self.address, 0))
        except OSError as error:
            say("ended s2c rst", error)
            client.close()
            return
        self.relays.append(Relay(client, server))

    def obey(self, line):
        words = line.split()
        if words[:1] == ["hold"]:
            self.rule = Rule(*words[1:])
        elif words == ["release"]:
            self.rule = None
            for relay in self.relays:
                for direction in relay.directions:
                    direction.release()
                    direction.send()
        elif words == ["reset"]:
            self.rule = None
            for relay in self.relays:
                relay.break_off()
            self.relays.clear()
        else:
            sys.exit(f"no such command: {line}")
        say("did", *words)

    def turn(self):
        """False when stdin has ended."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.listener, selectors.EVENT_READ)
            selector.register(sys.stdin, selectors.EVENT_READ)
            for relay in self.relays:
                for end in relay.sockets:
                    if wishes := relay.wishes(end):
                        selector.register(end, wishes, relay)
            ready = {key.fileobj: key.data for key, _ in selector.select()}
        ended = {relay for end, relay in ready.items() if relay and end.fileno() >= 0 and not relay.turn(end, self.rule)}
        self.relays = [relay for relay in self.relays if relay not in ended]
        if self.listener in ready:
            self.accept()
        if sys.stdin not in ready:
            return True
        # Unbuffered, or lines that were read ahead would not wake the selector.
        line = sys.stdin.buffer.raw.readline().decode()
        if line:
            self.obey(line)
        return bool(line)


def main():
    address, server_address, server_port = sys.argv[1:]
    proxy = Proxy(address, (server_address, int(server_port)))
    while proxy.turn():
        pass


if __name__ == "__main__":
    main()
