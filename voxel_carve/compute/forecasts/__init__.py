"""What a carve will make and take, before it starts: faces, memory and time. Jobs that are done tell about the next."""

from .faces import ExpectedFaces, can_expect_faces, expected_faces, rounded
from .forecast import Forecast, forecast
from .history import keep_history
from .memory import rough_bytes, rough_faces
from .times import Kind, expected_seconds, remember, seconds_texts

__all__ = [
    "ExpectedFaces",
    "Forecast",
    "Kind",
    "can_expect_faces",
    "expected_faces",
    "expected_seconds",
    "forecast",
    "keep_history",
    "remember",
    "rough_bytes",
    "rough_faces",
    "rounded",
    "seconds_texts",
]
