"""Japanese. Stock is 素材, to carve is 切削, a sweep is 掃引, a groove 溝; カーブ is a curve."""

MESSAGES = {
    ("Operator", "Add Carving Path"): "切削パスを追加",
    ("Operator", "Add Selected Paths"): "選択したパスを追加",
    ("Operator", "Add Voxel Carve Preset"): "Voxel Carve のプリセットを追加",
    ("Operator", "Annotation to Carving Path"): "アノテーションを切削パスに変換",
    ("Operator", "Apply"): "適用",
    ("Operator", "Bake Frames"): "フレームをベイク",
    ("Operator", "Cancel Voxel Carve"): "Voxel Carve をキャンセル",
    ("Operator", "Carve"): "切削",
    ("Operator", "Carving Path"): "切削パス",
    ("Operator", "Check"): "確認",
    ("Operator", "Check Backend"): "バックエンドを確認",
    ("Operator", "Clear"): "クリア",
    ("Operator", "Clear Compiled Kernels"): "コンパイル済みカーネルをクリア",
    ("Operator", "Copy Diagnostics"): "診断情報をコピー",
    ("Operator", "Fit Path to Groove"): "パスを溝に合わせる",
    ("Operator", "Move Path"): "パスを移動",
    ("Operator", "Open the Manual"): "マニュアルを開く",
    ("Operator", "Import Toolpath"): "ツールパスをインポート",
    ("Operator", "Remove Path"): "パスを削除",
    ("Operator", "Update"): "更新",
    ("Operator", "Voxel Boolean"): "ボクセルブーリアン",
    ("Operator", "Voxel Carve"): "ボクセル切削",
    ("Operator", "Voxel Offset"): "ボクセルオフセット",
    ("Operator", "Voxelize"): "ボクセル化",
    ("*", "About {figures}"): "約 {figures}",
    ("*", "Adaptivity"): "適応力",
    ("*", "Added"): "追加された体積",
    ("*", "Advanced"): "詳細設定",
    ("*", "All"): "すべて",
    ("*", "All Selected"): "選択物すべて",
    ("*", "As most CNC programs write them"): "多くの CNC プログラムが出力する単位",
    ("*", "As the scene's settings have it"): "シーンの設定に従います",
    ("*", "Same as Settings"): "設定に従う",
    ("*", "Automatic"): "自動",
    ("*", "Backend"): "バックエンド",
    ("*", "Boolean"): "ブーリアン",
    ("*", "Cancel"): "キャンセル",
    ("*", "Cancelled: nothing was changed"): "キャンセルしました: 何も変更されていません",
    ("*", "Carve along this path earlier or later"): "このパスに沿って先または後に切削します",
    ("*", "Carve along this path as the settings say"): "設定のとおりにこのパスに沿って切削します",
    ("*", "Carve along the selected paths, whatever is selected later"): (
        "後で何を選択しても、今選択しているパスに沿って切削します"
    ),
    ("*", "Carve Grid and Sweep"): "切削のグリッドと掃引",
    ("*", "Centimeters"): "センチメートル",
    ("*", "Closed"): "閉じている",
    ("*", "Combine"): "結合",
    ("*", "Compile"): "コンパイル",
    ("*", "Preparing, First Use Only"): "準備中 (初回のみ)",
    ("*", "Compiled Kernels"): "コンパイル済みカーネル",
    ("*", "Compute in Another Process"): "別プロセスで計算",
    ("*", "Compute on this device alone"): "このデバイスだけで計算します",
    ("*", "CUDA Device"): "CUDA デバイス",
    ("*", "Curve, text, points or mesh of edges that the tool runs along"): (
        "工具が沿って動くカーブ、テキスト、ポイント、または辺のメッシュ"
    ),
    ("*", "Custom Normals"): "カスタム法線",
    ("*", "Cut Material"): "切断面のマテリアル",
    ("*", "Deleted"): "削除済み",
    ("*", "Diagnostics copied to the clipboard"): "診断情報をクリップボードにコピーしました",
    ("*", "Direction"): "方向",
    ("*", "Distance"): "距離",
    ("*", "Down"): "下",
    ("*", "End"): "終了",
    ("*", "Faces"): "面",
    ("*", "Done"): "完了",
    ("*", "Factor"): "係数",
    ("*", "Feet"): "フィート",
    ("*", "First frame"): "最初のフレーム",
    ("*", "Fit"): "合わせる",
    ("*", "Frames from one object to the next"): "次のオブジェクトまでのフレーム数",
    ("*", "Frames of the Scene"): "シーンのフレーム",
    ("*", "From Curve"): "カーブから",
    ("*", "Give this path the radius beside it, whatever its bevel and the settings"): (
        "ベベルや設定にかかわらず、隣の半径をこのパスに使います"
    ),
    ("*", "Grid and Sweep"): "グリッドと掃引",
    ("*", "Half of the {memory} free"): "空き {memory} の半分",
    (
        "*",
        "How far the walls of the groove may be from the tool along the curve. 0 is its largest radius",
    ): "カーブに沿った工具から溝の壁までの最大距離。0 は工具の最大半径",
    ("*", "How they are combined"): "組み合わせ方",
    (
        "*",
        "How this path is combined with what the paths before it have left. Paths are carved in the order of the "
        "list; those that follow each other with the same operation, together",
    ): "先のパスが残したものとこのパスの組み合わせ方。リストの順に切削し、同じ演算が続くパスはまとめて切削します",
    ("*", "In Another Process"): "別プロセスで",
    ("*", "Inches"): "インチ",
    ("*", "Intersect"): "交差",
    ("*", "Join the others to the active one"): "他のものをアクティブなものに合成します",
    ("*", "Judge"): "判定",
    ("*", "Keep Stock"): "素材を維持",
    ("*", "Keep what all of them share"): "すべてに共通する部分を残します",
    ("*", "Last frame"): "最後のフレーム",
    ("*", "Last Result"): "前回の結果",
    ("*", "Length"): "長さ",
    ("*", "List of Paths"): "パスのリスト",
    ("*", "Live Update"): "ライブ更新",
    ("*", "Memory (GiB)"): "メモリ (GiB)",
    ("*", "Memory Limit (GiB)"): "メモリ制限 (GiB)",
    ("*", "Mesh that is carved; it stays as it is"): "切削されるメッシュ。それ自体は変更されません",
    ("*", "Millimeters"): "ミリメートル",
    ("*", "Meters"): "メートル",
    (
        "*",
        (
            "Move the points of the selected curve, and change their radii, until a tool along it would leave "
            "the groove in the selected mesh"
        ),
    ): ("選択したカーブの点を動かし、半径を変えて、カーブに沿った工具が選択したメッシュの溝を残すようにします"),
    ("*", "No"): "いいえ",
    ("*", "No Backend Works"): "動作するバックエンドがありません",
    ("*", "No job is running"): "実行中のジョブはありません",
    ("*", "No path reaches '{name}'"): "'{name}' に届くパスがありません",
    ("*", "No path: choose another for line {number} of the list, or remove it"): (
        "パスがありません: リストの {number} 行目に別のパスを選ぶか、その行を削除してください"
    ),
    ("*", "No scene: nothing can be read"): "シーンがありません: 何も読み込めません",
    ("*", "No stock: '{name}' has no faces"): "素材がありません: '{name}' に面がありません",
    ("*", "No stock: '{name}' is hidden: show it"): "素材がありません: '{name}' は非表示です: 表示してください",
    ("*", "No stock: select a mesh or a volume"): "素材がありません: メッシュかボリュームを選択してください",
    ("*", "None Selected"): "選択なし",
    ("*", "Not Checked Yet"): "未確認",
    ("*", "Nothing to add: select curves, texts or edges that are not in the list yet"): (
        "追加するものがありません: まだリストにないカーブ、テキスト、辺を選択してください"
    ),
    ("*", "Number"): "番号",
    ("*", "Number of points, evenly spaced"): "等間隔に並ぶポイントの数",
    ("*", "Of the path in the list, from 0; -1 is the active one"): (
        "リスト内のパスの番号 (0 から)。-1 はアクティブなパス"
    ),
    ("*", "Off Edges"): "辺からの偏差",
    ("*", "Off Surface"): "サーフェスからの偏差",
    ("*", "Offset"): "オフセット",
    ("*", "Operation"): "処理",
    ("*", "Out of Date"): "未更新",
    ("*", "Own Radius"): "独自の半径",
    ("*", "Path"): "パス",
    ("*", "Paths"): "パス",
    ("*", "Points"): "ポイント",
    ("*", "Presets"): "プリセット",
    ("*", "Preview"): "プレビュー",
    ("*", "Radius"): "半径",
    ("*", "Radius of the tool along the annotations"): "アノテーションに沿って動く工具の半径",
    ("*", "Radius of the tool along this path in world space. The radius of each point multiplies it"): (
        "ワールド空間でのこのパスの工具の半径。各ポイントの半径が掛けられます"
    ),
    (
        "*",
        "Radius of the tool to start from, where the curve has no bevel",
    ): "カーブにベベルがない場合の、開始時の工具の半径",
    ("*", "Radius of the tool where a file has none. 0 leaves it to the settings of the carve"): (
        "ファイルに半径がない場合の工具の半径。0 にすると切削の設定に従います"
    ),
    ("*", "Reach"): "到達距離",
    ("*", "Read"): "読込",
    ("*", "Recipe"): "レシピ",
    ("*", "Remesh"): "リメッシュ",
    ("*", "Remove this path from the list"): "このパスをリストから削除します",
    ("*", "Removed"): "除去された体積",
    ("*", "Replace Stock"): "素材を置き換え",
    ("*", "Resolution"): "解像度",
    ("*", "Result"): "結果",
    ("*", "Runs on"): "実行先",
    ("*", "Scene"): "シーン",
    ("*", "Shade Smooth"): "スムーズシェード",
    ("*", "Share the work between all CUDA devices"): "すべての CUDA デバイスで作業を分担します",
    ("*", "Simplify"): "簡略化",
    ("*", "Size"): "サイズ",
    ("*", "Start"): "開始",
    ("*", "Step"): "ステップ",
    ("*", "Stock"): "素材",
    ("*", "Subtract"): "減算",
    ("*", "Surface"): "サーフェス",
    ("*", "Sweep"): "掃引",
    ("*", "Switch to Object Mode"): "オブジェクトモードに切り替えてください",
    ("*", "The fastest one that works here"): "この環境で動作する最速のもの",
    ("*", "The list is empty: add a path first"): "リストが空です: 先にパスを追加してください",
    ("*", "The radius must be more than 0"): "半径は 0 より大きくなければなりません",
    ("*", "The scene belongs to another file"): "シーンは別のファイルに属しています",
    ("*", "The stock has no size"): "素材に大きさがありません",
    ("*", "The unit in which the scene shows lengths"): "シーンが長さを表示する単位",
    ("*", "The voxel size must be more than 0"): "ボクセルサイズは 0 より大きくなければなりません",
    ("*", "Time"): "時間",
    ("*", "To be carved later"): "後に切削します",
    ("*", "To be carved earlier"): "先に切削します",
    ("*", "Tolerance"): "許容範囲",
    ("*", "Toolpath"): "ツールパス",
    ("*", "Transfer Attributes"): "属性を転送",
    ("*", "under 0.1 s"): "0.1 秒未満",
    ("*", "Union"): "合成",
    ("*", "Unit"): "単位",
    ("*", "Up"): "上",
    ("*", "Update on Frame Change"): "フレーム変更時に更新",
    ("*", "Uses {backend}"): "{backend} を使用",
    ("*", "Value"): "値",
    ("*", "Verify"): "検証",
    ("*", "Volume"): "ボリューム",
    ("*", "Voxel Carve Presets"): "Voxel Carve のプリセット",
    ("*", "Voxel Size"): "ボクセルサイズ",
    ("*", "Voxel Tools"): "ボクセルツール",
    ("*", "Voxelize"): "ボクセル化",
    ("*", "Voxels"): "ボクセル",
    ("*", "What the tool runs along"): "工具がたどるもの",
    ("*", "Mesh"): "メッシュ",
    ("*", "Where to"): "移動先",
    (
        "*",
        "What the tool runs along, in this order, whatever is selected. Leave it empty to carve along the "
        "collection or the selected paths",
    ): "選択にかかわらず、工具がこの順に沿って動くもの。空の場合はコレクションまたは選択したパスに沿って切削します",
    ("*", "Write"): "書込",
    ("*", "Yes"): "はい",
    ("*", "{backend}, Not Checked Yet"): "{backend}、未確認",
    ("*", "{count} Meshes: {first}, …"): "{count} メッシュ: {first}, …",
    ("*", "{count} Paths: {first}, …"): "{count} パス: {first}, …",
    ("*", "{length} at Most"): "最大 {length}",
    ("*", "{low} to {high}"): "{low} ～ {high}",
    ("*", "{memory} free"): "空き {memory}",
    ("*", "Bake"): "ベイク",
    ("*", "Animated: {names}"): "アニメーション: {names}",
    ("*", "{names} and {count} more"): "{names} と他 {count} 個",
    (
        "*",
        "Nothing is animated: all frames will be the same",
    ): "アニメーションがありません: すべてのフレームが同じになります",
    ("*", "{count} frames"): "{count} フレーム",
    ("*", "about {time} by the last carve"): "前回の切削から約 {time}",
    ("*", "Frame {number} of {count}"): "フレーム {number} / {count}",
    ("*", "{time} left"): "残り {time}",
    ("*", "'{name}' is in {mode}: switch to Object Mode"): (
        "'{name}' は{mode}です: オブジェクトモードに切り替えてください"
    ),
    (
        "*",
        "Add a path to carve along, shaped by its points, whose bevel is the tool: its radius is a twentieth of the "
        "stock's longest side, unless another is given",
    ): (
        "切削に使うパスを追加します。形状はポイントで決まり、ベベルが工具になります。半径は、指定がなければ素材の最長"
        "辺の 20 分の 1 です"
    ),
    (
        "*",
        "Add the settings of the panel as a preset, or remove a preset. It keeps all but Stock, Paths, "
        "Cut Material, and Grid and Sweep",
    ): (
        "パネルの設定をプリセットとして追加、またはプリセットを削除します。素材、パス、切断面のマテリアル、グリ"
        "ッドと掃引以外のすべてが保存されます"
    ),
    ("*", "Add what the tool sweeps along the paths to the stock: ribs, weld seams, cables"): (
        "工具がパスに沿って掃引する部分を素材に加えます：リブ、溶接ビード、ケーブルなど"
    ),
    (
        "*",
        "A render is running: wait for it, or cancel it",
    ): "レンダリング中です: 終わるまで待つか、キャンセルしてください",
    (
        "*",
        "'{name}' is sculpted with dynamic topology: switch to Object Mode",
    ): "'{name}' はダイナミックトポロジーでスカルプト中です: オブジェクトモードに切り替えてください",
    (
        "*",
        "'{name}' is sculpted with Multires: switch to Object Mode",
    ): "'{name}' はマルチレゾでスカルプト中です: オブジェクトモードに切り替えてください",
    ("*", "Another job is running: wait for it, or cancel it"): (
        "別のジョブが実行中です: 終了を待つか、キャンセルしてください"
    ),
    ("*", "Apply every selected result, and not only the active one"): (
        "アクティブなものだけでなく、選択したすべての結果を適用します"
    ),
    ("*", "Bake from the first to the last frame of the scene, instead of Start to End"): (
        "開始から終了までの代わりに、シーンの最初のフレームから最後のフレームまでベイクします"
    ),
    (
        "*",
        "Build each selected mesh or volume of cubes, one for every voxel inside it; only sides that can be "
        "seen are made",
    ): ("選択した各メッシュやボリュームを、内部のボクセルごとに 1 つの立方体で作ります。見える側面だけが作られます"),
    (
        "*",
        "Carry the UV maps, color attributes and vertex groups of the stock over to the faces that are left of it. "
        "Materials are carried over in any case",
    ): "素材の UV マップ、カラー属性、頂点グループを、残った面に引き継ぎます。マテリアルは常に引き継がれます",
    ("*", "Carve again in full at every frame, in renders too, and wait for it"): (
        "レンダリング中も含め、フレームごとに完全に切削し直し、終わるまで待ちます"
    ),
    (
        "*",
        "Carve again whenever the stock, a path or a setting changes: coarsely at once, and in full when you pause",
    ): "素材、パス、設定が変わるたびに切削し直します：すぐに粗く、操作が止まると完全に",
    (
        "*",
        "Carve in a process of its own: a job that runs out of memory then ends without Blender, and starts a second "
        "later",
    ): (
        "専用のプロセスで切削します：メモリが足りなくなってもジョブだけが終了し、Blender は残ります。開始は 1 秒遅く"
        "なります"
    ),
    ("*", "Carve the active result along the selected paths as well"): (
        "アクティブな結果を、選択したパスにも沿って切削します"
    ),
    ("*", "Carve the active result at every frame, and keep each in an object that is seen at its frame only"): (
        "アクティブな結果をフレームごとに切削し、それぞれを、そのフレームでのみ見えるオブジェクトに残します"
    ),
    ("*", "Carve the active result without this path"): "このパスを使わずにアクティブな結果を切削します",
    ("*", "Carve the result again, as its stock, its paths and its settings are now"): (
        "現在の素材、パス、設定で、結果を切削し直します"
    ),
    ("*", "Chosen before; Check shows whether it is there"): (
        "以前に選択されたもの。確認を押すと、利用できるかどうかが表示されます"
    ),
    (
        "*",
        "Collection whose visible curves, texts and edges are the paths, selected or not. Leave it empty to carve "
        "along every selected one",
    ): (
        "表示されているカーブ、テキスト、辺が、選択の有無にかかわらずパスになるコレクション。空にすると、選択したすべ"
        "てに沿って切削します"
    ),
    (
        "*",
        "Combine the active mesh or volume with the other selected ones, as voxels: works on open and "
        "crossing meshes too. The result is made of cubes",
    ): (
        "アクティブなメッシュまたはボリュームと他の選択物を、ボクセルとして組み合わせます：開いたメッシュや交差する"
        "メッシュでも動作します。結果は立方体で構成されます"
    ),
    ("*", "Compute on NVIDIA GPUs with Warp, which the cuda flavour of the extension brings along"): (
        "NVIDIA GPU 上で Warp を使って計算します。Warp は拡張機能の cuda 版に付属します"
    ),
    ("*", "Compute with compiled kernels on all cores of the CPU. They are compiled once, in less than a minute"): (
        "コンパイル済みカーネルを使い、CPU の全コアで計算します。コンパイルは一度だけで、1 分もかかりません"
    ),
    (
        "*",
        "Copy versions, hardware, backend, settings and the last result's figures to the clipboard, for a bug "
        "report. Names of objects and folders are left out",
    ): (
        "バグ報告用に、バージョン、ハードウェア、バックエンド、設定、前回の結果の数値をクリップボードにコピーします。"
        "オブジェクト名とフォルダー名は含まれません"
    ),
    (
        "*",
        "Delete the compiled kernels from disk. They are compiled anew when they are next needed, which takes less "
        "than a minute in the background",
    ): (
        "コンパイル済みカーネルをディスクから削除します。次に必要になったときに再コンパイルされ、バックグラウンドで"
        "1 分もかかりません"
    ),
    ("*", "Divide the longest side of the stock into so many voxels, so that details scale with the object"): (
        "素材の最長辺をこの数のボクセルに分割します。細部はオブジェクトの大きさに比例します"
    ),
    ("*", "Done: waits until you leave the mode, or end the transform"): (
        "完了: モードまたはトランスフォームの終了を待っています"
    ),
    ("*", "Edge of a voxel. Details finer than this are lost; a groove wants a radius of two voxels or more"): (
        "ボクセルの一辺の長さ。これより細かい部分は失われます。溝には 2 ボクセル以上の半径が必要です"
    ),
    ("*", "From the first point to the last, along the X axis of the new object"): (
        "最初のポイントから最後のポイントまで、新しいオブジェクトの X 軸に沿った長さ"
    ),
    ("*", "Give every path the same radius, whatever its bevel"): (
        "ベベルにかかわらず、すべてのパスに同じ半径を使います"
    ),
    ("*", "Give the edge of a voxel as a length, the same for every stock"): (
        "ボクセルの一辺を長さで指定します。どの素材でも同じです"
    ),
    (
        "*",
        "Give smooth faces the normals of the stock, custom ones too, and those of the exact cut, so that the faces "
        "of the result do not show. Switch it off for a result to be sculpted or deformed, because custom normals do "
        "not follow",
    ): (
        "スムーズな面に、素材の法線 (カスタム法線も含む) と正確な切断面の法線を与え、結果の面が目立たないようにします。"
        "カスタム法線は変形に追従しないため、結果をスカルプトまたは変形する場合はオフにします"
    ),
    (
        "*",
        "Give the stock itself the new mesh, with its modifiers applied, instead of adding an object and hiding the "
        "stock. Undo brings the old mesh back",
    ): (
        "オブジェクトを追加して素材を隠す代わりに、モディファイアーを適用した素材自体に新しいメッシュを与えます。元に"
        "戻すと以前のメッシュに戻ります"
    ),
    ("*", "Grid and Sweep could not be drawn: see the console"): (
        "グリッドと掃引を描画できませんでした: コンソールを確認してください"
    ),
    (
        "*",
        "Grow or shrink each selected mesh or volume by a distance, rounded to voxels; the result is made of cubes",
    ): (
        "選択した各メッシュやボリュームを、ボクセル単位に丸めた距離だけ膨張または収縮させます。結果は立方体で構成さ"
        "れます"
    ),
    ("*", "How far the surface moves: outward where positive, inward where negative"): (
        "サーフェスの移動量：正の値で外側、負の値で内側"
    ),
    ("*", "How the size of a voxel is given. Half the voxel size takes about four times the memory and time"): (
        "ボクセルの大きさの指定方法。ボクセルサイズを半分にすると、メモリと時間が約 4 倍必要です"
    ),
    ("*", "How the stock and the volume that the tool sweeps are combined"): "素材と、工具が掃引する体積の組み合わせ方",
    ("*", "Keep the mesh as it is, and forget what it was carved from"): (
        "メッシュをそのまま残し、何から切削されたかの記録を消去します"
    ),
    ("*", "Keep what the stock and the swept volume share"): "素材と掃引体積に共通する部分を残します",
    ("*", "Make a curve with a radius of the annotations that the 3D view shows, and select it as a path"): (
        "3D ビューに表示されているアノテーションから半径付きのカーブを作り、パスとして選択します"
    ),
    (
        "*",
        "Make one of the selected objects active: it is the base",
    ): "選択したオブジェクトの 1 つをアクティブにしてください: それが基準になります",
    (
        "*",
        "Material of the cut faces. Leave it empty to use the first material of each path, else a new one named "
        "Voxel Carve Cut",
    ): (
        "切断面のマテリアル。空にすると、各パスの最初のマテリアル、なければ Voxel Carve Cut という新しいマテリアルを"
        "使います"
    ),
    (
        "*",
        "Material of the cut faces. Where none is chosen, they have that of their path, else a new one, Voxel Carve "
        "Cut",
    ): "切断面のマテリアル。選択しなければ、パスのマテリアル、それもなければ新しい Voxel Carve Cut になります",
    (
        "*",
        "Measure afterwards how far the result is from the exact surface and its edges, and tell it with the result. "
        "Takes longer than carving",
    ): (
        "結果が正確なサーフェスとその辺からどれだけ離れているかを後で測定し、結果とともに示します。切削より時間がかか"
        "ります"
    ),
    (
        "*",
        "Merge faces as Adaptivity does, but by a length: how far the surface may move, whatever the voxel size. 0 "
        "leaves it to Adaptivity",
    ): (
        "適応力と同様に面をマージしますが、長さで指定します：ボクセルサイズにかかわらず、サーフェスが動いてよい距離で"
        "す。0 では適応力に従います"
    ),
    (
        "*",
        "Merge faces where that moves the surface by less than this part of a voxel: 0.05 leaves few on flat places. "
        "Sharp edges and borders of materials stay. 0 keeps all faces",
    ): (
        "サーフェスの移動がボクセルのこの割合未満ですむ所で面をマージします：0.05 では平らな所に面がほとんど残りませ"
        "ん。シャープな辺とマテリアルの境界は残ります。0 ではすべての面を残します"
    ),
    ("*", "Mesh or volume to carve, selected or not. Leave it empty to carve every selected one"): (
        "選択の有無にかかわらず切削するメッシュまたはボリューム。空にすると、選択したすべてを切削します"
    ),
    ("*", "Multiplies every radius, from curves too: 1.02 leaves clearance for what is to lie in the groove"): (
        "カーブのものも含め、すべての半径に掛けられます：1.02 なら溝に入れる物のための隙間ができます"
    ),
    ("*", "Name of the material of the cut faces; where none is given, they have that of their path"): (
        "切断面のマテリアルの名前。指定しなければパスのマテリアルになります"
    ),
    ("*", "No annotation: draw one with the Annotate tool, in the 3D view"): (
        "アノテーションがありません: 3D ビューでアノテートツールを使って描いてください"
    ),
    ("*", "No path reaches '{name}' and {count} more"): "'{name}' と他 {count} 個に届くパスがありません",
    ("*", "No path: '{name}' holds no curve, text or edges that can be seen"): (
        "パスがありません: '{name}' に表示されているカーブ、テキスト、辺がありません"
    ),
    ("*", "No path: select a curve, a text, strokes or edges as well"): (
        "パスがありません: カーブ、テキスト、ストローク、辺のいずれかも選択してください"
    ),
    ("*", "No recipe: make the result of a carve active"): "レシピがありません: 切削の結果をアクティブにしてください",
    ("*", "No stock: '{name}' is not in this view layer"): (
        "素材がありません: '{name}' はこのビューレイヤーにありません"
    ),
    (
        "*",
        "Number of voxels along the longest side of the stock: 64 for a look, 128 to 256 for work, 512 and more for "
        "the last carve. Details finer than a voxel are lost",
    ): (
        "素材の最長辺に沿ったボクセルの数：確認には 64、作業には 128～256、最終の切削には 512 以上。1 ボクセルより細"
        "かい部分は失われます"
    ),
    ("*", "Out of memory: use larger voxels, or set a memory limit in the preferences"): (
        "メモリが足りません: ボクセルを大きくするか、プリファレンスでメモリ制限を設定してください"
    ),
    (
        "*",
        "Radius of the tool in world space. The radius of each point of the path (Alt S in Edit Mode) multiplies it",
    ): "ワールド空間での工具の半径。パスの各ポイントの半径 (編集モードで Alt S) が掛けられます",
    ("*", "Radius of the tool: the bevel depth of the new curve. Each point can scale it"): (
        "工具の半径：新しいカーブのベベル深度。各ポイントで拡大縮小できます"
    ),
    (
        "*",
        "Refuse jobs that would take more memory than this, before they begin. 0 is half of the memory that is free",
    ): "これを超えるメモリを必要とするジョブを、開始前に拒否します。0 は空きメモリの半分です",
    (
        "*",
        "Select at least {count} meshes with faces, or volumes",
    ): "面を持つメッシュかボリュームを {count} 個以上選択してください",
    (
        "*",
        "Shade the cut faces smooth, else flat. The border of the cut stays sharp; what is left of the stock keeps "
        "its own shading",
    ): (
        "切断面をスムーズシェードにします。オフではフラットになります。切断部の境界はシャープなままで、素材の残りは元"
        "のシェーディングを保ちます"
    ),
    (
        "*",
        "Show in the viewport where the grid lies, some voxels at their true size, and the volume that the tool sweeps",
    ): "グリッドの位置、実際の大きさのボクセルの一部、工具が掃引する体積をビューポートに表示します",
    (
        "*",
        "Start the backend as a carve would, and show what it runs on and why it is this one. Loading Numba or Warp "
        "takes some seconds",
    ): (
        "切削時と同様にバックエンドを起動し、何の上で動作するか、なぜそれが選ばれたかを表示します。Numba や Warp の読"
        "み込みには数秒かかります"
    ),
    ("*", "Stop the job that is running, and leave everything as it was"): (
        "実行中のジョブを停止し、すべてを元のままにします"
    ),
    (
        "*",
        "Take the bevel depth of each curve, which the viewport shows. Without one, a text gets a quarter of its "
        "strokes' width, and another path a twentieth of the stock",
    ): (
        "ビューポートに表示される各カーブのベベル深度を使います。"
        "ベベルがなければ、テキストは線の太さの 4 分の 1、ほかのパスは素材の 20 分の 1 になります"
    ),
    ("*", "Take the others out of the active one"): "アクティブなものから他のものを取り除きます",
    (
        "*",
        "Take what a round tool sweeps along the paths out of each stock, or add it, or keep only that. Select a "
        "mesh and curves, or choose them in the panel",
    ): (
        "丸い工具がパスに沿って掃引する部分を、各素材から取り除く、加える、またはそこだけを残します。メッシュとカーブ"
        "を選択するか、パネルで指定してください"
    ),
    ("*", "Take what the tool sweeps along the paths out of the stock: grooves, slots, holes"): (
        "工具がパスに沿って掃引する部分を素材から取り除きます：溝、スロット、穴など"
    ),
    ("*", "That is more memory than the {memory} allowed: use larger voxels"): (
        "許可された {memory} を超えるメモリが必要です: ボクセルを大きくしてください"
    ),
    ("*", "The view layer is another scene's: give a context with both"): (
        "ビューレイヤーが別のシーンのものです: 両方を含むコンテキストを渡してください"
    ),
    ("*", "Update every selected result, and not only the active one"): (
        "アクティブなものだけでなく、選択したすべての結果を更新します"
    ),
    ("*", "Use what the preferences of the extension say, else the fastest one that works on this machine"): (
        "拡張機能のプリファレンスの指定に従います。なければ、このコンピューターで動作する最速のものを使います"
    ),
    ("*", "Voxels are larger than the stock, whose longest side is {side}"): (
        "ボクセルが素材より大きくなっています。素材の最長辺は {side} です"
    ),
    ("*", "Voxels are too small for the size of the stock"): "素材の大きさに対してボクセルが小さすぎます",
    (
        "*",
        "What is made: a mesh, with new faces or with those of the stock, or a volume",
    ): "作成するもの: 新しい面または素材の面を持つメッシュ、あるいはボリューム",
    ("*", "What computes the job. All backends give the same result; only the speed differs"): (
        "ジョブを計算するもの。どのバックエンドでも結果は同じで、かかる時間が異なります"
    ),
    ("*", "What computes where a scene leaves it to the preferences. Every backend gives the same result"): (
        "シーンがプリファレンスに任せる場合に計算するもの。どのバックエンドでも結果は同じです"
    ),
    (
        "*",
        "Where the radius of the tool comes from. The radius of each point of the path (Alt S in Edit Mode) "
        "multiplies it",
    ): "工具の半径をどこから取るか。パスの各ポイントの半径 (編集モードで Alt S) が掛けられます",
    ("*", "Which NVIDIA GPU computes, where the backend is CUDA. Check lists those that are there"): (
        "バックエンドが CUDA の場合に計算する NVIDIA GPU。確認を押すと利用できるものが一覧されます"
    ),
    ("*", "Update {count} Results"): "{count} 個の結果を更新",
    (
        "*",
        "Carves the result '{name}' itself, along the other paths",
    ): "ほかのパスに沿って、結果 '{name}' そのものを切削する",
    ("*", "Options"): "オプション",
    ("*", "Paths as Wire"): "パスをワイヤー表示",
    (
        "*",
        "'{name}' is itself the result of a carve: Update would carve its stock again",
    ): "'{name}' は切削の結果です。「更新」はその素材をもう一度切削します",
    ("*", "About {count} faces"): "約 {count} 面",
    ("*", "At most {count} faces"): "最大 {count} 面",
    (
        "*",
        "No path: select one, or combine the selected objects by Voxel Boolean",
    ): ("パスがありません: パスを選択するか、選択したオブジェクトをボクセルブーリアンで組み合わせてください"),
    (
        "*",
        "Make a Volume object: the distances near the surface, as an OpenVDB level set in a new file in the "
        "Volume Folder. It has no faces, no materials and no recipe: to change it, carve the stock again",
    ): (
        "ボリュームオブジェクトを作ります：表面付近の距離を、ボリュームフォルダーの新しいファイルに OpenVDB レベル"
        "セットとして書き出します。面、マテリアル、レシピはありません：変更するには素材をもう一度切削してください"
    ),
    ("*", "Volume Folder"): "ボリュームフォルダー",
    (
        "*",
        "Where the file of a volume goes, named after its stock. No file is replaced: each carve writes "
        "another. // is the folder of the .blend",
    ): (
        "素材にちなんだ名前のボリュームファイルの保存先。ファイルは置き換えられず、切削のたびに新しく書かれます。"
        "// は .blend のフォルダーです"
    ),
    ("*", "Total Volume"): "全体積",
    ("*", "Brought by {package}"): ("{package} が提供"),
    ("*", "Registered by a program"): ("プログラムが登録"),
    ("*", "It was chosen before. Install the package that brings it, or choose another"): (
        "以前に選択されたものです。これを提供するパッケージをインストールするか、別のものを選んでください"
    ),
    ("*", "{backend}, Not Installed"): ("{backend}、未インストール"),
    (
        "*",
        "Build a new surface all over, of even faces. It is closed for every stock, with holes and overlaps too; a "
        "sheet stays open",
    ): (
        "全体に均一な面からなる新しいサーフェスを作ります。穴や重なりのある素材でも、必ず閉じたものになります。"
        "シートは開いたままです"
    ),
    (
        "*",
        "Carve sheets, such as terrains, as solid behind their faces, and fill the holes of all else",
    ): ("地形などのシートは面の裏側を中身として切削し、それ以外は穴をふさぎます"),
    (
        "*",
        "Cut the stock's own faces. Those that no path touches stay as they are, to the bit, with all their data; a "
        "stock with holes is remeshed if a path comes near one",
    ): (
        "素材自身の面を切ります。パスが触れない面は、すべてのデータとともに1ビットも変わりません。"
        "穴のある素材は、パスが穴の近くを通る場合にリメッシュします"
    ),
    ("*", "Fill the holes of the stock. The result is closed"): "素材の穴をふさぎます。結果は閉じたものになります",
    (
        "*",
        "Give the result of a sheet sides and a floor, as for printing",
    ): "印刷用などに、シートの結果に側面と底を付けます",
    (
        "*",
        "Take the stock as solid behind its faces, as deep as the paths go. The result stays open",
    ): ("素材の面の裏側を、パスが届く深さまで中身とみなします。結果は開いたままです"),
    ("*", "What lies inside a stock that is not closed"): "閉じていない素材の内側をどう扱うか",
    ("*", "Close Sheets"): "シートを閉じる",
    ("*", "Fill Holes"): "穴をふさぐ",
    ("*", "Open Stock"): "開いた素材",
    ("*", "Sheet"): "シート",
    ("*", "{name}: a sheet, solid behind its faces"): "{name}: シート (面の裏側が中身)",
    ("*", "{name}: {count} holes, which stay"): "{name}: 穴 {count} 個 (そのまま)",
    ("*", "{name}: {count} holes, to be filled"): "{name}: 穴 {count} 個 (ふさぎます)",
    ("*", "{name}: a hole, which stays"): "{name}: 穴 1 個 (そのまま)",
    ("*", "{name}: a hole, to be filled"): "{name}: 穴 1 個 (ふさぎます)",
    (
        "*",
        "The radius is less than a voxel: cuts come out smaller than their paths",
    ): "半径がボクセルより小さくなっています: 切削部がパスより小さくなります",
    (
        "*",
        "Up to {share} of '{name}' is too thin: use voxels of {size}, or Keep Stock",
    ): "'{name}' の最大 {share} が薄すぎます: {size} のボクセルか「素材を維持」を使ってください",
    ("*", "and {count} more"): "他 {count} 件",
    (
        "*",
        "128 voxels along the longest side of the stock, and up to 1024 where the smallest radius needs them: "
        "a groove wants a radius of two voxels",
    ): (
        "素材の最長辺に沿って 128 ボクセル、最小の半径が必要とする場合は最大 1024 ボクセル: 溝には 2 ボクセルの半径"
        "が必要です"
    ),
    ("*", "The radius is less than two voxels: cuts come out coarse"): "半径が 2 ボクセル未満です: 切削が粗くなります",
    ("*", "Use {value}"): "{value} を使用",
    ("Operator", "Fit Voxels to Radius"): "ボクセルを半径に合わせる",
    (
        "*",
        "Make the voxels so small that the smallest radius is two of them",
    ): "最小の半径が 2 ボクセルになるようにボクセルを小さくします",
    (
        "*",
        "Number of voxels along the longest side of the stock, unless voxels are given by their size",
    ): "素材の最長辺に沿ったボクセル数 (ボクセルがサイズで指定されていない場合)",
    (
        "*",
        "Edge of a voxel, if voxels are given by their size",
    ): "ボクセルの一辺 (ボクセルがサイズで指定されている場合)",
    ("*", "{count} of {all}"): "{all} 中 {count}",
    ("*", "Deleted: {names}"): "削除済み: {names}",
    ("*", "Some Deleted"): "一部削除済み",
    (
        "*",
        "Draw the paths as wire, or as bounds if they have a bevel or a fill, and leave them out of renders "
        "while there is a result of them, because a bevel fills its own groove",
    ): (
        "結果がある間、パスをワイヤー (ベベルやフィルがあればバウンド) で表示し、レンダーから除きます。ベベルは自身"
        "の溝を埋めてしまうためです"
    ),
    ("Operator", "Toolpath (.csv/.svg/.dxf/...)"): "ツールパス (.csv/.svg/.dxf/...)",
    (
        "*",
        "Read toolpaths from tables with the columns x, y, z, radius and path, or from drawings, and select "
        "each as a curve to carve along",
    ): (
        "列が x、y、z、radius、path の表、または図面からツールパスを読み込み、それぞれを切削に使うカーブとして選択"
        "します"
    ),
    ("*", "The unit of the numbers in a file that does not say its own"): "単位を示していないファイルの中の数の単位",
    (
        "*",
        "Keep Stock would give about {count}, and leave flat faces whole",
    ): "「素材を維持」なら約 {count} 面で、平らな面はそのまま残る",
    ("*", "One frame"): "1 フレーム",
    (
        "*",
        "the list has no path number {number}: its last is {count}",
    ): "リストに番号 {number} のパスはありません: 最後は {count} です",
    (
        "*",
        "No voxels are given: pass resolution and voxel_size, or make them Automatic",
    ): "ボクセルが指定されていません: resolution と voxel_size を渡すか、「自動」にしてください",
}
