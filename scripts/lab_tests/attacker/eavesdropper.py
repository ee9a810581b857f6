"""What an honest client says, overheard on its way to the server: its handshake, to be sent again, and its plan, to be changed."""

import json
import socket
import subprocess
import threading

from wire import Caller


def _pass_on(source, target, record):
    try:
        while data := source.recv(65536):
            record += data
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def _frames(data):
    while len(data) >= 4:
        end = 4 + int.from_bytes(data[:4], "big")
        yield data[:end]
        data = data[end:]


class Overheard:
    """`frames`: of the client, each with its length, the plan the last one; `answers`: of the server, by kind, up to its welcome."""

    def __init__(self, world):
        sent, answered = bytearray(), bytearray()
        with socket.create_server((world.address, 0)) as listener:
            port = listener.getsockname()[1]
            command = ["rdmabench", "write_bw", world.address, "-p", str(port), "-n", "16", "-s", "1K", "--quiet"]
            if world.secret_file:
                command += ["--secret-file", world.secret_file]
            client = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            listener.settimeout(20)
            ours, _ = listener.accept()
        with ours, Caller(world).socket as theirs:
            theirs.settimeout(None)
            ways = [threading.Thread(target=_pass_on, args=way) for way in ((ours, theirs, sent), (theirs, ours, answered))]
            for way in ways:
                way.start()
            _, stderr = client.communicate(timeout=60)
            for way in ways:
                way.join()
        assert client.returncode == 0, f"the honest client that was overheard failed: {stderr}"
        self.frames = []
        for frame in _frames(bytes(sent)):
            self.frames.append(frame)
            if frame[4:].startswith(b'{"plan"'):
                break
        self.answers = {}
        for frame in _frames(bytes(answered)):
            kind, body = next(iter(json.loads(frame[4:]).items()))
            self.answers.setdefault(kind, body)

    def plan(self):
        """A copy that may be changed."""
        return json.loads(self.frames[-1][4:])["plan"]

    def before_the_plan(self):
        """The bytes of the handshake, heartbeats left out."""
        return b"".join(frame for frame in self.frames[:-1] if not frame[4:].startswith(b'{"heartbeat"'))
