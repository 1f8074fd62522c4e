"""Simplified Chinese: what is told, such as reports, refusals and warnings; see zh_hans for the terms."""

MESSAGES = {
    ("*", " (did you mean '{name}'?)"): " (是指 '{name}' 吗?)",
    ("*", "'{name}' applied: no longer carved again"): "'{name}' 已应用: 不再重新切削",
    (
        "*",
        "'{name}' carved: {change}, {faces:,} faces, {total:.2f} s (of that read {read:.2f}, write {write:.2f})",
    ): ("'{name}' 已切削: {change}，{faces:,} 个面，{total:.2f} 秒 (其中读取 {read:.2f}，写入 {write:.2f})"),
    (
        "*",
        "'{name}' encloses no volume of a voxel: it is flat, thin, or too open; close it, or use smaller voxels",
    ): ("'{name}' 没有围出一个体素的体积: 它太平、太薄或太敞开; 请将其封闭，或使用更小的体素"),
    (
        "*",
        "'{name}' fitted: {mean} off the groove on average, {largest} at most",
    ): "已贴合'{name}'：平均偏离凹槽 {mean}，最多 {largest}",
    ("*", "'{name}' has modifiers or shape keys: apply them"): "'{name}'有修改器或形态键：请应用它们",
    (
        "*",
        "'{name}' has NURBS curves with custom knots, which cannot be read: choose other knots",
    ): ("'{name}' 含有自定义节点的 NURBS 曲线，无法读取: 请选择其他节点"),
    ("*", "'{name}' has a scale of zero: give it another"): "'{name}' 的缩放为零: 请给出其他值",
    ("*", "'{name}' has a transform that is not made of numbers: clear it"): "'{name}' 的变换不是数字: 请清除",
    ("*", "'{name}' has coordinates that are not numbers: delete them"): "'{name}' 有不是数字的坐标: 请删除",
    (
        "*",
        "'{name}' has each face twice, facing both ways: one side was taken",
    ): ("'{name}' 的每个面都有两份，朝向两侧: 取了其中一侧"),
    (
        "*",
        "'{name}' has holes too large to be closed ({count} open edges): close them",
    ): ("'{name}' 的孔洞太大，无法封闭 ({count} 条开放边): 请先封闭"),
    (
        "*",
        "'{name}' has its normals inverted: it was taken as solid all the same",
    ): ("'{name}' 的法线是反的: 仍将其视为实体"),
    (
        "*",
        "'{name}' has no faces: choose a mesh with a surface as the stock",
    ): ("'{name}' 没有面: 请选择有表面的网格作为毛坯"),
    (
        "*",
        "'{name}' has no mesh of its own to replace: use Object > Apply > Make Instances Real, or switch "
        "Replace Stock off",
    ): ("'{name}' 没有可替换的自身网格: 请使用 物体 > 应用 > 使实例独立化，或关闭替换毛坯"),
    ("*", "'{name}' has no path: add one"): "'{name}' 没有路径: 请添加一条",
    ("*", "'{name}' has no size: all its vertices lie in one place"): "'{name}' 没有大小: 所有顶点都在同一处",
    (
        "*",
        "'{name}' has shape keys, which fit its faces only as they are: delete them, or apply",
    ): ("'{name}' 有形态键，只适合其现有的面: 请将其删除，或应用"),
    (
        "*",
        "'{name}' has shape keys, which no boolean can keep: apply or delete them, or choose Remesh",
    ): ("'{name}' 有形态键，布尔无法保留: 请将其应用或删除，或选择重构网格"),
    (
        "*",
        "'{name}' has {bad} of {count} vertices with coordinates that are not numbers: delete them",
    ): ("'{name}' 的 {count} 个顶点中有 {bad} 个坐标不是数字: 请删除"),
    (
        "*",
        "'{name}' has {count} faces that lie back to back: they cancel out",
    ): ("'{name}' 有 {count} 个面背靠背: 它们相互抵消"),
    (
        "*",
        "'{name}' has {far} of {count} vertices farther out than 1e12: the data is damaged",
    ): ("'{name}' 的 {count} 个顶点中有 {far} 个远于 1e12: 数据已损坏"),
    (
        "*",
        "'{name}' has {turned:,} of {count:,} triangles that look the other way: they were turned round",
    ): ("'{name}' 的 {count:,} 个三角形中有 {turned:,} 个朝向相反: 已将其翻转"),
    (
        "*",
        "'{name}' holds instances, whose faces no boolean can keep: use Object > Apply > Make Instances Real, "
        "or choose Remesh",
    ): ("'{name}' 含有实例，其面无法由布尔保留: 请使用 物体 > 应用 > 使实例独立化，或选择重构网格"),
    (
        "*",
        "'{name}' instances no mesh with faces: choose another stock",
    ): ("'{name}' 没有实例化有面的网格: 请选择其他毛坯"),
    (
        "*",
        "'{name}' is a volume, which no mesh can replace: switch Replace Stock off",
    ): ("'{name}' 是体积，网格无法替换它: 请关闭替换毛坯"),
    ("*", "'{name}' is being edited: switch to Object Mode"): "'{name}' 正在编辑: 请切换到物体模式",
    (
        "*",
        "'{name}' is disabled in viewports or not in the view layer, and so Blender keeps it unevaluated: enable it",
    ): ("'{name}' 在视图中被禁用或不在视图层中，因此 Blender 不对其求值: 请启用"),
    (
        "*",
        "'{name}' is disabled in viewports or not in the view layer: enable it",
    ): ("'{name}' 在视图中被禁用或不在视图层中: 请启用"),
    ("*", "'{name}' is in Edit Mode: switch to Object Mode"): "'{name}' 处于编辑模式: 请切换到物体模式",
    (
        "*",
        "'{name}' is in Sculpt Mode: switch to Object Mode, or switch Replace Stock off",
    ): ("'{name}' 处于雕刻模式: 请切换到物体模式，或关闭替换毛坯"),
    ("*", "'{name}' is linked from another file: make it local"): "'{name}' 链接自其他文件: 请将其本地化",
    (
        "*",
        "'{name}' is linked from another file: make it local, or switch Replace Stock off",
    ): ("'{name}' 链接自其他文件: 请将其本地化，或关闭替换毛坯"),
    ("*", "'{name}' is linked: make it local"): "'{name}'是链接的：请使其成为本地",
    (
        "*",
        "'{name}' is no path: choose a curve, a text, or a mesh of edges without faces",
    ): ("'{name}' 不是路径: 请选择曲线、文本或只有边而没有面的网格"),
    (
        "*",
        "'{name}' is not a mesh: choose a mesh with faces as the stock",
    ): ("'{name}' 不是网格: 请选择有面的网格作为毛坯"),
    (
        "*",
        "'{name}' has holes ({count} open edges): they were filled",
    ): ("'{name}' 有孔洞 ({count} 条开放边): 已填补"),
    (
        "*",
        "progress is a {kind}: give a function, which is called with the stage and the fraction done",
    ): "progress 是 {kind}: 请给出一个函数，它会以阶段和已完成的比例被调用",
    (
        "*",
        "'{name}' is scaled unevenly: its radii are multiplied by the mean scale",
    ): "'{name}' 的缩放不均匀：其半径乘以平均缩放",
    (
        "*",
        "'{name}' is scaled unevenly: its bevel is taken as round, with the mean scale",
    ): ("'{name}' 的缩放不均匀: 其倒角按平均缩放视为圆形"),
    (
        "*",
        "'{name}' keeps the coarse preview that it shows: undo and update it first, if not meant",
    ): ("'{name}' 保留所显示的粗略预览: 若非本意，请撤销并先更新"),
    (
        "*",
        "'{name}' lists {count} faces that are there already: each counts once",
    ): ("'{name}' 列出了 {count} 个已有的面: 每个只计一次"),
    ("*", "'{name}' made of {count} balls"): "'{name}' 由 {count} 个球生成",
    ("*", "'{name}' made of {count} paths"): "'{name}' 由 {count} 条路径生成",
    ("*", "'{name}' made of {count} strokes"): "'{name}' 由 {count} 条笔画生成",
    ("*", "'{name}' made: {count:,} faces, {seconds:.2f} s"): "'{name}' 已生成: {count:,} 个面，{seconds:.2f} 秒",
    ("*", "'{name}' made: {count} frames, {seconds:.2f} s"): "'{name}' 已生成: {count} 帧，{seconds:.2f} 秒",
    (
        "*",
        "'{name}' shares its curve with other objects: make it single user",
    ): "'{name}'与其他物体共用曲线：请使其成为单用户",
    (
        "*",
        "'{name}' shares its mesh with another result: make it a single user, or apply",
    ): ("'{name}' 与另一个结果共用网格: 请使其单用户化，或应用"),
    (
        "*",
        "'{name}' turns into {count} faces: a path is a curve, or edges without faces",
    ): ("'{name}' 变成 {count} 个面: 路径应是曲线，或没有面的边"),
    (
        "*",
        "'{name}' was prepared for a voxel size of {prepared}, not {voxel_size}: prepare it anew",
    ): ("'{name}' 是为体素大小 {prepared} 准备的，而不是 {voxel_size}: 请重新准备"),
    ("*", "'{name}' was remeshed, not kept: {reason}"): "'{name}' 被重构网格，而未保留: {reason}",
    (
        "*",
        "'{name}' would be carved from itself: choose another stock or path",
    ): ("'{name}' 会由自身切削: 请选择其他毛坯或路径"),
    ("*", "'{text}' is not a number"): "'{text}' 不是数字",
    ("*", "Compiled kernels cleared: {memory}"): "已清除编译的内核: {memory}",
    ("*", "Live Update was switched off: {error}"): "实时更新已关闭: {error}",
    (
        "*",
        "no surface within {reach} of the path faces it: move the path into the groove, or allow a longer reach",
    ): ("路径 {reach} 范围内没有朝向它的表面: 请将路径移入凹槽，或允许更大的范围"),
    ("*", "NUMBA_DISABLE_JIT keeps numba from compiling: unset it"): "NUMBA_DISABLE_JIT 使 Numba 无法编译: 请取消设置",
    (
        "*",
        "NUMBA_NUM_THREADS is '{asked}': unset it, or set it to a whole number from 1 to {most}",
    ): ("NUMBA_NUM_THREADS 是 '{asked}': 请取消设置，或设为 1 到 {most} 的整数"),
    ("*", "Not carved at this frame: another job was running"): "此帧未切削: 另一个作业正在运行",
    (
        "*",
        "Not carved in renders: switch Lock Interface on, in the menu Render",
    ): ("渲染中未切削: 请在渲染菜单中打开锁定界面"),
    ("*", "reach"): "范围",
    ("*", "Select one mesh with a groove, and one curve along the groove"): "请选择一个有凹槽的网格和一条沿凹槽的曲线",
    ("*", "Update on Frame Change was switched off: {error}"): "帧变更时更新已关闭: {error}",
    (
        "*",
        "Warp does not start ({error}): update the graphics driver, or {remedy}",
    ): ("Warp 无法启动 ({error}): 请更新显卡驱动，或{remedy}"),
    (
        "*",
        "Warp finds no CUDA device: update the driver of the NVIDIA graphics card, or choose cpu",
    ): ("Warp 找不到 CUDA 设备: 请更新 NVIDIA 显卡的驱动，或选择 cpu"),
    ("*", "Warp has no device '{name}': choose {names}"): "Warp 没有设备 '{name}': 请选择 {names}",
    ("*", "Warp is not installed ({error}): {remedy}"): "未安装 Warp ({error}): {remedy}",
    (
        "*",
        "a curve would take {count:,} points, {tolerance} from it at most: use larger voxels",
    ): ("一条曲线需要 {count:,} 个点，与其相距至多 {tolerance}: 请使用更大的体素"),
    ("*", "a grid's origin has the shape {shape}: give (x, y, z)"): "栅格原点的形状为 {shape}: 请给出 (x, y, z)",
    ("*", "a material of '{name}'"): "'{name}' 的材质",
    ("*", "a mesh that the job keeps was purged meanwhile: start it again"): "作业所保留的网格已被清除: 请重新开始",
    (
        "*",
        "a path is a Path or a pair (points, radii), and path {number} is a {kind}",
    ): ("路径应是 Path 或一对 (points, radii)，而路径 {number} 是 {kind}"),
    ("*", "a result"): "结果",
    ("*", "a sweep needs at least one segment, and an end for each start"): "扫掠至少需要一段，且每个起点都有终点",
    ("*", "a sweep's points must be finite numbers"): "扫掠的点必须是有限的数",
    ("*", "a sweep's radii must be positive numbers"): "扫掠的半径必须是正数",
    (
        "*",
        "an offset of {distance} is less than a voxel ({voxel_size}): offset by more, or make the voxels smaller",
    ): ("偏移 {distance} 小于一个体素 ({voxel_size}): 请加大偏移，或减小体素"),
    ("*", "belongs to someone else"): "属于其他人",
    (
        "*",
        "box '{name}': each coordinate of the second corner must be greater than the first's",
    ): ("方块 '{name}': 第二个角的每个坐标都必须大于第一个角的"),
    ("*", "can be written to by others"): "可被其他人写入",
    ("*", "chord tolerance"): "弦公差",
    ("*", "delete it, and it is made anew"): "请将其删除，随后会重新创建",
    ("*", "edges {rms:.4f} RMS, {largest:.3f} at most"): "边 {rms:.4f} RMS，至多 {largest:.3f}",
    ("*", "face centroids {rms:.4f} RMS, {largest:.3f} at most"): "面心 {rms:.4f} RMS，至多 {largest:.3f}",
    ("*", "frame {frame}: {error}"): "第 {frame} 帧: {error}",
    (
        "*",
        "grid origin is not finite: move the object nearer to the world's origin",
    ): ("栅格原点不是有限的: 请将物体移近世界原点"),
    (
        "*",
        "grid shape {shape}: give (Z, Y, X), whole numbers of voxels, at least one of each",
    ): ("栅格形状 {shape}: 请给出 (Z, Y, X)，均为整数个体素，至少各一个"),
    (
        "*",
        "half_width {width:g}: it is in voxels, from 1 to {most}; or 0 for no narrow band",
    ): ("half_width {width:g}: 以体素计，从 1 到 {most}; 或 0 表示没有窄带"),
    (
        "*",
        "install it with pip install 'voxel-carve[cuda]', or install the extension's cuda flavour instead of "
        "the cpu one",
    ): ("请用 pip install 'voxel-carve[cuda]' 安装，或安装扩展的 cuda 版本以代替 cpu 版本"),
    ("*", "install it with pip install numba"): "请用 pip install numba 安装",
    ("*", "is a symbolic link"): "是符号链接",
    ("*", "is not a folder"): "不是文件夹",
    (
        "*",
        "is not a text file: export the toolpath as comma separated values in UTF-8",
    ): ("不是文本文件: 请将刀具路径导出为 UTF-8 的逗号分隔值"),
    ("*", "it is no manifold"): "它不是流形",
    ("*", "it is open, and the paths come near a hole of it"): "它是开放的，且路径靠近它的孔洞",
    ("*", "it is thinner than twice the offset"): "它比偏移的两倍还薄",
    ("*", "job"): "作业",
    (
        "*",
        "kernels are being compiled: wait until they are ready, and clear them then",
    ): ("正在编译内核: 请等待完成，然后再清除"),
    ("*", "make it yours, writable for you alone"): "请使其归您所有，且只有您可以写入",
    (
        "*",
        "make it yours, writable for you alone, or name another in {variable}",
    ): "请使其归您所有，且只有您可以写入，或在 {variable} 中指定另一个文件夹",
    (
        "*",
        "memory ran out while carving: choose larger voxels, or a lower memory limit",
    ): ("切削时内存耗尽: 请选择更大的体素，或更低的内存上限"),
    ("*", "no frames from {start} to {end}: choose a later end"): "从 {start} 到 {end} 没有帧: 请选择更晚的结束帧",
    ("*", "no path: select a curve, or give a toolpath"): "没有路径: 请选择曲线，或给出刀具路径",
    ("*", "no process could be started for the {task} ({error})"): "无法为{task}启动进程 ({error})",
    ("*", "no process could be started to compile the fast kernels ({error})"): "无法启动进程来编译快速内核 ({error})",
    ("*", "no voxel's centre is inside: make the voxels smaller"): "没有体素的中心在内部: 请减小体素",
    (
        "*",
        "nothing is left of '{name}': the paths carve all of it away; check the radius, or carve less",
    ): ("'{name}' 没有剩余: 路径将其全部切除; 请检查半径，或减少切削"),
    ("*", "nothing is left of '{name}': the paths do not reach it"): "'{name}' 没有剩余: 路径没有到达它",
    (
        "*",
        "nothing is left of '{name}': what the paths share with it is thinner than a voxel; {remedy}",
    ): ("'{name}' 没有剩余: 路径与其共有的部分比一个体素还薄; {remedy}"),
    ("*", "nothing is left of '{name}': {hint}"): "'{name}' 没有剩余: {hint}",
    ("*", "numba does not start ({error}): {remedy}"): "Numba 无法启动 ({error}): {remedy}",
    ("*", "numba is not installed: {remedy}"): "未安装 Numba: {remedy}",
    ("*", "off the exact surface, in voxels: {parts}"): "与精确表面的偏差，以体素计: {parts}",
    ("*", "path '{name}' has no points: draw at least one"): "路径 '{name}' 没有点: 请至少画一个",
    (
        "*",
        "path '{name}' has {bad} of {count} points whose coordinates are not numbers or are too large",
    ): ("路径 '{name}' 的 {count} 个点中有 {bad} 个坐标不是数字或过大"),
    (
        "*",
        "path '{name}' has {bad} of {count} points whose radius is not a positive number: give each a radius",
    ): ("路径 '{name}' 的 {count} 个点中有 {bad} 个半径不是正数: 请给每个点一个半径"),
    (
        "*",
        "path '{name}' has {bad} of {count} points whose weight is not positive",
    ): ("路径 '{name}' 的 {count} 个点中有 {bad} 个权重不是正数"),
    (
        "*",
        "path '{name}' would take more than {most:,} points: use larger voxels",
    ): ("路径 '{name}' 需要超过 {most:,} 个点: 请使用更大的体素"),
    ("*", "path '{name}': {error}"): "路径 '{name}': {error}",
    ("*", "radius"): "半径",
    (
        "*",
        "resolution {resolution}: it must be a whole number of voxels, at least 1",
    ): ("分辨率 {resolution}: 必须是整数个体素，至少 1"),
    ("*", "simplifying needs numba: {error}; or set the adaptivity to 0"): "简化需要 Numba: {error}; 或将自适应设为 0",
    (
        "*",
        "the fast kernels could not be compiled (status {status}), see {log}",
    ): ("快速内核无法编译 (状态 {status})，请见 {log}"),
    (
        "*",
        "the fast kernels were compiled for this process alone, because {error}",
    ): ("快速内核只为此进程编译，因为 {error}"),
    ("*", "the file of volume '{name}' cannot be loaded: {error}"): "体积 '{name}' 的文件无法加载: {error}",
    (
        "*",
        "the folder for compiled kernels, {path}, cannot be made: {fault}",
    ): ("编译内核的文件夹 {path} 无法创建: {fault}"),
    (
        "*",
        "the folder for compiled kernels, {path}, cannot be written to: {fault}",
    ): ("编译内核的文件夹 {path} 无法写入: {fault}"),
    ("*", "the folder for compiled kernels, {path}, {fault}: {remedy}"): "编译内核的文件夹 {path} {fault}: {remedy}",
    ("*", "the grids of volume '{name}' cannot be saved: {error}"): "体积 '{name}' 的栅格无法保存: {error}",
    (
        "*",
        "the job has more than 2^31 elements in one array of {name}: choose cpu",
    ): ("作业在 {name} 的一个数组中有超过 2^31 个元素: 请选择 cpu"),
    (
        "*",
        "the job needs about {needed} and may take {allowed}: a voxel size of {voxel_size} would fit",
    ): ("作业约需 {needed}，而只能占用 {allowed}: 体素大小 {voxel_size} 可以容纳"),
    (
        "*",
        "the job needs about {needed} and may take {allowed}: no voxel size would fit; raise the limit, or "
        "give it fewer faces and segments",
    ): ("作业约需 {needed}，而只能占用 {allowed}: 任何体素大小都无法容纳; 请提高上限，或减少面和线段"),
    (
        "*",
        "the kernels cannot be compiled for {device} ({error}): choose cpu",
    ): ("内核无法为 {device} 编译 ({error}): 请选择 cpu"),
    ("*", "the others leave nothing of it"): "其他物体使其没有剩余",
    ("*", "the paths do not touch '{name}': it comes back whole"): "路径没有碰到 '{name}': 它原样返回",
    ("*", "the paths lie inside '{name}': it comes back whole"): "路径位于 '{name}' 内部: 它原样返回",
    (
        "*",
        "the process of the boolean ended with status {status}, perhaps for want of memory: use larger "
        "voxels, or choose Remesh",
    ): ("布尔进程以状态 {status} 结束，可能因为内存不足: 请使用更大的体素，或选择重构网格"),
    (
        "*",
        "the process of the job ended with status {status}, perhaps for want of memory: use larger voxels, or "
        "set a memory limit",
    ): ("作业进程以状态 {status} 结束，可能因为内存不足: 请使用更大的体素，或设置内存上限"),
    (
        "*",
        "the process that writes the volume ended with status {status}, perhaps for want of memory: use "
        "larger voxels, or make a mesh",
    ): ("写入体积的进程以状态 {status} 结束，可能因为内存不足: 请使用更大的体素，或生成网格"),
    (
        "*",
        "the progress function raised StopIteration: raise CarveCancelled to stop the job",
    ): "progress 函数抛出了 StopIteration: 要停止任务，请抛出 CarveCancelled",
    ("*", "the result is not closed: please report this as a bug"): "结果没有封闭: 请作为错误报告",
    ("*", "the scene"): "场景",
    (
        "*",
        "the size of a voxel: give either voxel_size or resolution",
    ): ("体素的大小: 请给出 voxel_size 或 resolution 之一"),
    (
        "*",
        "the stock of '{name}' was deleted: choose another, or apply",
    ): ("'{name}' 的毛坯已被删除: 请选择其他毛坯，或应用"),
    (
        "*",
        "the surface leaves the bricks where it was looked for: please report this as a bug",
    ): ("表面超出了寻找它的块: 请作为错误报告"),
    ("*", "the surface to simplify is not closed"): "要简化的表面没有封闭",
    (
        "*",
        "there is no CUDA device {number}: choose another, there is {last}",
    ): ("没有 CUDA 设备 {number}: 请选择其他设备，现有 {last}"),
    (
        "*",
        "CUDA device {number} is too old for Warp: choose another, or cpu",
    ): ("CUDA 设备 {number} 对 Warp 来说太旧: 请选择其他设备，或 cpu"),
    (
        "*",
        "the NVIDIA driver does not start ({error}): restart the computer, or install the driver anew, or choose cpu",
    ): ("NVIDIA 驱动无法启动 ({error}): 请重启计算机，或重新安装驱动，或选择 cpu"),
    (
        "*",
        "the NVIDIA driver finds no graphics card, and CUDA_VISIBLE_DEVICES is '{value}', which hides "
        "others: unset it, or choose cpu",
    ): ("NVIDIA 驱动找不到显卡，而 CUDA_VISIBLE_DEVICES 为 '{value}'，会隐藏其他显卡: 请取消该变量，或选择 cpu"),
    (
        "*",
        "the NVIDIA driver finds no graphics card: check that one is installed and switched on, or choose cpu",
    ): ("NVIDIA 驱动找不到显卡: 请检查显卡是否已安装并启用，或选择 cpu"),
    (
        "*",
        "the NVIDIA driver is damaged ({error}): install it anew, or choose cpu",
    ): ("NVIDIA 驱动已损坏 ({error}): 请重新安装，或选择 cpu"),
    (
        "*",
        "the NVIDIA driver is too old: it has CUDA {found}, and Warp needs {needed}; install version "
        "{release} or newer, or choose cpu",
    ): ("NVIDIA 驱动太旧: 其 CUDA 版本为 {found}，而 Warp 需要 {needed}; 请安装 {release} 或更新的版本，或选择 cpu"),
    (
        "*",
        "the graphics card is too old: it has compute capability {found}, and Warp needs {needed}; choose cpu",
    ): ("显卡太旧: 其计算能力为 {found}，而 Warp 需要 {needed}; 请选择 cpu"),
    (
        "*",
        "CUDA needs an NVIDIA driver: install version {release} or newer, for an NVIDIA graphics card, or choose cpu",
    ): ("CUDA 需要 NVIDIA 驱动，但未找到: 请为 NVIDIA 显卡安装 {release} 或更新的版本，或选择 cpu"),
    (
        "*",
        "there is no folder for compiled kernels: HOME names no folder of the user's",
    ): ("没有编译内核的文件夹: HOME 没有指明用户的文件夹"),
    ("*", "there is no material '{name}': choose another, or none"): "没有材质 '{name}': 请选择其他材质，或不选",
    (
        "*",
        "to keep the stock takes manifold3d, which the extension brings along: install its zip again, or choose Remesh",
    ): ("保留毛坯需要扩展所带的 manifold3d: 请重新安装其 zip，或选择重构网格"),
    ("*", "tolerance"): "公差",
    ("*", "true edges {rms:.4f} RMS, {largest:.3f} at most"): "真实边 {rms:.4f} RMS，至多 {largest:.3f}",
    ("*", "unknown operation '{operation}': choose {choices}"): "未知操作 '{operation}': 请选择 {choices}",
    ("*", "use voxels of at most {voxel_size}, or a larger radius"): "请使用至多 {voxel_size} 的体素，或更大的半径",
    ("*", "vertices {rms:.4f} RMS, {largest:.3f} at most"): "顶点 {rms:.4f} RMS，至多 {largest:.3f}",
    ("*", "volume '{name}'"): "体积 '{name}'",
    (
        "*",
        "volume '{name}' has no grid of numbers: choose a level set or a fog",
    ): ("体积 '{name}' 没有数值栅格: 请选择水平集或雾"),
    ("*", "volume {volume} added"): "增加体积 {volume}",
    ("*", "volume {volume} removed"): "去除体积 {volume}",
    (
        "*",
        "volumes need the openvdb module, which this Python does not have: use Blender as blender.org builds it, or "
        "bpy from the Python Package Index",
    ): ("体积需要 openvdb 模块，而此 Python 没有: 请使用 blender.org 构建的 Blender，或 Python Package Index 的 bpy"),
    ("*", "voxel size"): "体素大小",
    (
        "*",
        "voxel size {voxel_size} is larger than '{name}', whose longest side is {longest}: try {suggested}",
    ): ("体素大小 {voxel_size} 大于 '{name}'，其最长边为 {longest}: 请尝试 {suggested}"),
    (
        "*",
        "voxel size {voxel_size} is too small for a size of {size}",
    ): ("体素大小 {voxel_size} 对于大小 {size} 来说太小"),
    (
        "*",
        "voxel size {voxel_size} makes no grid for '{name}', of {longest}",
    ): ("体素大小 {voxel_size} 无法为 '{name}' (大小 {longest}) 构成栅格"),
    (
        "*",
        "what the paths add to '{name}' is thinner than a voxel: it comes back whole; {remedy}",
    ): ("路径添加到 '{name}' 的部分比一个体素还薄: 它原样返回; {remedy}"),
    (
        "*",
        "what the paths take out of '{name}' is thinner than a voxel: it comes back whole; {remedy}",
    ): ("路径从 '{name}' 去除的部分比一个体素还薄: 它原样返回; {remedy}"),
    ("*", "{backend} on {device}"): "{device} 上的 {backend}",
    ("*", "{count} objects applied: no longer carved again"): "{count} 个物体已应用: 不再重新切削",
    (
        "*",
        "{error}: let this user have more processes and threads, or end others",
    ): ("{error}: 请允许此用户有更多进程和线程，或结束其他进程"),
    ("*", "{error}; it was not kept, because {reason}"): "{error}; 它未被保留，因为{reason}",
    ("*", "{filename} in {path} cannot be deleted: {fault}"): "{path} 中的 {filename} 无法删除: {fault}",
    ("*", "{file} cannot be read as {suffix}: {error}"): "{file} 无法作为 {suffix} 读取: {error}",
    ("*", "{file} could not be written: {error}"): "{file} 无法写入: {error}",
    (
        "*",
        "{file} has no column 'radius': add one, or give a radius",
    ): ("{file} 没有 'radius' 列: 请添加一列，或给出半径"),
    ("*", "{file} has no points: give at least one line under the header"): "{file} 没有点: 请在表头下给出至少一行",
    (
        "*",
        "{file} is empty: it needs the header x,y,z[,radius][,path] and a line for each point",
    ): ("{file} 是空的: 它需要表头 x,y,z[,radius][,path]，以及每个点一行"),
    (
        "*",
        "{file} is not a toolpath that we read: export it as {choices}",
    ): ("{file} 不是我们能读取的刀具路径: 请导出为 {choices}"),
    ("*", "{file} is too large: {error}"): "{file} 太大: {error}",
    ("*", "{file}, line {line}, column '{name}': {fault}"): "{file}，第 {line} 行，'{name}' 列: {fault}",
    (
        "*",
        "{file}, line {line}: path '{label}' ended in line {last} already: put the points of a path together",
    ): ("{file}，第 {line} 行: 路径 '{label}' 已在第 {last} 行结束: 请将同一路径的点放在一起"),
    (
        "*",
        "{file}, line {line}: {count} fields where the header has {expected} ({header})",
    ): ("{file}，第 {line} 行: 有 {count} 个字段，而表头有 {expected} 个 ({header})"),
    (
        "*",
        "{file}: a volume needs the narrow band: carve with half_width=3",
    ): ("{file}: 体积需要窄带: 请用 half_width=3 切削"),
    (
        "*",
        "{name} has no room left ({error}): use larger voxels, or cpu",
    ): ("{name} 没有剩余空间 ({error}): 请使用更大的体素，或 cpu"),
    (
        "*",
        "{name} has {free:.0f} MiB of memory free, and the job needs about {needed:.0f} MiB: use larger "
        "voxels, or choose cpu",
    ): ("{name} 有 {free:.0f} MiB 可用内存，而作业约需 {needed:.0f} MiB: 请使用更大的体素，或选择 cpu"),
    ("*", "{name} was deleted meanwhile: nothing was changed"): "{name} 已被删除: 没有任何更改",
    ("*", "{name} {length:g}: it must be a positive length"): "{name} {length:g}: 必须是正的长度",
    ("*", "{name} {value}: it must be a number of bytes"): "{name} {value}: 必须是字节数",
    (
        "*",
        "{owner} has faces of shape {shape}: give (M, 3), three indices for each triangle",
    ): ("{owner} 的面的形状为 {shape}: 请给出 (M, 3)，每个三角形三个索引"),
    (
        "*",
        "{owner} has faces of unequal size: give (M, 3), three indices for each triangle",
    ): ("{owner} 的面大小不一: 请给出 (M, 3)，每个三角形三个索引"),
    (
        "*",
        "{owner} has faces that refer to missing vertices: the data is damaged",
    ): ("{owner} 的面引用了不存在的顶点: 数据已损坏"),
    (
        "*",
        "{owner} has faces whose indices are not whole numbers: give integers",
    ): ("{owner} 的面的索引不是整数: 请给出整数"),
    (
        "*",
        "{owner} has points of shape {shape}: give (N, 3), a row (x, y, z) for each point",
    ): ("{owner} 的点的形状为 {shape}: 请给出 (N, 3)，每个点一行 (x, y, z)"),
    (
        "*",
        "{owner} is not an array of numbers with rows of one length: {error}",
    ): ("{owner} 不是各行等长的数字数组: {error}"),
    ("*", "{text} is larger than {largest:g}"): "{text} 大于 {largest:g}",
    ("*", "{text} is not a finite number"): "{text} 不是有限的数",
    ("*", "{text} is not a positive radius"): "{text} 不是正的半径",
    ("*", "{what} {shown}: it must be a positive length"): "{what} {shown}: 必须是正的长度",
    (
        "*",
        "a volume is a file beside the .blend: save that first, or choose a Volume Folder under Options",
    ): "体积是 .blend 旁边的文件: 请先保存 .blend，或在“选项”中选择体积文件夹",
    (
        "*",
        "'{name}' is itself the result of a carve: show and select its stock for a new one",
    ): "'{name}' 本身就是切削的结果: 要重新切削，请显示并选择它的毛坯",
    (
        "*",
        "'{name}' carved: {change}, {total:.2f} s (of that read {read:.2f}, write {write:.2f}); its file is {file}",
    ): ("'{name}' 已切削: {change}，{total:.2f} 秒（其中读取 {read:.2f}，写入 {write:.2f}）；文件为 {file}"),
    ("*", "backend '{name}' cannot be loaded: {error}"): ("无法加载后端 '{name}': {error}"),
    ("*", "backend '{name}' cannot be started: {error}"): ("无法启动后端 '{name}': {error}"),
    ("*", "backend '{name}' has operations on occupancies alone, and cannot carve a mesh: choose another"): (
        "后端 '{name}' 只能对占据数组运算，无法切削网格: 请选择其他后端"
    ),
    (
        "*",
        "backend '{name}' lacks {lacking}, of the protocol {protocol}: update what brings it, or choose another",
    ): ("后端 '{name}' 缺少协议 {protocol} 的 {lacking}: 请更新提供它的软件，或选择其他后端"),
    ("*", "backend '{name}' is no backend: its factory gave a {kind}"): (
        "后端 '{name}' 不是后端: 其 factory 返回了 {kind}"
    ),
    ("*", "the factory of backend '{name}' is no function"): ("后端 '{name}' 的 factory 不是函数"),
    ("*", "'{name}' is no name for a backend: use small letters, and not auto or numba"): (
        "'{name}' 不能作为后端的名称: 请使用小写字母，且不能是 auto 或 numba"
    ),
    ("*", "there is a backend '{name}' already: choose another name"): ("已有后端 '{name}': 请选择其他名称"),
    ("*", "unknown backend '{name}': choose auto, cpu, cuda or cuda:N (a device's number){others}"): (
        "未知后端 '{name}': 请选择 auto、cpu、cuda 或 cuda:N (设备编号){others}"
    ),
    (
        "*",
        "'{name}' has faces behind its sheets, where all is solid: carve its parts one by one, or fill its holes",
    ): ("'{name}' 在片体后面（全为实体处）还有面: 请逐个切削其部分，或填补其孔洞"),
    (
        "*",
        "'{name}' is a sheet whose sides cannot be told apart, like a Möbius strip: cut it, or fill its holes",
    ): ("'{name}' 是无法区分两面的片体，如莫比乌斯带：请将其切开，或填补其孔洞"),
    ("*", "'{name}' is a sheet: it was carved as solid behind its faces"): "'{name}' 是片体：已按面后为实体进行切削",
    (
        "*",
        "'{name}' is only {size} across: scale it up, with all that goes with it",
    ): "'{name}' 的尺寸仅为 {size}: 请将它和所有相关内容一起放大",
    (
        "*",
        "unknown open_stock '{open_stock}': choose {choices}",
    ): "未知的 open_stock '{open_stock}': 请从 {choices} 中选择",
    (
        "*",
        "a shell of '{name}' lies inside another and looks the same way: it was filled; flip its normals if it "
        "is a hollow",
    ): "'{name}' 的一个壳位于另一个壳之内且朝向相同: 已被填实; 若它是空腔，请翻转其法线",
    (
        "*",
        "{count} shells of '{name}' lie inside others and look the same way: they were filled; flip their "
        "normals if they are hollows",
    ): "'{name}' 的 {count} 个壳位于其他壳之内且朝向相同: 已被填实; 若它们是空腔，请翻转其法线",
    (
        "*",
        "'{name}' lost {share:.0%} of its surface away from the paths, because its holes had to be filled: "
        "close them, or take it as a sheet",
    ): "'{name}' 在远离路径处失去了 {share:.0%} 的表面，因为其孔洞必须填补: 请将其封闭，或作为片体切削",
    (
        "*",
        "'{name}' lost {share:.0%} of its surface away from the paths, because it is thinner than a voxel "
        "there: use voxels of at most {voxel_size}, or keep the stock",
    ): (
        "'{name}' 在远离路径处失去了 {share:.0%} 的表面，因为那里比一个体素还薄: 请使用至多 {voxel_size} 的体素，或"
        "保留毛坯"
    ),
    (
        "*",
        "a mesh is a TriMesh, a Surface, a pair (points, triangles) or a trimesh.Trimesh, and this is a {kind}",
    ): "网格可以是 TriMesh、Surface、一对 (points, triangles) 或 trimesh.Trimesh，而这是 {kind}",
    (
        "*",
        "a radius of {radius} is less than a voxel, so the cut is smaller than the path: {remedy}",
    ): "半径 {radius} 小于一个体素，因此切口比路径小: {remedy}",
    ("*", "a point of the paths has a radius of 0: it was left out"): "路径有一个点的半径为 0: 已略去",
    (
        "*",
        "a {kind} does not say which segment made each face: give a result of carve, or its surface",
    ): "{kind} 没有说明每个面由哪个线段产生: 请给出 carve 的结果或其 surface",
    (
        "*",
        "a {kind} is neither a path nor a file that is open for writing bytes",
    ): "{kind} 既不是路径，也不是为写入字节而打开的文件",
    ("*", "labels is a {kind}: give Labels(stock, path)"): "labels 是 {kind}: 请给出 Labels(stock, path)",
    (
        "*",
        "OpenVDB writes a .vdb by its name: give a path, or write .nvdb",
    ): "OpenVDB 按文件名写入 .vdb: 请给出路径，或写入 .nvdb",
    (
        "*",
        "the file has no name that ends in a format: give one, such as suffix='.stl'",
    ): "文件名末尾没有格式: 请给出格式，例如 suffix='.stl'",
    (
        "*",
        "trimesh is not installed: install it with pip install trimesh",
    ): "未安装 trimesh: 请用 pip install trimesh 安装",
    (
        "*",
        "{count} points of the paths have a radius of 0: they were left out",
    ): "路径有 {count} 个点的半径为 0: 已略去",
    (
        "*",
        "no point of the paths has a radius: give some a radius of more than 0",
    ): "路径没有任何点有半径: 请给一些点大于 0 的半径",
    (
        "*",
        "the bevel of '{name}' ends where it starts: move its start or end",
    ): "'{name}' 的倒角在起点处结束：请移动其起点或终点",
    (
        "*",
        "'{name}' has an animated bevel depth, which is 0 at this frame: go to another frame",
    ): "'{name}' 的倒角深度带有动画，在此帧为 0：请转到另一帧",
    (
        "*",
        "'{name}' shows a part of its bevel: set its start to 0 and its end to 1",
    ): "'{name}' 只显示倒角的一部分：请将其起点设为 0、终点设为 1",
    (
        "*",
        "'{name}' is cut without its taper object: give its points radii",
    ): "'{name}' 雕刻时不使用锥化物体：请为各点设置半径",
    ("*", "'{name}' is cut without its extrusion: set Extrude to 0"): "'{name}' 雕刻时不包含挤出：请将挤出设为 0",
    ("*", "'{name}' is cut without its offset: set Offset to 0"): "'{name}' 雕刻时不包含偏移：请将偏移设为 0",
    (
        "*",
        "the bevel of '{name}' is not round: it is cut as round, as wide as it is",
    ): "'{name}' 的倒角不是圆形：按同等宽度的圆形雕刻",
    (
        "*",
        "the instances of '{name}' on '{parent}' are not cut: make them real",
    ): "'{parent}' 上 '{name}' 的实例不会被雕刻：请将其转为真实物体",
    (
        "*",
        "modifier {names} of '{name}' is not cut: remove the curve's bevel, extrusion and fill, and set a radius",
    ): "'{name}' 的修改器 {names} 不参与雕刻：请移除曲线的倒角、挤出和填充，并设置半径",
    (
        "*",
        "modifiers {names} of '{name}' are not cut: remove the curve's bevel, extrusion and fill, and set a radius",
    ): "'{name}' 的修改器 {names} 不参与雕刻：请移除曲线的倒角、挤出和填充，并设置半径",
    (
        "*",
        "modifier {names} of '{name}' is not cut: convert the curve to a mesh",
    ): "'{name}' 的修改器 {names} 不参与雕刻：请将曲线转换为网格",
    (
        "*",
        "modifiers {names} of '{name}' are not cut: convert the curve to a mesh",
    ): "'{name}' 的修改器 {names} 不参与雕刻：请将曲线转换为网格",
    (
        "*",
        "modifier {names} of '{name}' is not cut: convert the text to a curve",
    ): "'{name}' 的修改器 {names} 不参与雕刻：请将文本转换为曲线",
    (
        "*",
        "modifiers {names} of '{name}' are not cut: convert the text to a curve",
    ): "'{name}' 的修改器 {names} 不参与雕刻：请将文本转换为曲线",
    ("*", "all paths of '{name}' were deleted: add one, or apply"): "'{name}' 的所有路径都已删除：请添加一条，或应用",
    ("*", "path '{name}' was deleted: carved without it"): "路径 '{name}' 已删除：雕刻时未使用",
    ("*", "a path was deleted: carved without it"): "一条路径已删除：雕刻时未使用",
    ("*", "nothing was carved along a path: {error}"): "沿一条路径没有雕刻任何内容：{error}",
    (
        "*",
        "'{text}' has another decimal mark than line {other}, or marks thousands: write all numbers with one "
        "mark and no other",
    ): "'{text}' 的小数点与第 {other} 行不同，或带有千位分隔符: 请让所有数字只用同一种小数点",
    ("*", "'{text}' is no group code of a DXF file"): "'{text}' 不是 DXF 文件的组码",
    ("*", "'{text}' is not a number, or is too large"): "'{text}' 不是数字，或者太大",
    ("*", "<use> shows '{name}', which it is in itself"): "<use> 显示了包含它自身的 '{name}'",
    ("*", "a line needs points"): "线需要点",
    ("*", "a point needs three numbers"): "点需要三个数字",
    (
        "*",
        "character {character} of its {what} is '{text}', which may not stand there",
    ): "{what} 的第 {character} 个字符是 '{text}'，不能在此处",
    ("*", "elements are in each other more than {most} deep"): "元素嵌套超过 {most} 层",
    ("*", "elements use each other more than {most} times"): "元素互相使用超过 {most} 次",
    ("*", "it begins with <{name}>, and not with <{root}>"): "以 <{name}> 而不是 <{root}> 开头",
    ("*", "it has coordinates that are not numbers or are too large"): "有不是数字或太大的坐标",
    (
        "*",
        "it has the shape {shape}: give (N, 3) or (N, 4), with x, y, z and radius in its columns",
    ): "形状是 {shape}: 请给出 (N, 3) 或 (N, 4)，各列为 x、y、z 和半径",
    ("*", "it is not a text file"): "不是文本文件",
    ("*", "it is not well-formed XML ({error})"): "不是格式良好的 XML ({error})",
    ("*", "it refers to point {text}, and there are {count} so far"): "引用了点 {text}，但到此只有 {count} 个",
    ("*", "its {what} is '{text}', which cannot be read"): "{what} 是 '{text}'，无法读取",
    ("*", "its {what} is cut short"): "{what} 被截断",
    (
        "*",
        "the file has a document type (DTD) of its own, which we do not read: export it without",
    ): "文件带有自己的文档类型 (DTD)，我们不读取: 请不带它导出",
    ("*", "{file} does not name its columns: they were taken as {names}"): "{file} 没有列名: 已按 {names} 读取",
    ("*", "{file} has no path: export lines, curves or points into it"): "{file} 没有路径: 请导出线、曲线或点",
    (
        "*",
        "{file} has {columns} in {unit}: they were multiplied by {factor:g}",
    ): "{file} 的 {columns} 以 {unit} 为单位: 已乘以 {factor:g}",
    (
        "*",
        "{file} is cut short: it does not end with EOF, but with '{text}'",
    ): "{file} 被截断: 结尾是 '{text}' 而不是 EOF",
    ("*", "{file} is in {unit}"): "{file} 的单位是 {unit}",
    (
        "*",
        "{file} is in {unit}: its lengths were multiplied by {factor:g}",
    ): "{file} 的单位是 {unit}: 长度已乘以 {factor:g}",
    (
        "*",
        "{file} was projected about {latitude:.6f}, {longitude:.6f} (latitude, longitude): x is east, y north",
    ): "{file} 已围绕 {latitude:.6f}, {longitude:.6f} (纬度、经度) 投影: x 为东，y 为北",
    ("*", "{file}, array '{name}' cannot be read: {error}"): "{file}，无法读取数组 '{name}': {error}",
    ("*", "{file}, line {line} cannot be read as a table: {error}"): "{file}，第 {line} 行无法作为表格读取: {error}",
    ("*", "{file}, line {line}, column {column}: {fault}"): "{file}，第 {line} 行，第 {column} 列: {fault}",
    (
        "*",
        "{file}, line {line}: column {number} has the unit '{unit}': choose {choices}",
    ): "{file}，第 {line} 行: 第 {number} 列的单位是 '{unit}': 请从 {choices} 中选择",
    (
        "*",
        "{file}, line {line}: column {number} is '{name}'{hint}: the first line must name the columns, such as "
        "x,y,z,radius",
    ): "{file}，第 {line} 行: 第 {number} 列是 '{name}'{hint}: 第一行必须是列名，例如 x,y,z,radius",
    (
        "*",
        "{file}, line {line}: the column '{name}' is missing: the header is x,y,z[,radius][,path]",
    ): "{file}，第 {line} 行: 缺少 '{name}' 列: 表头为 x,y,z[,radius][,path]",
    ("*", "{file}, line {line}: the column '{name}' stands there twice"): "{file}，第 {line} 行: '{name}' 列出现了两次",
    ("*", "{file}, path {label}: {fault}"): "{file}，路径 {label}: {fault}",
    (
        "*",
        "{file}, row {row}, column '{column}': {value:g} is not a number that it can be",
    ): "{file}，第 {row} 行，'{column}' 列: {value:g} 不是有效的数字",
    (
        "*",
        "{file}: 'points' has the shape {shape} and 'radii' {other}: give (N, 3) and (N,)",
    ): "{file}: 'points' 的形状是 {shape}，'radii' 是 {other}: 请给出 (N, 3) 和 (N,)",
    ("*", "{file}: columns that we do not know were ignored: {names}"): "{file}: 已忽略未知的列: {names}",
    ("*", "{file}: commas in its numbers were read as decimal marks"): "{file}: 数字中的逗号已按小数点读取",
    (
        "*",
        "{file}: ezdxf is missing, which reads .dxf: install it (pip install ezdxf), or export the drawing as .svg",
    ): "{file}: 缺少读取 .dxf 的 ezdxf: 请安装 (pip install ezdxf)，或将图纸导出为 .svg",
    ("*", "{file}: it holds no numbers: give an array of floats"): "{file}: 不含数字: 请给出浮点数数组",
    ("*", "{file}: its columns are not of the same length"): "{file}: 各列长度不同",
    ("*", "{file}: left out, as they are no paths: {what}"): "{file}: 因不是路径而略去: {what}",
    ("*", "{file}: {count} points have no elevation: it was taken as 0"): "{file}: {count} 个点没有高程: 已取为 0",
    ("*", "{what} is '{text}', which is not a number"): "{what} 是 '{text}'，不是数字",
    ("*", "{what} is {value:g}, beyond {largest:g} degrees"): "{what} 是 {value:g}，超过 {largest:g} 度",
    ("*", "{file} has no radius: give one"): "{file} 没有半径：请给出一个",
    ("*", "{file}: a unit of the drawing is {length:g} m"): "{file}: 图纸的一个单位是 {length:g} m",
    ("*", "the file is a {kind}: give its path"): "文件是 {kind}：请给出其路径",
    (
        "*",
        "the bounds of a grid must be finite, and no minimum above its maximum",
    ): "网格的边界必须是有限的，且最小值不得大于最大值",
    ("*", "the bounds of a grid"): "网格的边界",
    (
        "*",
        "{what} {unit}: choose {choices}, or give its meters, a positive number",
    ): "{what} {unit}: 请选择 {choices}，或给出该单位的米数（正数）",
    (
        "*",
        "a grid is a Grid, and this is a {kind}: plan_grid makes one",
    ): "网格应为 Grid，而这是 {kind}: 可用 plan_grid 创建",
    (
        "*",
        "the bounds of a grid are of {kind}: give (2, 3), minimum and maximum (x, y, z), such as mesh.bounds()",
    ): "网格的边界为 {kind}: 请给出 (2, 3)，即最小值和最大值 (x, y, z)，例如 mesh.bounds()",
    (
        "*",
        "'{suffix}' is no suffix of a file: give one, such as '.stl'",
    ): "'{suffix}' 不是文件扩展名: 请给出一个，例如 '.stl'",
    ("*", "inches"): "英寸",
    ("*", "'{name}' made of one ball"): "'{name}' 由 1 个球生成",
    ("*", "'{name}' made of one path"): "'{name}' 由 1 条路径生成",
    ("*", "'{name}' made of one stroke"): "'{name}' 由 1 条笔画生成",
    ("*", "'{name}' made: one frame, {seconds:.2f} s"): "'{name}' 已生成: 1 帧，{seconds:.2f} 秒",
    (
        "*",
        "operations and paths differ in number, {count} and {paths}: give one for each, or one for all",
    ): "操作与路径的数量不同，分别为 {count} 和 {paths}: 请为每条给出一个，或为全部给出一个",
    (
        "*",
        "the points and radii of path '{name}' differ in number, {count} and {size}: give one for each",
    ): "路径 '{name}' 的点与半径的数量不同，分别为 {count} 和 {size}: 请为每个点给出一个",
    (
        "*",
        "the segments of a sweep and its {name} differ in number, {count} and {size}: give one for each",
    ): "扫掠的线段与其 {name} 的数量不同，分别为 {count} 和 {size}: 请为每段给出一个",
    ("*", "a sweep has no such segments: {error}"): "扫掠没有这样的线段: {error}",
    (
        "*",
        "labels and faces differ in number, {size} and {count}: give one for each face",
    ): "标签与面的数量不同，分别为 {size} 和 {count}: 请为每个面给出一个",
    ("*", "'{name}' lists a face that is there already: it counts once"): "'{name}' 列出了一个已有的面: 只计一次",
    (
        "*",
        "'{name}' has {bad} of {count} instances whose transform is not made of numbers",
    ): "'{name}' 的 {count} 个实例中有 {bad} 个的变换不是数字",
    (
        "*",
        "'{name}' turns into a face: a path is a curve, or edges without faces",
    ): "'{name}' 变成一个面: 路径应是曲线，或没有面的边",
    ("*", "{file}: a point has no elevation: it was taken as 0"): "{file}: 一个点没有高程: 已取为 0",
    (
        "*",
        "{file}, line {line}: one field where the header has {expected} ({header})",
    ): "{file}，第 {line} 行: 有一个字段，而表头有 {expected} 个 ({header})",
    (
        "*",
        "what step {step} adds to '{name}' is thinner than a voxel: it changes nothing; {remedy}",
    ): "第 {step} 步添加到 '{name}' 的部分比一个体素还薄: 它没有改变任何东西; {remedy}",
    (
        "*",
        "the paths of step {step} lie inside '{name}': it changes nothing",
    ): "第 {step} 步的路径位于 '{name}' 内部: 它没有改变任何东西",
    (
        "*",
        "what step {step} takes out of '{name}' is thinner than a voxel: it changes nothing; {remedy}",
    ): "第 {step} 步从 '{name}' 去除的部分比一个体素还薄: 它没有改变任何东西; {remedy}",
    (
        "*",
        "the paths of step {step} do not touch '{name}': it changes nothing",
    ): "第 {step} 步的路径没有碰到 '{name}': 它没有改变任何东西",
    ("*", "{file} hides all its paths ({what}): show their layers"): "{file} 隐藏了所有路径 ({what}): 请显示其图层",
    ("*", "{file}: left out, as the drawing hides them: {what}"): "{file}: 因图中隐藏而略去: {what}",
    (
        "*",
        "{file}: the columns after the third were ignored; where one is the radius, name the columns",
    ): "{file}: 已忽略第三列之后的列; 若其中有半径，请为各列命名",
    ("*", "{file} is not in UTF-8: it was read as Windows-1252"): "{file} 不是 UTF-8: 已按 Windows-1252 读取",
}
