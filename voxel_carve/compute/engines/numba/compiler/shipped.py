"""Kernels that the zip brings along, as numba has lowered them: LLVM's code, from which it makes this processor's.

That is a fifth of the work of compiling. `scripts/kernels/lower.py` writes the files. A file's name says of which state
of the code it is, and for which LLVM, so a file of another state is not found. numba lowers the kernels then, as it
does where there are no files at all.
"""

import hashlib
import json
import logging
import os
from pathlib import Path

from .signatures import Kernel

logger = logging.getLogger(__name__)

FOLDER = Path(__file__).parent / "lowered"

# The name of a kernel in its code, the type of its result, and the code.
Lowered = tuple[str, str, bytes]


def shipped(kernel: Kernel) -> Lowered | None:
    """A kernel as the zip brings it; None if it brings none, or a damaged one."""
    try:
        head, _, code = (FOLDER / kernel.lowered_name).read_bytes().partition(b"\n")
        name, result, checksum = json.loads(head)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        logger.warning("a kernel of the zip cannot be read, and is compiled from its source: %s", error)
        return None
    if hashlib.sha256(code).hexdigest() != checksum:
        logger.warning("a kernel of the zip is damaged, and is compiled from its source: %s", kernel.function)
        return None
    return name, result, code


def write_lowered(folder: Path, kernel: Kernel, lowered: Lowered) -> None:
    """Write a kernel into a folder, as `shipped` reads it."""
    name, result, code = lowered
    head = json.dumps([name, result, hashlib.sha256(code).hexdigest()])
    unfinished = folder / f"{kernel.lowered_name}.{os.getpid()}"
    unfinished.write_bytes(head.encode() + b"\n" + code)
    unfinished.replace(folder / kernel.lowered_name)
