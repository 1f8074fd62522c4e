"""Messages are templates with fields: plain English as text, and the parts for those who say it otherwise."""

import copy
import json
import pickle

import pytest

from voxel_carve.compute import BackendError, CarveCancelled, EmptyResultError, InputError, MemoryLimitError
from voxel_carve.compute.runtime import Length, Sentence, Volume

NEEDED = 3 * 2**30


def test_an_error_keeps_its_template_and_its_fields():
    error = InputError("path '{name}' has {count:,} points", name="Wire", count=1234567)
    assert str(error) == "path 'Wire' has 1,234,567 points"
    assert error.args == (str(error),)
    assert error.sentence.template == "path '{name}' has {count:,} points"
    assert error.sentence.fields == {"name": "Wire", "count": 1234567}


def test_a_text_without_fields_stays_as_it_is():
    assert str(InputError("a list of objects: [{...}]")) == "a list of objects: [{...}]"
    assert str(CarveCancelled()) == ""


@pytest.mark.parametrize("name", ["{count}", "{", "a}b{c", "{0}"])
def test_braces_in_a_field_are_letters(name):
    error = InputError("'{name}' is flat", name=name)
    assert str(error) == f"'{name}' is flat"
    assert str(InputError("path 1: {fault}", fault=error)) == f"path 1: '{name}' is flat"


@pytest.mark.parametrize("kind", [InputError, EmptyResultError, BackendError])
def test_an_error_crosses_processes(kind):
    inner = InputError("'{name}' has no size", name="Box")
    error = kind("frame {frame}: {fault}, {side}", frame=3, fault=inner, side=Length(0.25))
    other = pickle.loads(pickle.dumps(error))
    assert (type(other), str(other)) == (kind, "frame 3: 'Box' has no size, 0.25")
    assert other.sentence.fields["fault"].fields == {"name": "Box"}
    assert isinstance(other.sentence.fields["side"], Length)


def test_a_refusal_for_memory_has_its_voxel_size_as_a_length():
    error = pickle.loads(pickle.dumps(MemoryLimitError(NEEDED, 2**30, 0.0024961)))
    assert str(error) == "the job needs about 3.0 GiB and may take 1.0 GiB: a voxel size of 0.002496 would fit"
    assert error.sentence.fields["voxel_size"] == 0.0024961
    assert "no voxel size would fit" in str(MemoryLimitError(NEEDED, 2**30, float("inf")))


def test_a_sentence_is_a_text_wherever_one_is_wanted():
    sentence = Sentence("use voxels of at most {side}", side=Length(1 / 3))
    assert sentence == "use voxels of at most 0.3333" and {sentence: 1}["use voxels of at most 0.3333"] == 1
    assert json.loads(json.dumps([sentence])) == ["use voxels of at most 0.3333"]
    assert copy.deepcopy(sentence).fields == {"side": 1 / 3}
    assert f"{Volume(2e-9)}" == "2e-09"


def test_a_template_may_itself_be_a_sentence():
    ended = Sentence("ended with status {status}")
    assert ended == "ended with status {status}"
    assert str(InputError(ended, status=9)) == "ended with status 9"
    assert type(InputError(ended, status=9).sentence.template) is str
