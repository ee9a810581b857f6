"""What an attack knows and from where it comes."""

import dataclasses
import pathlib


@dataclasses.dataclass
class World:
    server: tuple[str, int]
    address: str  # the attacker's own
    secret_file: str | None
    slowness: int = 1  # how many times slower than usual the server is
    overheard: object = None  # see eavesdropper.py

    @property
    def secret(self):
        return pathlib.Path(self.secret_file).read_bytes().removesuffix(b"\n") if self.secret_file else None
