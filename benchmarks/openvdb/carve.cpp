// SPDX-License-Identifier: GPL-3.0-or-later

/* A case by OpenVDB's own tools, on all cores: mesh to level set, tubes along the path, their difference, and a mesh.

       carve FILE        the file is as `program.py` writes it

   Prints one line of JSON. The seconds go from arrays in memory to triangles in memory. */

#include <openvdb/openvdb.h>

#if !__has_include(<openvdb/tools/LevelSetTubes.h>)
#error "OpenVDB 12.1 or newer is needed: this one has no tube complexes"
#endif

#include <openvdb/tools/Composite.h>
#include <openvdb/tools/LevelSetTubes.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/VolumeToMesh.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

using openvdb::FloatGrid;
using openvdb::Vec2I;
using openvdb::Vec3d;
using openvdb::Vec3I;
using openvdb::Vec3s;
using openvdb::Vec4I;

using Clock = std::chrono::steady_clock;

struct Case {
    float voxel_size;
    std::vector<Vec3s> points;
    std::vector<Vec3I> triangles;
    std::vector<Vec3s> path;
    std::vector<float> radii;
};

struct Mesh {
    std::vector<Vec3s> points;
    std::vector<Vec3I> triangles;
};

struct Seconds {
    double stock, sweep, combine, surface;
};

template <typename Item>
std::vector<Item> read_items(std::ifstream& file, std::uint64_t count)
{
    std::vector<Item> items(count);
    file.read(reinterpret_cast<char*>(items.data()), static_cast<std::streamsize>(count * sizeof(Item)));
    if (!file) throw std::runtime_error("no case can be read from this file");
    return items;
}

Case read_case(const char* name)
{
    static_assert(sizeof(Vec3s) == 12 && sizeof(Vec3I) == 12, "arrays are read as they lie in the file");
    std::ifstream file(name, std::ios::binary);
    const auto counts = read_items<std::uint64_t>(file, 3);
    Case found;
    found.voxel_size = static_cast<float>(read_items<double>(file, 1)[0]);
    found.points = read_items<Vec3s>(file, counts[0]);
    found.triangles = read_items<Vec3I>(file, counts[1]);
    found.path = read_items<Vec3s>(file, counts[2]);
    found.radii = read_items<float>(file, counts[2]);
    return found;
}

FloatGrid::Ptr sweep_of(const Case& work)
{
    std::vector<Vec2I> segments;
    segments.reserve(work.path.size());
    for (std::uint32_t i = 0; i + 1 < work.path.size(); ++i) segments.emplace_back(i, i + 1);
    const auto [least, most] = std::minmax_element(work.radii.begin(), work.radii.end());
    const auto band = static_cast<float>(openvdb::LEVEL_SET_HALF_WIDTH);
    if (*least == *most) {
        return openvdb::tools::createLevelSetTubeComplex<FloatGrid>(
            work.path, segments, *least, work.voxel_size, band);
    }
    return openvdb::tools::createLevelSetTubeComplex<FloatGrid>(
        work.path, segments, work.radii, work.voxel_size, band, openvdb::tools::TUBE_VERTEX_RADII);
}

Mesh mesh_of(const FloatGrid& grid)
{
    Mesh mesh;
    std::vector<Vec4I> quads;
    openvdb::tools::volumeToMesh(grid, mesh.points, mesh.triangles, quads);
    mesh.triangles.reserve(mesh.triangles.size() + 2 * quads.size());
    for (const auto& quad : quads) {
        mesh.triangles.emplace_back(quad[0], quad[1], quad[2]);
        mesh.triangles.emplace_back(quad[0], quad[2], quad[3]);
    }
    return mesh;
}

Mesh carve(const Case& work, Seconds& seconds)
{
    auto last = Clock::now();
    const auto lap = [&last] {
        const auto before = last;
        last = Clock::now();
        return std::chrono::duration<double>(last - before).count();
    };
    const auto transform = openvdb::math::Transform::createLinearTransform(work.voxel_size);
    const auto stock = openvdb::tools::meshToLevelSet<FloatGrid>(*transform, work.points, work.triangles);
    seconds.stock = lap();
    const auto sweep = sweep_of(work);
    seconds.sweep = lap();
    openvdb::tools::csgDifference(*stock, *sweep);
    seconds.combine = lap();
    Mesh mesh = mesh_of(*stock);
    seconds.surface = lap();
    return mesh;
}

// OpenVDB's faces are clockwise as seen from outside.
double volume_of(const Mesh& mesh)
{
    double six_times = 0.0;
    for (const auto& triangle : mesh.triangles) {
        const Vec3d origin(mesh.points[0]);
        const Vec3d a = Vec3d(mesh.points[triangle[0]]) - origin;
        const Vec3d b = Vec3d(mesh.points[triangle[1]]) - origin;
        const Vec3d c = Vec3d(mesh.points[triangle[2]]) - origin;
        six_times += a.dot(c.cross(b));
    }
    return six_times / 6.0;
}

// The greatest resident size so far, in MiB.
double peak_memory()
{
#ifdef __linux__
    // getrusage would include the memory of the parent process.
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (double kilobytes = 0.0; word == "VmHWM:" && status >> kilobytes) return kilobytes / 1024.0;
    }
    return 0.0;
#else
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / (1 << 20);  // bytes on macOS
#endif
}

int main(int count, char** arguments)
{
    try {
        if (count != 2) throw std::runtime_error("usage: carve FILE");
        openvdb::initialize();
        const Case work = read_case(arguments[1]);
        Seconds seconds{};
        const auto start = Clock::now();
        const Mesh mesh = carve(work, seconds);
        const double whole = std::chrono::duration<double>(Clock::now() - start).count();
        const double peak = peak_memory();
        std::printf(
            "{\"seconds\": {\"voxelize\": %.6f, \"sweep\": %.6f, \"combine\": %.6f, \"surface\": %.6f, "
            "\"compute\": %.6f}, \"peak_memory_mb\": %.3f, \"triangles\": %zu, \"volume\": %.9g, \"openvdb\": \"%s\"}\n",
            seconds.stock, seconds.sweep, seconds.combine, seconds.surface, whole, peak, mesh.triangles.size(),
            volume_of(mesh), openvdb::getLibraryVersionString());
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
