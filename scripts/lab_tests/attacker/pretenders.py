"""What somebody can do who has not the secret but has heard others use it."""

import time

from strangers import HANDSHAKE_SECONDS
from wire import PROTOCOL, Caller, Closed, check_refused, frame, hello, new_nonce, prove

WRONG = "wrong secret"
# A wrong proof is answered after a second.
DELAY_SECONDS = 1.0


def _challenged(world, request="run", nonce=None):
    """(caller, our nonce, the server's)"""
    nonce = nonce or new_nonce()
    caller = Caller(world)
    caller.say("hello", hello(request, nonce))
    kind, body = caller.hear(10)
    assert kind == "challenge" and len(body["nonce"]) == 32, (kind, body)
    return caller, nonce, body["nonce"]


def _check_never_proved(caller, *texts):
    """Refused, and the server has not proved itself: that would be an oracle."""
    check_refused(caller, *texts)


def _check_guesses(world, macs):
    """Several wrong proofs at once, each of which waits: the others must not. `macs`: functions of both nonces."""
    began = time.monotonic()
    callers = []
    for mac in macs:
        caller, nonce, theirs = _challenged(world)
        caller.say("proof", {"mac": mac(nonce, theirs)})
        callers.append((caller, time.monotonic()))
    for caller, proved in callers:
        _check_never_proved(caller, WRONG)
        assert time.monotonic() - proved >= 0.9 * DELAY_SECONDS, "a guess was answered at once"
        caller.socket.close()
    assert time.monotonic() - began < HANDSHAKE_SECONDS, "they have waited for one another"


def wrong_secrets(world):
    secrets = (b"", b"x" * 16, world.secret[:-1], world.secret + b"\n", world.secret.upper(), b"\0" * 4096)
    _check_guesses(world, [lambda ours, theirs, secret=secret: prove(secret, "client", "run", ours, theirs) for secret in secrets])


def other_roles_and_requests(world):
    """The text that is signed names the role, the request and both nonces: a proof for another is none."""
    _check_guesses(world, [
        lambda ours, theirs: prove(world.secret, "server", "run", ours, theirs),
        lambda ours, theirs: prove(world.secret, "client", "status", ours, theirs),
        lambda ours, theirs: prove(world.secret, "client", "doctor", ours, theirs),
        lambda ours, theirs: prove(world.secret, "client", "run", theirs, ours),
        lambda ours, theirs: prove(world.secret, "client", "run", ours, ours),
    ])


def ill_formed_proofs(world):
    right = "0" * 64
    for mac in ("", "0", right[1:], right + "0", right.replace("0", "g"), "\x00" * 64, "0" * 3000, None, 0, [right], {"mac": right}):
        caller, _, _ = _challenged(world)
        caller.say("proof", {"mac": mac})
        _check_never_proved(caller)
    for body in ({}, [], "mac", {"mac": right, "more": 1}):
        caller, _, _ = _challenged(world)
        caller.say("proof", body)
        _check_never_proved(caller)


def replayed_handshakes(world):
    """All that an honest client has sent: in one go, frame by frame, the proof alone; and the server's own proof."""
    proofs = [text for text in world.overheard.frames if text[4:].startswith(b'{"proof"')]
    assert len(proofs) == 1, "the honest client has not proved itself once"
    callers = [Caller(world), Caller(world), _challenged(world)[0], _challenged(world)[0]]
    callers[0].send(world.overheard.before_the_plan())
    for text in world.overheard.frames:
        callers[1].send(text)
    callers[2].send(proofs[0])
    callers[3].say("proof", world.overheard.answers["proof"])
    for caller in callers:
        _check_never_proved(caller, WRONG)


def reflected_challenges(world):
    """The server is asked its own question, on the same connection and on another: it never answers."""
    caller, nonce, theirs = _challenged(world)
    caller.say("challenge", {"nonce": theirs})
    _check_never_proved(caller, "challenge")
    first, nonce, theirs = _challenged(world)
    second, _, _ = _challenged(world, nonce=theirs)
    second.say("challenge", {"nonce": nonce})
    _check_never_proved(second, "challenge")
    first.say("proof", {"mac": theirs + theirs})
    _check_never_proved(first, WRONG)
    # An echo: whatever the server sends comes back.
    with Caller(world) as caller:
        caller.say("hello", hello())
        try:
            while True:
                kind, body = caller.hear(HANDSHAKE_SECONDS)
                assert kind in ("challenge", "error"), kind
                caller.say(kind, body)
        except Closed:
            pass


def without_a_proof(world):
    for kind, body in (("plan", world.overheard.plan()), ("heartbeat", {}), ("bye", {}), ("hello", hello())):
        caller, _, _ = _challenged(world)
        if kind == "heartbeat":
            caller.socket.shutdown(1)
            caller.hear_all(5)
            continue
        caller.say(kind, body)
        _check_never_proved(caller, kind, "announced a frame of")


def older_protocols(world):
    """No way round the secret by a protocol that had none."""
    for protocol in range(1, PROTOCOL):
        with Caller(world) as caller:
            caller.send(frame("hello", hello(protocol=protocol)) + frame("plan", {}))
            _check_never_proved(caller, "protocol")


ATTACKS = (wrong_secrets, other_roles_and_requests, ill_formed_proofs, replayed_handshakes, reflected_challenges, without_a_proof,
           older_protocols)
