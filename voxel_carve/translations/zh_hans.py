"""Simplified Chinese. Stock is 毛坯, to carve is 切削, a sweep is 扫掠, a groove 沟槽."""

MESSAGES = {
    ("Operator", "Add Carving Path"): "添加切削路径",
    ("Operator", "Add Selected Paths"): "添加选中的路径",
    ("Operator", "Add Voxel Carve Preset"): "添加 Voxel Carve 预设",
    ("Operator", "Annotation to Carving Path"): "标注转为切削路径",
    ("Operator", "Apply"): "应用",
    ("Operator", "Bake Frames"): "烘焙帧",
    ("Operator", "Cancel Voxel Carve"): "取消 Voxel Carve",
    ("Operator", "Carve"): "切削",
    ("Operator", "Carving Path"): "切削路径",
    ("Operator", "Check"): "检查",
    ("Operator", "Check Backend"): "检查后端",
    ("Operator", "Clear"): "清空",
    ("Operator", "Clear Compiled Kernels"): "清空已编译内核",
    ("Operator", "Copy Diagnostics"): "复制诊断信息",
    ("Operator", "Fit Path to Groove"): "使路径贴合凹槽",
    ("Operator", "Move Path"): "移动路径",
    ("Operator", "Open the Manual"): "打开手册",
    ("Operator", "Import Toolpath"): "导入刀具路径",
    ("Operator", "Remove Path"): "移除路径",
    ("Operator", "Update"): "更新",
    ("Operator", "Voxel Boolean"): "体素布尔",
    ("Operator", "Voxel Carve"): "体素切削",
    ("Operator", "Voxel Offset"): "体素偏移",
    ("Operator", "Voxelize"): "体素化",
    ("*", "About {figures}"): "约 {figures}",
    ("*", "Adaptivity"): "适应性",
    ("*", "Added"): "已添加",
    ("*", "Advanced"): "高级",
    ("*", "All"): "全部",
    ("*", "All Selected"): "所有选中项",
    ("*", "As most CNC programs write them"): "大多数 CNC 程序使用的单位",
    ("*", "As the scene's settings have it"): "与场景的设置一致",
    ("*", "Same as Settings"): "按照设置",
    ("*", "Automatic"): "自动",
    ("*", "Backend"): "后端",
    ("*", "Boolean"): "布尔",
    ("*", "Cancel"): "取消",
    ("*", "Cancelled: nothing was changed"): "已取消: 未做任何更改",
    ("*", "Carve along this path earlier or later"): "更早或更晚沿此路径切削",
    ("*", "Carve along this path as the settings say"): "按照设置沿此路径切削",
    ("*", "Carve along the selected paths, whatever is selected later"): "沿选中的路径切削，无论之后选中什么",
    ("*", "Carve Grid and Sweep"): "切削栅格与扫掠",
    ("*", "Centimeters"): "厘米",
    ("*", "Closed"): "封闭",
    ("*", "Combine"): "合并",
    ("*", "Compile"): "编译",
    ("*", "Preparing, First Use Only"): "正在准备 (仅首次使用)",
    ("*", "Compiled Kernels"): "已编译内核",
    ("*", "Compute in Another Process"): "在另一进程中计算",
    ("*", "Compute on this device alone"): "仅在此设备上计算",
    ("*", "CUDA Device"): "CUDA 设备",
    ("*", "Curve, text, points or mesh of edges that the tool runs along"): (
        "刀具沿其移动的曲线、文本、点或由边组成的网格"
    ),
    ("*", "Custom Normals"): "自定义法线",
    ("*", "Cut Material"): "切面材质",
    ("*", "Deleted"): "已删除",
    ("*", "Diagnostics copied to the clipboard"): "诊断信息已复制到剪贴板",
    ("*", "Direction"): "方向",
    ("*", "Distance"): "距离",
    ("*", "Down"): "下",
    ("*", "End"): "结束",
    ("*", "Faces"): "面",
    ("*", "Done"): "完成",
    ("*", "Factor"): "系数",
    ("*", "Feet"): "英尺",
    ("*", "First frame"): "第一帧",
    ("*", "Fit"): "贴合",
    ("*", "Frames from one object to the next"): "相邻两个物体之间的帧数",
    ("*", "Frames of the Scene"): "场景的帧",
    ("*", "From Curve"): "取自曲线",
    ("*", "Give this path the radius beside it, whatever its bevel and the settings"): (
        "无论倒角和设置如何，此路径都使用旁边的半径"
    ),
    ("*", "Grid and Sweep"): "栅格与扫掠",
    ("*", "Half of the {memory} free"): "可用 {memory} 的一半",
    (
        "*",
        "How far the walls of the groove may be from the tool along the curve. 0 is its largest radius",
    ): "凹槽壁与沿曲线的刀具之间允许的距离。0 表示刀具的最大半径",
    ("*", "How they are combined"): "组合方式",
    (
        "*",
        "How this path is combined with what the paths before it have left. Paths are carved in the order of the "
        "list; those that follow each other with the same operation, together",
    ): "此路径与之前的路径所留部分的组合方式。按列表顺序切削；相同运算的连续路径一起切削",
    ("*", "In Another Process"): "在另一进程中",
    ("*", "Inches"): "英寸",
    ("*", "Intersect"): "交集",
    ("*", "Join the others to the active one"): "将其他物体并入活动物体",
    ("*", "Judge"): "判定",
    ("*", "Keep Stock"): "保留毛坯",
    ("*", "Keep what all of them share"): "保留所有物体共有的部分",
    ("*", "Last frame"): "最后一帧",
    ("*", "Last Result"): "上次结果",
    ("*", "Length"): "长度",
    ("*", "List of Paths"): "路径列表",
    ("*", "Live Update"): "实时更新",
    ("*", "Memory (GiB)"): "内存 (GiB)",
    ("*", "Memory Limit (GiB)"): "内存限制 (GiB)",
    ("*", "Mesh that is carved; it stays as it is"): "要切削的网格；它本身保持不变",
    ("*", "Millimeters"): "毫米",
    ("*", "Meters"): "米",
    (
        "*",
        (
            "Move the points of the selected curve, and change their radii, until a tool along it would leave "
            "the groove in the selected mesh"
        ),
    ): "移动所选曲线的点并改变其半径，直到沿曲线的刀具正好留下所选网格的凹槽",
    ("*", "No"): "否",
    ("*", "No Backend Works"): "没有可用的后端",
    ("*", "No job is running"): "没有正在运行的任务",
    ("*", "No path reaches '{name}'"): "没有路径到达 '{name}'",
    ("*", "No path: choose another for line {number} of the list, or remove it"): (
        "没有路径: 请为列表第 {number} 行另选一条，或将其移除"
    ),
    ("*", "No scene: nothing can be read"): "没有场景: 无法读取任何内容",
    ("*", "No stock: '{name}' has no faces"): "没有毛坯: '{name}' 没有面",
    ("*", "No stock: '{name}' is hidden: show it"): "没有毛坯: '{name}' 已隐藏: 请将其显示",
    ("*", "No stock: select a mesh or a volume"): "没有毛坯: 请选择网格或体积",
    ("*", "None Selected"): "未选中",
    ("*", "Not Checked Yet"): "尚未检查",
    ("*", "Nothing to add: select curves, texts or edges that are not in the list yet"): (
        "没有可添加的内容: 请选择尚未在列表中的曲线、文本或边"
    ),
    ("*", "Number"): "编号",
    ("*", "Number of points, evenly spaced"): "等距分布的点的数量",
    ("*", "Of the path in the list, from 0; -1 is the active one"): "路径在列表中的编号，从 0 开始；-1 为活动路径",
    ("*", "Off Edges"): "与边的偏差",
    ("*", "Off Surface"): "与表面的偏差",
    ("*", "Offset"): "偏移",
    ("*", "Operation"): "运算",
    ("*", "Out of Date"): "已过期",
    ("*", "Own Radius"): "自有半径",
    ("*", "Path"): "路径",
    ("*", "Paths"): "路径",
    ("*", "Points"): "点",
    ("*", "Presets"): "预设",
    ("*", "Preview"): "预览",
    ("*", "Radius"): "半径",
    ("*", "Radius of the tool along the annotations"): "沿标注移动的刀具的半径",
    ("*", "Radius of the tool along this path in world space. The radius of each point multiplies it"): (
        "刀具沿此路径在世界空间中的半径。每个点的半径与其相乘"
    ),
    ("*", "Radius of the tool to start from, where the curve has no bevel"): "曲线没有倒角时，刀具的起始半径",
    ("*", "Radius of the tool where a file has none. 0 leaves it to the settings of the carve"): (
        "文件中没有半径时刀具的半径。0 表示由切削的设置决定"
    ),
    ("*", "Reach"): "范围",
    ("*", "Read"): "读取",
    ("*", "Recipe"): "配方",
    ("*", "Remesh"): "重构网格",
    ("*", "Remove this path from the list"): "从列表中移除此路径",
    ("*", "Removed"): "已移除",
    ("*", "Replace Stock"): "替换毛坯",
    ("*", "Resolution"): "分辨率",
    ("*", "Result"): "结果",
    ("*", "Runs on"): "运行于",
    ("*", "Scene"): "场景",
    ("*", "Shade Smooth"): "平滑着色",
    ("*", "Share the work between all CUDA devices"): "在所有 CUDA 设备之间分配工作",
    ("*", "Simplify"): "简化",
    ("*", "Size"): "大小",
    ("*", "Start"): "起始",
    ("*", "Step"): "步长",
    ("*", "Stock"): "毛坯",
    ("*", "Subtract"): "相减",
    ("*", "Surface"): "表面",
    ("*", "Sweep"): "扫掠",
    ("*", "Switch to Object Mode"): "请切换到物体模式",
    ("*", "The fastest one that works here"): "此处可用的最快后端",
    ("*", "The list is empty: add a path first"): "列表为空: 请先添加路径",
    ("*", "The radius must be more than 0"): "半径必须大于 0",
    ("*", "The scene belongs to another file"): "该场景属于另一个文件",
    ("*", "The stock has no size"): "毛坯没有尺寸",
    ("*", "The unit in which the scene shows lengths"): "场景显示长度所用的单位",
    ("*", "The voxel size must be more than 0"): "体素大小必须大于 0",
    ("*", "Time"): "时间",
    ("*", "To be carved later"): "更晚切削",
    ("*", "To be carved earlier"): "更早切削",
    ("*", "Tolerance"): "容差",
    ("*", "Toolpath"): "刀具路径",
    ("*", "Transfer Attributes"): "传递属性",
    ("*", "under 0.1 s"): "不到 0.1 秒",
    ("*", "Union"): "并集",
    ("*", "Unit"): "单位",
    ("*", "Up"): "上",
    ("*", "Update on Frame Change"): "帧更改时更新",
    ("*", "Uses {backend}"): "使用 {backend}",
    ("*", "Value"): "值",
    ("*", "Verify"): "验证",
    ("*", "Volume"): "体积",
    ("*", "Voxel Carve Presets"): "Voxel Carve 预设",
    ("*", "Voxel Size"): "体素大小",
    ("*", "Voxel Tools"): "体素工具",
    ("*", "Voxelize"): "体素化",
    ("*", "Voxels"): "体素",
    ("*", "What the tool runs along"): "刀具所经过的对象",
    ("*", "Mesh"): "网格",
    ("*", "Where to"): "移动方向",
    (
        "*",
        "What the tool runs along, in this order, whatever is selected. Leave it empty to carve along the "
        "collection or the selected paths",
    ): "无论选中什么，刀具都按此顺序沿其移动。留空则沿集合或选中的路径切削",
    ("*", "Write"): "写入",
    ("*", "Yes"): "是",
    ("*", "{backend}, Not Checked Yet"): "{backend}，尚未检查",
    ("*", "{count} Meshes: {first}, …"): "{count} 个网格: {first}, …",
    ("*", "{count} Paths: {first}, …"): "{count} 条路径: {first}, …",
    ("*", "{length} at Most"): "最大 {length}",
    ("*", "{low} to {high}"): "{low} 至 {high}",
    ("*", "{memory} free"): "可用 {memory}",
    ("*", "Bake"): "烘焙",
    ("*", "Animated: {names}"): "有动画: {names}",
    ("*", "{names} and {count} more"): "{names} 及另外 {count} 个",
    ("*", "Nothing is animated: all frames will be the same"): "没有动画: 所有帧都将相同",
    ("*", "{count} frames"): "{count} 帧",
    ("*", "about {time} by the last carve"): "按上次切削约 {time}",
    ("*", "Frame {number} of {count}"): "第 {number} 帧，共 {count} 帧",
    ("*", "{time} left"): "剩余 {time}",
    ("*", "'{name}' is in {mode}: switch to Object Mode"): "'{name}' 处于{mode}: 请切换到物体模式",
    (
        "*",
        "Add a path to carve along, shaped by its points, whose bevel is the tool: its radius is a twentieth of the "
        "stock's longest side, unless another is given",
    ): "添加用于切削的路径，由其点决定形状，其倒角即为刀具：若未另行指定，半径为毛坯最长边的二十分之一",
    (
        "*",
        "Add the settings of the panel as a preset, or remove a preset. It keeps all but Stock, Paths, "
        "Cut Material, and Grid and Sweep",
    ): ("将面板的设置添加为预设，或移除预设。除毛坯、路径、切面材质以及栅格与扫掠外全部保存"),
    ("*", "Add what the tool sweeps along the paths to the stock: ribs, weld seams, cables"): (
        "将刀具沿路径扫掠的部分添加到毛坯：加强筋、焊缝、线缆"
    ),
    ("*", "A render is running: wait for it, or cancel it"): ("正在渲染: 请等待，或取消渲染"),
    (
        "*",
        "'{name}' is sculpted with dynamic topology: switch to Object Mode",
    ): "'{name}' 正在以动态拓扑雕刻: 请切换到物体模式",
    ("*", "'{name}' is sculpted with Multires: switch to Object Mode"): (
        "'{name}' 正在以多级精度雕刻: 请切换到物体模式"
    ),
    ("*", "Another job is running: wait for it, or cancel it"): "另一个任务正在运行: 请等待或取消它",
    ("*", "Apply every selected result, and not only the active one"): "应用所有选中的结果，而不仅是活动的结果",
    ("*", "Bake from the first to the last frame of the scene, instead of Start to End"): (
        "从场景的第一帧烘焙到最后一帧，而不是从起始到结束"
    ),
    (
        "*",
        "Build each selected mesh or volume of cubes, one for every voxel inside it; only sides that can be "
        "seen are made",
    ): "用立方体构建每个选中的网格或体积，其内部每个体素对应一个；仅生成可见的侧面",
    (
        "*",
        "Carry the UV maps, color attributes and vertex groups of the stock over to the faces that are left of it. "
        "Materials are carried over in any case",
    ): "将毛坯的 UV 贴图、颜色属性和顶点组传递到其剩余的面上。材质总会被传递",
    ("*", "Carve again in full at every frame, in renders too, and wait for it"): (
        "在每一帧（包括渲染时）完整地重新切削，并等待其完成"
    ),
    (
        "*",
        "Carve again whenever the stock, a path or a setting changes: coarsely at once, and in full when you pause",
    ): "每当毛坯、路径或设置更改时重新切削：立即进行粗略切削，停顿时再完整切削",
    (
        "*",
        "Carve in a process of its own: a job that runs out of memory then ends without Blender, and starts a second "
        "later",
    ): "在独立进程中切削：内存耗尽时仅任务结束而 Blender 不受影响，但启动会晚一秒",
    ("*", "Carve the active result along the selected paths as well"): "同时沿选中的路径切削活动结果",
    ("*", "Carve the active result at every frame, and keep each in an object that is seen at its frame only"): (
        "在每一帧切削活动结果，并将每个结果保存在仅于该帧可见的物体中"
    ),
    ("*", "Carve the active result without this path"): "不使用此路径切削活动结果",
    ("*", "Carve the result again, as its stock, its paths and its settings are now"): (
        "按当前的毛坯、路径和设置重新切削结果"
    ),
    ("*", "Chosen before; Check shows whether it is there"): "先前选择的设备；点击检查可查看其是否存在",
    (
        "*",
        "Collection whose visible curves, texts and edges are the paths, selected or not. Leave it empty to carve "
        "along every selected one",
    ): "其中可见的曲线、文本和边（无论是否选中）即为路径的集合。留空则沿所有选中项切削",
    (
        "*",
        "Combine the active mesh or volume with the other selected ones, as voxels: works on open and "
        "crossing meshes too. The result is made of cubes",
    ): ("将活动网格或体积与其他选中项作为体素组合：对开放和相交的网格同样有效。结果由立方体构成"),
    ("*", "Compute on NVIDIA GPUs with Warp, which the cuda flavour of the extension brings along"): (
        "使用 Warp 在 NVIDIA GPU 上计算，该库随扩展的 cuda 版本提供"
    ),
    ("*", "Compute with compiled kernels on all cores of the CPU. They are compiled once, in less than a minute"): (
        "使用已编译内核在 CPU 的所有核心上计算。只需编译一次，不到一分钟"
    ),
    (
        "*",
        "Copy versions, hardware, backend, settings and the last result's figures to the clipboard, for a bug "
        "report. Names of objects and folders are left out",
    ): "将版本、硬件、后端、设置和上次结果的数据复制到剪贴板，用于错误报告。不含物体和文件夹的名称",
    (
        "*",
        "Delete the compiled kernels from disk. They are compiled anew when they are next needed, which takes less "
        "than a minute in the background",
    ): "从磁盘删除已编译的内核。下次需要时会重新编译，在后台不到一分钟",
    ("*", "Divide the longest side of the stock into so many voxels, so that details scale with the object"): (
        "将毛坯的最长边划分为指定数量的体素，使细节随物体缩放"
    ),
    ("*", "Done: waits until you leave the mode, or end the transform"): "已完成: 等待退出当前模式或结束变换",
    ("*", "Edge of a voxel. Details finer than this are lost; a groove wants a radius of two voxels or more"): (
        "体素的边长。比它更细的细节会丢失；沟槽的半径需为两个体素或以上"
    ),
    ("*", "From the first point to the last, along the X axis of the new object"): (
        "从第一个点到最后一个点，沿新物体的 X 轴"
    ),
    ("*", "Give every path the same radius, whatever its bevel"): "无论倒角如何，所有路径使用相同的半径",
    ("*", "Give the edge of a voxel as a length, the same for every stock"): "以长度指定体素的边长，对每个毛坯都相同",
    (
        "*",
        "Give smooth faces the normals of the stock, custom ones too, and those of the exact cut, so that the faces "
        "of the result do not show. Switch it off for a result to be sculpted or deformed, because custom normals do "
        "not follow",
    ): (
        "为平滑的面赋予毛坯的法线（包括自定义法线）以及精确切面的法线，使结果的面不显现。"
        "自定义法线不会跟随变形，因此若要雕刻结果或使其变形，请关闭此项"
    ),
    (
        "*",
        "Give the stock itself the new mesh, with its modifiers applied, instead of adding an object and hiding the "
        "stock. Undo brings the old mesh back",
    ): "将新网格赋给毛坯本身并应用其修改器，而不是添加物体并隐藏毛坯。撤销可恢复原网格",
    ("*", "Grid and Sweep could not be drawn: see the console"): "无法绘制栅格与扫掠: 请查看控制台",
    (
        "*",
        "Grow or shrink each selected mesh or volume by a distance, rounded to voxels; the result is made of cubes",
    ): "将每个选中的网格或体积扩大或缩小一段距离（取整到体素）；结果由立方体构成",
    ("*", "How far the surface moves: outward where positive, inward where negative"): (
        "表面移动的距离：正值向外，负值向内"
    ),
    ("*", "How the size of a voxel is given. Half the voxel size takes about four times the memory and time"): (
        "指定体素大小的方式。体素大小减半时，内存和时间约为四倍"
    ),
    ("*", "How the stock and the volume that the tool sweeps are combined"): "毛坯与刀具扫掠体积的组合方式",
    ("*", "Keep the mesh as it is, and forget what it was carved from"): "保持网格不变，并忘记它由什么切削而来",
    ("*", "Keep what the stock and the swept volume share"): "保留毛坯与扫掠体积共有的部分",
    ("*", "Make a curve with a radius of the annotations that the 3D view shows, and select it as a path"): (
        "由 3D 视图中显示的标注创建带半径的曲线，并将其选为路径"
    ),
    (
        "*",
        "Make one of the selected objects active: it is the base",
    ): "请将选中的物体之一设为活动项: 它是基础",
    (
        "*",
        "Material of the cut faces. Leave it empty to use the first material of each path, else a new one named "
        "Voxel Carve Cut",
    ): "切面的材质。留空则使用各路径的第一个材质，若没有则新建名为 Voxel Carve Cut 的材质",
    (
        "*",
        "Material of the cut faces. Where none is chosen, they have that of their path, else a new one, Voxel Carve "
        "Cut",
    ): "切面的材质。若未选择，则使用其路径的材质，若也没有则新建 Voxel Carve Cut",
    (
        "*",
        "Measure afterwards how far the result is from the exact surface and its edges, and tell it with the result. "
        "Takes longer than carving",
    ): "事后测量结果与精确表面及其边的偏差，并随结果显示。耗时比切削更长",
    (
        "*",
        "Merge faces as Adaptivity does, but by a length: how far the surface may move, whatever the voxel size. 0 "
        "leaves it to Adaptivity",
    ): "与适应性一样合并面，但以长度指定：无论体素大小，表面允许移动的距离。0 表示由适应性决定",
    (
        "*",
        "Merge faces where that moves the surface by less than this part of a voxel: 0.05 leaves few on flat places. "
        "Sharp edges and borders of materials stay. 0 keeps all faces",
    ): "在表面移动小于体素的此比例处合并面：0.05 会使平坦处只剩少量面。锐边和材质边界会保留。0 表示保留所有面",
    ("*", "Mesh or volume to carve, selected or not. Leave it empty to carve every selected one"): (
        "要切削的网格或体积，无论是否选中。留空则切削所有选中的物体"
    ),
    ("*", "Multiplies every radius, from curves too: 1.02 leaves clearance for what is to lie in the groove"): (
        "与所有半径（包括取自曲线的）相乘：1.02 可为放入沟槽的物件留出间隙"
    ),
    ("*", "Name of the material of the cut faces; where none is given, they have that of their path"): (
        "切面材质的名称；若未指定，则使用其路径的材质"
    ),
    ("*", "No annotation: draw one with the Annotate tool, in the 3D view"): "没有标注: 请在 3D 视图中用标注工具绘制",
    ("*", "No path reaches '{name}' and {count} more"): "没有路径到达 '{name}' 及另外 {count} 个",
    ("*", "No path: '{name}' holds no curve, text or edges that can be seen"): (
        "没有路径: '{name}' 中没有可见的曲线、文本或边"
    ),
    ("*", "No path: select a curve, a text, strokes or edges as well"): "没有路径: 请同时选择曲线、文本、笔画或边",
    ("*", "No recipe: make the result of a carve active"): "没有配方: 请将切削的结果设为活动物体",
    ("*", "No stock: '{name}' is not in this view layer"): "没有毛坯: '{name}' 不在此视图层中",
    (
        "*",
        "Number of voxels along the longest side of the stock: 64 for a look, 128 to 256 for work, 512 and more for "
        "the last carve. Details finer than a voxel are lost",
    ): "沿毛坯最长边的体素数量：预览用 64，工作用 128 至 256，最终切削用 512 或以上。比体素更细的细节会丢失",
    ("*", "Out of memory: use larger voxels, or set a memory limit in the preferences"): (
        "内存不足: 请使用更大的体素，或在偏好设置中设置内存限制"
    ),
    (
        "*",
        "Radius of the tool in world space. The radius of each point of the path (Alt S in Edit Mode) multiplies it",
    ): "世界空间中刀具的半径。路径各点的半径（编辑模式下 Alt S）与之相乘",
    ("*", "Radius of the tool: the bevel depth of the new curve. Each point can scale it"): (
        "刀具的半径：即新曲线的倒角深度。每个点都可对其缩放"
    ),
    (
        "*",
        "Refuse jobs that would take more memory than this, before they begin. 0 is half of the memory that is free",
    ): "在开始之前拒绝所需内存超过此值的任务。0 表示可用内存的一半",
    (
        "*",
        "Select at least {count} meshes with faces, or volumes",
    ): "请至少选择 {count} 个有面的网格或体积",
    (
        "*",
        "Shade the cut faces smooth, else flat. The border of the cut stays sharp; what is left of the stock keeps "
        "its own shading",
    ): "将切面平滑着色，否则平直着色。切口边界保持锐利；毛坯的剩余部分保持其自身的着色",
    (
        "*",
        "Show in the viewport where the grid lies, some voxels at their true size, and the volume that the tool sweeps",
    ): "在视图中显示栅格的位置、若干真实大小的体素，以及刀具扫掠的体积",
    (
        "*",
        "Start the backend as a carve would, and show what it runs on and why it is this one. Loading Numba or Warp "
        "takes some seconds",
    ): "像切削时一样启动后端，并显示其运行于何处以及选择它的原因。加载 Numba 或 Warp 需要几秒钟",
    ("*", "Stop the job that is running, and leave everything as it was"): "停止正在运行的任务，一切保持原样",
    (
        "*",
        "Take the bevel depth of each curve, which the viewport shows. Without one, a text gets a quarter of its "
        "strokes' width, and another path a twentieth of the stock",
    ): "采用视图中显示的各曲线的倒角深度。没有倒角时，文本取笔画宽度的四分之一，其他路径取毛坯的二十分之一",
    ("*", "Take the others out of the active one"): "从活动物体中去除其他物体",
    (
        "*",
        "Take what a round tool sweeps along the paths out of each stock, or add it, or keep only that. Select a "
        "mesh and curves, or choose them in the panel",
    ): "将圆形刀具沿路径扫掠的部分从每个毛坯中去除，或添加，或仅保留该部分。请选择网格和曲线，或在面板中指定",
    ("*", "Take what the tool sweeps along the paths out of the stock: grooves, slots, holes"): (
        "从毛坯中去除刀具沿路径扫掠的部分：沟槽、槽口、孔"
    ),
    ("*", "That is more memory than the {memory} allowed: use larger voxels"): (
        "所需内存超过允许的 {memory}: 请使用更大的体素"
    ),
    ("*", "The view layer is another scene's: give a context with both"): (
        "视图层属于另一个场景: 请提供包含两者的上下文"
    ),
    ("*", "Update every selected result, and not only the active one"): "更新所有选中的结果，而不仅是活动的结果",
    ("*", "Use what the preferences of the extension say, else the fastest one that works on this machine"): (
        "使用扩展偏好设置中指定的后端，否则使用本机可用的最快后端"
    ),
    ("*", "Voxels are larger than the stock, whose longest side is {side}"): "体素大于毛坯，毛坯的最长边为 {side}",
    ("*", "Voxels are too small for the size of the stock"): "相对于毛坯的尺寸，体素太小",
    (
        "*",
        "What is made: a mesh, with new faces or with those of the stock, or a volume",
    ): "生成的内容：带有新面或毛坯原有面的网格，或者体积",
    ("*", "What computes the job. All backends give the same result; only the speed differs"): (
        "用于计算任务的后端。各后端结果相同，耗时不同"
    ),
    ("*", "What computes where a scene leaves it to the preferences. Every backend gives the same result"): (
        "场景交由偏好设置决定时所用的后端。各后端结果相同"
    ),
    (
        "*",
        "Where the radius of the tool comes from. The radius of each point of the path (Alt S in Edit Mode) "
        "multiplies it",
    ): "刀具半径的来源。路径各点的半径（编辑模式下 Alt S）与之相乘",
    ("*", "Which NVIDIA GPU computes, where the backend is CUDA. Check lists those that are there"): (
        "后端为 CUDA 时用于计算的 NVIDIA GPU。点击检查可列出现有的 GPU"
    ),
    ("*", "Update {count} Results"): "更新 {count} 个结果",
    ("*", "Carves the result '{name}' itself, along the other paths"): "沿其他路径切削结果 '{name}' 本身",
    ("*", "Options"): "选项",
    ("*", "Paths as Wire"): "路径显示为线框",
    (
        "*",
        "'{name}' is itself the result of a carve: Update would carve its stock again",
    ): "'{name}' 本身就是切削的结果: “更新”会重新切削它的毛坯",
    ("*", "About {count} faces"): "约 {count} 个面",
    ("*", "At most {count} faces"): "至多 {count} 个面",
    (
        "*",
        "No path: select one, or combine the selected objects by Voxel Boolean",
    ): "没有路径: 请选择一条，或用体素布尔组合选中的物体",
    (
        "*",
        "Make a Volume object: the distances near the surface, as an OpenVDB level set in a new file in the "
        "Volume Folder. It has no faces, no materials and no recipe: to change it, carve the stock again",
    ): (
        "生成体积物体：表面附近的距离，以 OpenVDB 水平集写入体积文件夹中的新文件。它没有面、材质和配方：要更改它，"
        "请重新切削毛坯"
    ),
    ("*", "Volume Folder"): "体积文件夹",
    (
        "*",
        "Where the file of a volume goes, named after its stock. No file is replaced: each carve writes "
        "another. // is the folder of the .blend",
    ): ("体积文件的存放位置，文件以毛坯命名。不替换任何文件：每次切削都写入新的文件。// 是 .blend 所在的文件夹"),
    ("*", "Total Volume"): "总体积",
    ("*", "Brought by {package}"): ("由 {package} 提供"),
    ("*", "Registered by a program"): ("由程序注册"),
    ("*", "It was chosen before. Install the package that brings it, or choose another"): (
        "之前选择过。请安装提供它的软件包，或选择其他后端"
    ),
    ("*", "{backend}, Not Installed"): ("{backend}，未安装"),
    (
        "*",
        "Build a new surface all over, of even faces. It is closed for every stock, with holes and overlaps too; a "
        "sheet stays open",
    ): ("整体构建由均匀的面组成的新表面。无论何种毛坯，包括有孔洞和重叠的毛坯，结果都是封闭的；片体保持开放"),
    (
        "*",
        "Carve sheets, such as terrains, as solid behind their faces, and fill the holes of all else",
    ): ("将地形等片体视为面后为实体进行切削，并填补其他毛坯的孔洞"),
    (
        "*",
        "Cut the stock's own faces. Those that no path touches stay as they are, to the bit, with all their data; a "
        "stock with holes is remeshed if a path comes near one",
    ): ("切割毛坯自身的面。路径未触及的面连同其所有数据逐位保持不变；有孔洞的毛坯在路径靠近孔洞时会重构网格"),
    ("*", "Fill the holes of the stock. The result is closed"): "填补毛坯的孔洞。结果是封闭的",
    ("*", "Give the result of a sheet sides and a floor, as for printing"): "为片体的结果加上侧面和底面，例如用于打印",
    (
        "*",
        "Take the stock as solid behind its faces, as deep as the paths go. The result stays open",
    ): ("将毛坯的面后视为实体，深度直至路径所及。结果保持开放"),
    ("*", "What lies inside a stock that is not closed"): "未封闭的毛坯内部如何处理",
    ("*", "Close Sheets"): "封闭片体",
    ("*", "Fill Holes"): "填补孔洞",
    ("*", "Open Stock"): "开放的毛坯",
    ("*", "Sheet"): "片体",
    ("*", "{name}: a sheet, solid behind its faces"): "{name}: 片体，面后为实体",
    ("*", "{name}: {count} holes, which stay"): "{name}: {count} 个孔洞，保留",
    ("*", "{name}: {count} holes, to be filled"): "{name}: {count} 个孔洞，将被填补",
    ("*", "{name}: a hole, which stays"): "{name}: 1 个孔洞，保留",
    ("*", "{name}: a hole, to be filled"): "{name}: 1 个孔洞，将被填补",
    (
        "*",
        "The radius is less than a voxel: cuts come out smaller than their paths",
    ): "半径小于一个体素: 切口会比路径小",
    (
        "*",
        "Up to {share} of '{name}' is too thin: use voxels of {size}, or Keep Stock",
    ): "'{name}' 至多有 {share} 过薄: 请使用 {size} 的体素，或“保留毛坯”",
    ("*", "and {count} more"): "以及另外 {count} 项",
    (
        "*",
        "128 voxels along the longest side of the stock, and up to 1024 where the smallest radius needs them: "
        "a groove wants a radius of two voxels",
    ): "沿毛坯最长边 128 个体素；最小半径需要时最多 1024 个：沟槽的半径需要两个体素",
    ("*", "The radius is less than two voxels: cuts come out coarse"): "半径小于两个体素：切削结果会比较粗糙",
    ("*", "Use {value}"): "使用 {value}",
    ("Operator", "Fit Voxels to Radius"): "使体素适合半径",
    ("*", "Make the voxels so small that the smallest radius is two of them"): "缩小体素，使最小半径等于两个体素",
    (
        "*",
        "Number of voxels along the longest side of the stock, unless voxels are given by their size",
    ): "沿毛坯最长边的体素数（体素未按尺寸给定时）",
    ("*", "Edge of a voxel, if voxels are given by their size"): "体素的边长（体素按尺寸给定时）",
    ("*", "{count} of {all}"): "{all} 中的 {count}",
    ("*", "Deleted: {names}"): "已删除：{names}",
    ("*", "Some Deleted"): "部分已删除",
    (
        "*",
        "Draw the paths as wire, or as bounds if they have a bevel or a fill, and leave them out of renders "
        "while there is a result of them, because a bevel fills its own groove",
    ): "当存在其结果时，将路径显示为线框（有倒角或填充的显示为边界框），且不参与渲染，因为倒角会填满自己的沟槽",
    ("Operator", "Toolpath (.csv/.svg/.dxf/...)"): "刀具路径 (.csv/.svg/.dxf/...)",
    (
        "*",
        "Read toolpaths from tables with the columns x, y, z, radius and path, or from drawings, and select "
        "each as a curve to carve along",
    ): "从列为 x、y、z、radius 和 path 的表格或从图纸读取刀具路径，并将每条选为切削所沿的曲线",
    ("*", "The unit of the numbers in a file that does not say its own"): "未标明单位的文件中数字的单位",
    (
        "*",
        "Keep Stock would give about {count}, and leave flat faces whole",
    ): "“保留毛坯”约产生 {count} 个面，并让平面保持完整",
    ("*", "One frame"): "1 帧",
    (
        "*",
        "the list has no path number {number}: its last is {count}",
    ): "列表没有编号为 {number} 的路径: 最后一条是 {count}",
    (
        "*",
        "No voxels are given: pass resolution and voxel_size, or make them Automatic",
    ): "未给出体素: 请传入 resolution 和 voxel_size，或将其设为“自动”",
}
