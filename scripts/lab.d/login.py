"""Runs commands in the hosts over ssh, and keeps the program under test in them current.

Each host has one ssh connection that stays open and that every command shares, because a fresh login takes a second
or two in an emulated host. When that connection is gone, ssh makes a fresh one by itself.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import shlex
import signal
import subprocess
import time
from typing import NoReturn

import processes
from errors import LabError
from interruption import deferred
from state import Home, Host, Lab


def config_path(lab: Lab) -> pathlib.Path:
    return lab.directory / "ssh_config"


def write_config(lab: Lab) -> None:
    directory = str(lab.directory).replace("%", "%%")
    key_type, key, _ = (lab.directory / "host_key.pub").read_text().split(maxsplit=2)
    (lab.directory / "known_hosts").write_text(f"lab {key_type} {key}\n")
    lines = []
    for host in lab.hosts:
        lines += [f"Host {host.name}", f"  Port {host.ssh_port}"]
    lines += ["Host *", "  HostName 127.0.0.1", "  User root", "  HostKeyAlias lab", "  BatchMode yes"]
    lines += [f'  IdentityFile "{directory}/login_key"', "  IdentitiesOnly yes", "  IdentityAgent none"]
    lines += [f'  UserKnownHostsFile "{directory}/known_hosts"', "  GlobalKnownHostsFile /dev/null"]
    lines += [f'  ControlPath "{directory}/%n.connection"', "  LogLevel ERROR"]
    # A host that is busy with packets may not answer for half a minute.
    lines += ["  ServerAliveInterval 30", "  ServerAliveCountMax 6"]
    config_path(lab).write_text("\n".join(lines) + "\n")


def open_connections(lab: Lab, patience_seconds: float) -> None:
    started = {host.name: _start_connection(lab, host) for host in lab.hosts}
    deadline = time.monotonic() + patience_seconds
    for host in lab.hosts:
        while not (lab.directory / f"{host.name}.connection").exists():
            process = started[host.name]
            if process is None or not processes.is_running(process):
                reason = _connection_log(lab, host).read_text().strip()
                raise LabError(f"cannot log in to host {host.name}: {reason or 'ssh gave no reason'}")
            if time.monotonic() > deadline:
                raise LabError(f"host {host.name} did not let ssh in within {patience_seconds} s")
            time.sleep(0.05)


def _start_connection(lab: Lab, host: Host) -> processes.Process | None:
    command = [*_ssh(lab), "-M", "-N", host.name]
    with deferred():
        process = processes.start(command, _connection_log(lab, host))
        if process:
            lab.processes.append(process)
            lab.save()
    return process


def _connection_log(lab: Lab, host: Host) -> pathlib.Path:
    return lab.directory / f"{host.name}.ssh"


def _ssh(lab: Lab) -> list[str]:
    return ["ssh", "-F", str(config_path(lab))]


def execute(home: Home, checkout: pathlib.Path, host_name: str, command: list[str]) -> NoReturn:
    """Becomes the ssh process, so that signals, streams and the exit status need no passing on."""
    lab = home.running()
    host = lab.host(host_name)
    chosen = os.environ.get("RDMABENCH_BINARY")
    if chosen and not os.path.isfile(chosen):
        raise LabError(f"RDMABENCH_BINARY names {chosen}, which is not a file")
    _install(lab, host, pathlib.Path(chosen or checkout / "bazel-bin" / "cmd" / "rdmabench"))
    remote = "exec " + shlex.join(["/run/lab/run", *command])
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and ssh would inherit that
    # A terminal brings Ctrl-C to CMD, but joins its two output streams and ends their lines with CR LF: for people only.
    terminal = "-t" if all(os.isatty(stream) for stream in (0, 1, 2)) else "-T"
    os.execvp("ssh", [*_ssh(lab), terminal, host.name, remote])


def _install(lab: Lab, host: Host, program: pathlib.Path) -> None:
    """Copies the program into the host unless it has it; when the file has not been touched, that costs one stat().

    It is copied, because the host's view of this machine's files may be stale after a rebuild.
    """
    record = lab.directory / f"{host.name}.program"
    with open(lab.directory / f"{host.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = {}
        with contextlib.suppress(FileNotFoundError):
            known = json.loads(record.read_text())
        try:
            status = os.stat(program)
            stamp = [str(program), status.st_ino, status.st_size, status.st_mtime_ns]
            if known.get("stamp") == stamp:
                return
            content = program.read_bytes()
        except FileNotFoundError:
            return  # not built yet
        import hashlib  # here, because loading it takes as long as all the rest of an exec that copies nothing

        checksum = hashlib.sha256(content).hexdigest()
        if known.get("checksum") != checksum:
            _copy(lab, host, content)
        record.write_text(json.dumps({"stamp": stamp, "checksum": checksum}))


def _copy(lab: Lab, host: Host, content: bytes) -> None:
    # By rename, because a running program cannot be overwritten.
    target = "/usr/local/bin/rdmabench"
    script = f"cat >{target}.new && chmod 755 {target}.new && mv {target}.new {target}"
    result = subprocess.run([*_ssh(lab), "-T", host.name, script], input=content, capture_output=True)
    if result.returncode != 0:
        reason = result.stderr.decode(errors="replace").strip()
        raise LabError(f"cannot copy rdmabench to host {host.name}: {reason or 'ssh gave no reason'}")
