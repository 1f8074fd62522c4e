"""An NVIDIA driver that other processes find instead of a real one. It has cards and takes kernels, but runs none."""

import os
import shutil
import subprocess

import pytest

# Compiled with START (the code of its start), VERSION (of CUDA), COUNT (of devices), CAPABILITY (theirs, times ten) and
# REFUSED (the code for PTX). What it is given to load, and asked for in it, it adds to the file `received` in the
# current folder. It hands out its own functions, as Warp asks for them; all others succeed and do nothing.
SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int thing;

static void receive(const char *kind, const char *text, int length) {
    FILE *file = fopen("received", "a");
    fprintf(file, "%s %.*s\n", kind, length, text);
    fclose(file);
}

int cuInit(unsigned flags) { return START; }
int cuDriverGetVersion(int *version) { *version = VERSION; return 0; }
int cuDeviceGetCount(int *count) { *count = COUNT; return START; }
int cuDeviceGet(int *device, int number) { *device = number; return 0; }
int cuDeviceGetName(char *name, int length, int device) { strncpy(name, "a card on paper", length); return 0; }
int cuDeviceGetUuid(char *uuid, int device) { memset(uuid, device, 16); return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    int unified_addressing = 41;
    *value = attribute == 75 ? CAPABILITY / 10 : attribute == 76 ? CAPABILITY % 10 : attribute == unified_addressing;
    return 0;
}
int cuDevicePrimaryCtxRetain(void **found, int device) { *found = &thing; return 0; }
int cuCtxGetCurrent(void **found) { *found = &thing; return 0; }
int cuCtxGetDevice(int *device) { *device = 0; return 0; }
int cuMemGetInfo(size_t *free, size_t *total) { *free = *total = 1 << 30; return 0; }
int cuGetErrorString(int code, const char **text) { *text = "an error of this driver"; return 0; }
int cuModuleLoadDataEx(void **module, const char *image, unsigned count, void *options, void *values) {
    *module = &thing;
    if (!memcmp(image, "\177ELF", 4)) {
        receive("compiled", "", 0);
        return 0;
    }
    const char *line = strstr(image, "\n.version ") + 1;
    receive("PTX", line, strcspn(line, "\n"));
    return REFUSED;
}
int cuModuleGetFunction(void **found, void *module, const char *name) {
    *found = &thing;
    receive("function", name, strlen(name));
    return 0;
}
int cuGetExportTable(const void **table, const void *name) { return 1; }  // what only NVIDIA's own libraries ask for
static int other(void) { return 0; }
int cuGetProcAddress(const char *name, void **found, int version, unsigned long flags, void *more) {
    void *mine = dlsym(RTLD_DEFAULT, name);
    *found = mine ? mine : (void *)other;
    return 0;
}
"""
USUAL = {"START": 0, "VERSION": 13000, "COUNT": 1, "CAPABILITY": 86, "REFUSED": 0}


def make_driver(folder, monkeypatch, **numbers):
    """Compile one with these numbers, and let new processes find it."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    (folder / "driver.c").write_text(SOURCE)
    given = [f"-D{name}={value}" for name, value in (USUAL | numbers).items()]
    library = folder / "fake.so"
    subprocess.run([compiler, "-shared", "-fPIC", *given, folder / "driver.c", "-o", library], check=True)
    put_in_front(library, folder, monkeypatch)


def put_in_front(library, folder, monkeypatch):
    """Let new processes find a library where they look for the driver."""
    links = folder / "driver"
    links.mkdir(exist_ok=True)
    for name in ("libcuda.so", "libcuda.so.1"):
        (links / name).unlink(missing_ok=True)
        (links / name).symlink_to(library)
    paths = [str(links), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    monkeypatch.setenv("LD_LIBRARY_PATH", os.pathsep.join(paths))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
