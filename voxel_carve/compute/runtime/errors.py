"""The exceptions of the compute package. Each message is a sentence that a user can act on, a template and its fields.

Each class also derives from one of Python's own exceptions, for programs that catch those.
"""

from typing import Any

from .memory import memory_texts
from .sentences import Length, Sentence, sentence_of


class CarveError(RuntimeError):
    """Base of all errors that the compute package raises on purpose: `CarveError("'{name}' is flat", name=stock.name)`.

    Attributes:
        sentence: the message with its fields; `str` gives it in plain English.
    """

    def __init__(self, template: str = "", /, **fields: Any) -> None:
        self.sentence = sentence_of(template, fields)
        super().__init__(self.sentence)


class InputError(CarveError, ValueError):
    """The input cannot be carved: the message names the object, what is wrong and what to do."""


class EmptyResultError(InputError):
    """Nothing is left of the stock."""


class EmptySweepError(InputError):
    """Nothing is swept: there are no paths, or none with a point that has a radius."""


class MemoryLimitError(InputError, MemoryError):
    """The job would need more memory than it may take.

    Attributes:
        estimate_bytes: what the job would need.
        limit_bytes: what it may take.
        fitting_voxel_size: a voxel size with an estimate under the limit, in the unit of the points; infinite if
            there is none.
    """

    def __init__(self, estimate_bytes: int, limit_bytes: int, fitting_voxel_size: float) -> None:
        self.estimate_bytes = estimate_bytes
        self.limit_bytes = limit_bytes
        self.fitting_voxel_size = fitting_voxel_size
        needed, allowed = memory_texts(estimate_bytes, limit_bytes)
        said = Sentence(
            "the job needs about {needed} and may take {allowed}: a voxel size of {voxel_size} would fit",
            needed=needed,
            allowed=allowed,
            voxel_size=Length(fitting_voxel_size),
        )
        if fitting_voxel_size == float("inf"):
            said = Sentence(
                "the job needs about {needed} and may take {allowed}: no voxel size would fit; raise the limit, or "
                "give it fewer faces and segments",
                needed=needed,
                allowed=allowed,
            )
        super().__init__(said)

    def __reduce__(self) -> tuple[type["MemoryLimitError"], tuple[int, int, float]]:
        return type(self), (self.estimate_bytes, self.limit_bytes, self.fitting_voxel_size)


class BackendError(InputError):
    """The requested backend does not work on this machine. The message says how to get it."""


class UnusableFolderError(BackendError):
    """The folder for compiled kernels cannot be created or written to. Kernels still work, but cannot be cached."""


class UnknownBackendError(BackendError):
    """No backend has that name. The message lists the choices."""


class MissingLibraryError(InputError, ImportError):
    """What was asked for needs a library that is not installed. The message says how to get it."""


class CarveCancelled(CarveError):  # noqa: N818 - a wish of the user, not an error
    """Raised by a progress callback to stop the job."""
