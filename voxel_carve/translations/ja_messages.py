"""Japanese: what is told, such as reports, refusals and warnings; see ja for the terms."""

MESSAGES = {
    ("*", " (did you mean '{name}'?)"): " ('{name}' のことですか?)",
    ("*", "'{name}' applied: no longer carved again"): "'{name}' を適用しました: 今後は再切削されません",
    (
        "*",
        "'{name}' carved: {change}, {faces:,} faces, {total:.2f} s (of that read {read:.2f}, write {write:.2f})",
    ): (
        "'{name}' を切削しました: {change}、{faces:,} 面、{total:.2f} 秒 (うち読み込み {read:.2f}、書き込み "
        "{write:.2f})"
    ),
    (
        "*",
        "'{name}' encloses no volume of a voxel: it is flat, thin, or too open; close it, or use smaller voxels",
    ): (
        "'{name}' は 1 ボクセル分の体積も囲んでいません: 平ら、薄い、または開きすぎです。閉じるか、ボクセルを"
        "小さくしてください"
    ),
    (
        "*",
        "'{name}' fitted: {mean} off the groove on average, {largest} at most",
    ): "'{name}' を合わせました: 溝からのずれは平均 {mean}、最大 {largest}",
    (
        "*",
        "'{name}' has modifiers or shape keys: apply them",
    ): "'{name}' にモディファイアーかシェイプキーがあります: 適用してください",
    (
        "*",
        "'{name}' has NURBS curves with custom knots, which cannot be read: choose other knots",
    ): ("'{name}' にはカスタムノットの NURBS カーブがあり、読み込めません: 別のノットを選んでください"),
    ("*", "'{name}' has a scale of zero: give it another"): "'{name}' のスケールがゼロです: 別の値にしてください",
    (
        "*",
        "'{name}' has a transform that is not made of numbers: clear it",
    ): ("'{name}' のトランスフォームが数値ではありません: クリアしてください"),
    (
        "*",
        "'{name}' has coordinates that are not numbers: delete them",
    ): ("'{name}' に数値ではない座標があります: 削除してください"),
    (
        "*",
        "'{name}' has each face twice, facing both ways: one side was taken",
    ): ("'{name}' は各面が両向きに二重です: 片側を使いました"),
    (
        "*",
        "'{name}' has holes too large to be closed ({count} open edges): close them",
    ): ("'{name}' の穴は大きすぎて閉じられません (開いた辺 {count} 本): 閉じてください"),
    (
        "*",
        "'{name}' has its normals inverted: it was taken as solid all the same",
    ): ("'{name}' の法線は反転しています: そのまま中身が詰まったものとして扱いました"),
    (
        "*",
        "'{name}' has no faces: choose a mesh with a surface as the stock",
    ): ("'{name}' に面がありません: 表面を持つメッシュを素材に選んでください"),
    (
        "*",
        "'{name}' has no mesh of its own to replace: use Object > Apply > Make Instances Real, or switch "
        "Replace Stock off",
    ): (
        "'{name}' には置き換えられる自身のメッシュがありません: オブジェクト > 適用 > インスタンスを実体化 を"
        "使うか、素材を置き換えをオフにしてください"
    ),
    ("*", "'{name}' has no path: add one"): "'{name}' にパスがありません: 追加してください",
    (
        "*",
        "'{name}' has no size: all its vertices lie in one place",
    ): ("'{name}' に大きさがありません: 全頂点が同じ場所にあります"),
    (
        "*",
        "'{name}' has shape keys, which fit its faces only as they are: delete them, or apply",
    ): ("'{name}' のシェイプキーは今の面にしか合いません: 削除するか、適用してください"),
    (
        "*",
        "'{name}' has shape keys, which no boolean can keep: apply or delete them, or choose Remesh",
    ): ("'{name}' のシェイプキーはブーリアンで維持できません: 適用または削除するか、リメッシュを選んでください"),
    (
        "*",
        "'{name}' has {bad} of {count} vertices with coordinates that are not numbers: delete them",
    ): ("'{name}' の {count} 頂点のうち {bad} 個の座標が数値ではありません: 削除してください"),
    (
        "*",
        "'{name}' has {count} faces that lie back to back: they cancel out",
    ): ("'{name}' に背中合わせの面が {count} 枚あります: 打ち消し合います"),
    (
        "*",
        "'{name}' has {far} of {count} vertices farther out than 1e12: the data is damaged",
    ): ("'{name}' の {count} 頂点のうち {far} 個が 1e12 より遠くにあります: データが壊れています"),
    (
        "*",
        "'{name}' has {turned:,} of {count:,} triangles that look the other way: they were turned round",
    ): ("'{name}' の三角形 {count:,} 枚のうち {turned:,} 枚が逆向きでした: 裏返しました"),
    (
        "*",
        "'{name}' holds instances, whose faces no boolean can keep: use Object > Apply > Make Instances Real, "
        "or choose Remesh",
    ): (
        "'{name}' はインスタンスを含み、その面はブーリアンで維持できません: オブジェクト > 適用 > インスタンス"
        "を実体化 を使うか、リメッシュを選んでください"
    ),
    (
        "*",
        "'{name}' instances no mesh with faces: choose another stock",
    ): ("'{name}' は面を持つメッシュをインスタンス化していません: 別の素材を選んでください"),
    (
        "*",
        "'{name}' is a volume, which no mesh can replace: switch Replace Stock off",
    ): ("'{name}' はボリュームで、メッシュでは置き換えられません: 素材を置き換えをオフにしてください"),
    (
        "*",
        "'{name}' is being edited: switch to Object Mode",
    ): ("'{name}' は編集中です: オブジェクトモードに切り替えてください"),
    (
        "*",
        "'{name}' is disabled in viewports or not in the view layer, and so Blender keeps it unevaluated: enable it",
    ): ("'{name}' はビューポートで無効か、ビューレイヤーにないため、Blender が評価しません: 有効にしてください"),
    (
        "*",
        "'{name}' is disabled in viewports or not in the view layer: enable it",
    ): ("'{name}' はビューポートで無効か、ビューレイヤーにありません: 有効にしてください"),
    (
        "*",
        "'{name}' is in Edit Mode: switch to Object Mode",
    ): ("'{name}' は編集モードです: オブジェクトモードに切り替えてください"),
    (
        "*",
        "'{name}' is in Sculpt Mode: switch to Object Mode, or switch Replace Stock off",
    ): ("'{name}' はスカルプトモードです: オブジェクトモードに切り替えるか、素材を置き換えをオフにしてください"),
    (
        "*",
        "'{name}' is linked from another file: make it local",
    ): ("'{name}' は別のファイルからリンクされています: ローカル化してください"),
    (
        "*",
        "'{name}' is linked from another file: make it local, or switch Replace Stock off",
    ): ("'{name}' は別のファイルからリンクされています: ローカル化するか、素材を置き換えをオフにしてください"),
    ("*", "'{name}' is linked: make it local"): "'{name}' はリンクされています: ローカル化してください",
    (
        "*",
        "'{name}' is no path: choose a curve, a text, or a mesh of edges without faces",
    ): ("'{name}' はパスではありません: カーブ、テキスト、または面のない辺のメッシュを選んでください"),
    (
        "*",
        "'{name}' is not a mesh: choose a mesh with faces as the stock",
    ): ("'{name}' はメッシュではありません: 面を持つメッシュを素材に選んでください"),
    (
        "*",
        "'{name}' has holes ({count} open edges): they were filled",
    ): ("'{name}' には穴があります (開いた辺 {count} 本): ふさぎました"),
    (
        "*",
        "progress is a {kind}: give a function, which is called with the stage and the fraction done",
    ): "progress が {kind} です: 段階と完了した割合を受け取る関数を渡してください",
    (
        "*",
        "'{name}' is scaled unevenly: its radii are multiplied by the mean scale",
    ): "'{name}' のスケールが不均一です: 半径には平均のスケールが掛けられます",
    (
        "*",
        "'{name}' is scaled unevenly: its bevel is taken as round, with the mean scale",
    ): ("'{name}' のスケールは不均一です: ベベルは平均スケールの円として扱われます"),
    (
        "*",
        "'{name}' keeps the coarse preview that it shows: undo and update it first, if not meant",
    ): ("'{name}' は表示中の粗いプレビューを保ちます: 意図と違う場合は元に戻し、先に更新してください"),
    (
        "*",
        "'{name}' lists {count} faces that are there already: each counts once",
    ): ("'{name}' には既にある面が {count} 枚重複しています: それぞれ一度だけ数えます"),
    ("*", "'{name}' made of {count} balls"): "'{name}' を {count} 個の球から作成しました",
    ("*", "'{name}' made of {count} paths"): "'{name}' を {count} 本のパスから作成しました",
    ("*", "'{name}' made of {count} strokes"): "'{name}' を {count} 本のストロークから作成しました",
    ("*", "'{name}' made: {count:,} faces, {seconds:.2f} s"): "'{name}' を作成しました: {count:,} 面、{seconds:.2f} 秒",
    (
        "*",
        "'{name}' made: {count} frames, {seconds:.2f} s",
    ): ("'{name}' を作成しました: {count} フレーム、{seconds:.2f} 秒"),
    (
        "*",
        "'{name}' shares its curve with other objects: make it single user",
    ): "'{name}' は他のオブジェクトとカーブを共有しています: シングルユーザー化してください",
    (
        "*",
        "'{name}' shares its mesh with another result: make it a single user, or apply",
    ): ("'{name}' は別の結果とメッシュを共有しています: シングルユーザー化するか、適用してください"),
    (
        "*",
        "'{name}' turns into {count} faces: a path is a curve, or edges without faces",
    ): ("'{name}' は {count} 面になります: パスはカーブか、面のない辺です"),
    (
        "*",
        "'{name}' was prepared for a voxel size of {prepared}, not {voxel_size}: prepare it anew",
    ): ("'{name}' はボクセルサイズ {prepared} 用に準備されており、{voxel_size} 用ではありません: 準備し直してください"),
    ("*", "'{name}' was remeshed, not kept: {reason}"): "'{name}' は維持されず、リメッシュされました: {reason}",
    (
        "*",
        "'{name}' would be carved from itself: choose another stock or path",
    ): ("'{name}' は自分自身から切削されることになります: 別の素材かパスを選んでください"),
    ("*", "'{text}' is not a number"): "'{text}' は数値ではありません",
    ("*", "Compiled kernels cleared: {memory}"): "コンパイル済みカーネルを消去しました: {memory}",
    ("*", "Live Update was switched off: {error}"): "ライブ更新をオフにしました: {error}",
    (
        "*",
        "no surface within {reach} of the path faces it: move the path into the groove, or allow a longer reach",
    ): ("パスから {reach} 以内に、パスに向いた面がありません: パスを溝の中へ移すか、到達距離を長くしてください"),
    (
        "*",
        "NUMBA_DISABLE_JIT keeps numba from compiling: unset it",
    ): ("NUMBA_DISABLE_JIT により Numba がコンパイルできません: 設定を外してください"),
    (
        "*",
        "NUMBA_NUM_THREADS is '{asked}': unset it, or set it to a whole number from 1 to {most}",
    ): ("NUMBA_NUM_THREADS が '{asked}' です: 設定を外すか、1 から {most} までの整数にしてください"),
    (
        "*",
        "Not carved at this frame: another job was running",
    ): ("このフレームでは切削されません: 別のジョブが実行中でした"),
    (
        "*",
        "Not carved in renders: switch Lock Interface on, in the menu Render",
    ): ("レンダーでは切削されません: レンダーメニューのインターフェイスをロックをオンにしてください"),
    ("*", "reach"): "到達距離",
    (
        "*",
        "Select one mesh with a groove, and one curve along the groove",
    ): "溝のあるメッシュを1つと、溝に沿ったカーブを1つ選択してください",
    ("*", "Update on Frame Change was switched off: {error}"): "フレーム変更時の更新をオフにしました: {error}",
    (
        "*",
        "Warp does not start ({error}): update the graphics driver, or {remedy}",
    ): ("Warp が起動しません ({error}): グラフィックスドライバーを更新するか、{remedy}"),
    (
        "*",
        "Warp finds no CUDA device: update the driver of the NVIDIA graphics card, or choose cpu",
    ): (
        "Warp が CUDA デバイスを見つけられません: NVIDIA グラフィックスカードのドライバーを更新するか、cpu を"
        "選んでください"
    ),
    (
        "*",
        "Warp has no device '{name}': choose {names}",
    ): ("Warp にデバイス '{name}' はありません: {names} を選んでください"),
    ("*", "Warp is not installed ({error}): {remedy}"): "Warp がインストールされていません ({error}): {remedy}",
    (
        "*",
        "a curve would take {count:,} points, {tolerance} from it at most: use larger voxels",
    ): ("カーブに {count:,} 点が必要になります (距離は最大 {tolerance}): ボクセルを大きくしてください"),
    (
        "*",
        "a grid's origin has the shape {shape}: give (x, y, z)",
    ): ("グリッドの原点の形が {shape} です: (x, y, z) を与えてください"),
    ("*", "a material of '{name}'"): "'{name}' のマテリアル",
    (
        "*",
        "a mesh that the job keeps was purged meanwhile: start it again",
    ): ("ジョブが保持するメッシュが途中で消去されました: もう一度始めてください"),
    (
        "*",
        "a path is a Path or a pair (points, radii), and path {number} is a {kind}",
    ): ("パスは Path または組 (points, radii) ですが、パス {number} は {kind} です"),
    ("*", "a result"): "結果",
    (
        "*",
        "a sweep needs at least one segment, and an end for each start",
    ): ("掃引には少なくとも一つの線分と、各始点に対する終点が必要です"),
    ("*", "a sweep's points must be finite numbers"): "掃引の点は有限の数でなければなりません",
    ("*", "a sweep's radii must be positive numbers"): "掃引の半径は正の数でなければなりません",
    (
        "*",
        "an offset of {distance} is less than a voxel ({voxel_size}): offset by more, or make the voxels smaller",
    ): (
        "オフセット {distance} は 1 ボクセル ({voxel_size}) より小さいです: オフセットを増やすか、ボクセルを小"
        "さくしてください"
    ),
    ("*", "belongs to someone else"): "他の人の所有です",
    (
        "*",
        "box '{name}': each coordinate of the second corner must be greater than the first's",
    ): ("箱 '{name}': 第二の角の各座標は第一の角より大きくなければなりません"),
    ("*", "can be written to by others"): "他の人が書き込めます",
    ("*", "chord tolerance"): "弦の許容差",
    ("*", "delete it, and it is made anew"): "削除すると、新しく作られます",
    ("*", "edges {rms:.4f} RMS, {largest:.3f} at most"): "辺 {rms:.4f} RMS、最大 {largest:.3f}",
    ("*", "face centroids {rms:.4f} RMS, {largest:.3f} at most"): "面の中心 {rms:.4f} RMS、最大 {largest:.3f}",
    ("*", "frame {frame}: {error}"): "フレーム {frame}: {error}",
    (
        "*",
        "grid origin is not finite: move the object nearer to the world's origin",
    ): ("グリッドの原点が有限ではありません: オブジェクトをワールド原点に近づけてください"),
    (
        "*",
        "grid shape {shape}: give (Z, Y, X), whole numbers of voxels, at least one of each",
    ): ("グリッドの形 {shape}: (Z, Y, X) をボクセルの整数で、それぞれ 1 以上で与えてください"),
    (
        "*",
        "half_width {width:g}: it is in voxels, from 1 to {most}; or 0 for no narrow band",
    ): ("half_width {width:g}: ボクセル単位で 1 から {most} まで。0 なら狭帯域なし"),
    (
        "*",
        "install it with pip install 'voxel-carve[cuda]', or install the extension's cuda flavour instead of "
        "the cpu one",
    ): (
        "pip install 'voxel-carve[cuda]' でインストールするか、拡張機能の cpu 版の代わりに cuda 版をインストー"
        "ルしてください"
    ),
    ("*", "install it with pip install numba"): "pip install numba でインストールしてください",
    ("*", "is a symbolic link"): "シンボリックリンクです",
    ("*", "is not a folder"): "フォルダーではありません",
    (
        "*",
        "is not a text file: export the toolpath as comma separated values in UTF-8",
    ): ("はテキストファイルではありません: ツールパスを UTF-8 のカンマ区切りで書き出してください"),
    ("*", "it is no manifold"): "多様体ではありません",
    ("*", "it is open, and the paths come near a hole of it"): "開いていて、パスが穴の近くを通ります",
    ("*", "it is thinner than twice the offset"): "オフセットの 2 倍より薄いです",
    ("*", "job"): "ジョブ",
    (
        "*",
        "kernels are being compiled: wait until they are ready, and clear them then",
    ): ("カーネルをコンパイル中です: 終わるまで待ってから消去してください"),
    ("*", "make it yours, writable for you alone"): "所有者を自分にし、自分だけが書き込めるようにしてください",
    (
        "*",
        "make it yours, writable for you alone, or name another in {variable}",
    ): ("所有者を自分にし、自分だけが書き込めるようにするか、{variable} で別のフォルダーを指定してください"),
    (
        "*",
        "memory ran out while carving: choose larger voxels, or a lower memory limit",
    ): ("切削中にメモリが足りなくなりました: ボクセルを大きくするか、メモリ上限を下げてください"),
    (
        "*",
        "no frames from {start} to {end}: choose a later end",
    ): ("{start} から {end} までのフレームがありません: 終了を後にしてください"),
    (
        "*",
        "no path: select a curve, or give a toolpath",
    ): ("パスがありません: カーブを選択するか、ツールパスを与えてください"),
    ("*", "no process could be started for the {task} ({error})"): "{task}のプロセスを開始できませんでした ({error})",
    (
        "*",
        "no process could be started to compile the fast kernels ({error})",
    ): ("高速カーネルをコンパイルするプロセスを開始できませんでした ({error})"),
    (
        "*",
        "no voxel's centre is inside: make the voxels smaller",
    ): ("内側に中心を持つボクセルがありません: ボクセルを小さくしてください"),
    (
        "*",
        "nothing is left of '{name}': the paths carve all of it away; check the radius, or carve less",
    ): ("'{name}' は何も残りません: パスがすべて削り取ります。半径を確かめるか、切削を減らしてください"),
    ("*", "nothing is left of '{name}': the paths do not reach it"): "'{name}' は何も残りません: パスが届きません",
    (
        "*",
        "nothing is left of '{name}': what the paths share with it is thinner than a voxel; {remedy}",
    ): ("'{name}' は何も残りません: パスと重なる部分が 1 ボクセルより薄いです。{remedy}"),
    ("*", "nothing is left of '{name}': {hint}"): "'{name}' は何も残りません: {hint}",
    ("*", "numba does not start ({error}): {remedy}"): "Numba が起動しません ({error}): {remedy}",
    ("*", "numba is not installed: {remedy}"): "Numba がインストールされていません: {remedy}",
    ("*", "off the exact surface, in voxels: {parts}"): "正確な表面からの距離 (ボクセル単位): {parts}",
    (
        "*",
        "path '{name}' has no points: draw at least one",
    ): ("パス '{name}' に点がありません: 少なくとも一つ描いてください"),
    (
        "*",
        "path '{name}' has {bad} of {count} points whose coordinates are not numbers or are too large",
    ): ("パス '{name}' の {count} 点のうち {bad} 個の座標が数値でないか、大きすぎます"),
    (
        "*",
        "path '{name}' has {bad} of {count} points whose radius is not a positive number: give each a radius",
    ): ("パス '{name}' の {count} 点のうち {bad} 個の半径が正の数ではありません: それぞれに半径を与えてください"),
    (
        "*",
        "path '{name}' has {bad} of {count} points whose weight is not positive",
    ): ("パス '{name}' の {count} 点のうち {bad} 個のウェイトが正ではありません"),
    (
        "*",
        "path '{name}' would take more than {most:,} points: use larger voxels",
    ): ("パス '{name}' は {most:,} 点より多く必要です: ボクセルを大きくしてください"),
    ("*", "path '{name}': {error}"): "パス '{name}': {error}",
    ("*", "radius"): "半径",
    (
        "*",
        "resolution {resolution}: it must be a whole number of voxels, at least 1",
    ): ("解像度 {resolution}: 1 以上の整数のボクセル数でなければなりません"),
    (
        "*",
        "simplifying needs numba: {error}; or set the adaptivity to 0",
    ): ("簡略化には Numba が必要です: {error}。または適応度を 0 にしてください"),
    (
        "*",
        "the fast kernels could not be compiled (status {status}), see {log}",
    ): ("高速カーネルをコンパイルできませんでした (状態 {status})。{log} を見てください"),
    (
        "*",
        "the fast kernels were compiled for this process alone, because {error}",
    ): ("高速カーネルはこのプロセスだけのためにコンパイルされました。理由: {error}"),
    (
        "*",
        "the file of volume '{name}' cannot be loaded: {error}",
    ): ("ボリューム '{name}' のファイルを読み込めません: {error}"),
    (
        "*",
        "the folder for compiled kernels, {path}, cannot be made: {fault}",
    ): ("コンパイル済みカーネルのフォルダー {path} を作れません: {fault}"),
    (
        "*",
        "the folder for compiled kernels, {path}, cannot be written to: {fault}",
    ): ("コンパイル済みカーネルのフォルダー {path} に書き込めません: {fault}"),
    (
        "*",
        "the folder for compiled kernels, {path}, {fault}: {remedy}",
    ): ("コンパイル済みカーネルのフォルダー {path} は{fault}: {remedy}"),
    (
        "*",
        "the grids of volume '{name}' cannot be saved: {error}",
    ): ("ボリューム '{name}' のグリッドを保存できません: {error}"),
    (
        "*",
        "the job has more than 2^31 elements in one array of {name}: choose cpu",
    ): ("{name} の一つの配列で 2^31 を超える要素が必要です: cpu を選んでください"),
    (
        "*",
        "the job needs about {needed} and may take {allowed}: a voxel size of {voxel_size} would fit",
    ): ("ジョブには約 {needed} 必要で、使えるのは {allowed} です: ボクセルサイズ {voxel_size} なら収まります"),
    (
        "*",
        "the job needs about {needed} and may take {allowed}: no voxel size would fit; raise the limit, or "
        "give it fewer faces and segments",
    ): (
        "ジョブには約 {needed} 必要で、使えるのは {allowed} です: どのボクセルサイズでも収まりません。上限を上"
        "げるか、面と線分を減らしてください"
    ),
    (
        "*",
        "the kernels cannot be compiled for {device} ({error}): choose cpu",
    ): ("{device} 用にカーネルをコンパイルできません ({error}): cpu を選んでください"),
    ("*", "the others leave nothing of it"): "他のものがすべてを取り去ります",
    ("*", "the paths do not touch '{name}': it comes back whole"): "パスが '{name}' に触れません: そのまま返ります",
    ("*", "the paths lie inside '{name}': it comes back whole"): "パスが '{name}' の内側にあります: そのまま返ります",
    (
        "*",
        "the process of the boolean ended with status {status}, perhaps for want of memory: use larger "
        "voxels, or choose Remesh",
    ): (
        "ブーリアンのプロセスが状態 {status} で終わりました。メモリ不足かもしれません: ボクセルを大きくするか"
        "、リメッシュを選んでください"
    ),
    (
        "*",
        "the process of the job ended with status {status}, perhaps for want of memory: use larger voxels, or "
        "set a memory limit",
    ): (
        "ジョブのプロセスが状態 {status} で終わりました。メモリ不足かもしれません: ボクセルを大きくするか、メ"
        "モリ上限を設定してください"
    ),
    (
        "*",
        "the process that writes the volume ended with status {status}, perhaps for want of memory: use "
        "larger voxels, or make a mesh",
    ): (
        "ボリュームを書き込むプロセスが状態 {status} で終わりました。メモリ不足かもしれません: ボクセルを大き"
        "くするか、メッシュにしてください"
    ),
    (
        "*",
        "the progress function raised StopIteration: raise CarveCancelled to stop the job",
    ): "progress 関数が StopIteration を送出しました: ジョブを止めるには CarveCancelled を送出してください",
    ("*", "the result is not closed: please report this as a bug"): "結果が閉じていません: バグとして報告してください",
    ("*", "the scene"): "シーン",
    (
        "*",
        "the size of a voxel: give either voxel_size or resolution",
    ): ("ボクセルの大きさ: voxel_size か resolution のどちらかを与えてください"),
    (
        "*",
        "the stock of '{name}' was deleted: choose another, or apply",
    ): ("'{name}' の素材が削除されました: 別の素材を選ぶか、適用してください"),
    (
        "*",
        "the surface leaves the bricks where it was looked for: please report this as a bug",
    ): ("表面が探索したブロックからはみ出しています: バグとして報告してください"),
    ("*", "the surface to simplify is not closed"): "簡略化する表面が閉じていません",
    (
        "*",
        "there is no CUDA device {number}: choose another, there is {last}",
    ): ("CUDA デバイス {number} はありません: 別のものを選んでください。あるのは {last} です"),
    (
        "*",
        "CUDA device {number} is too old for Warp: choose another, or cpu",
    ): ("CUDA デバイス {number} は Warp には古すぎます: 別のデバイスか cpu を選んでください"),
    (
        "*",
        "the NVIDIA driver does not start ({error}): restart the computer, or install the driver anew, or choose cpu",
    ): (
        "NVIDIA ドライバーが起動しません ({error}): "
        "コンピューターを再起動するか、ドライバーを入れ直すか、cpu を選んでください"
    ),
    (
        "*",
        "the NVIDIA driver finds no graphics card, and CUDA_VISIBLE_DEVICES is '{value}', which hides "
        "others: unset it, or choose cpu",
    ): (
        "NVIDIA ドライバーがグラフィックスカードを見つけられません。CUDA_VISIBLE_DEVICES が '{value}' で、ほ"
        "かのカードを隠しています: この変数を消すか、cpu を選んでください"
    ),
    (
        "*",
        "the NVIDIA driver finds no graphics card: check that one is installed and switched on, or choose cpu",
    ): (
        "NVIDIA ドライバーがグラフィックスカードを見つけられません: "
        "カードが取り付けられ、有効になっているか確認するか、cpu を選んでください"
    ),
    (
        "*",
        "the NVIDIA driver is damaged ({error}): install it anew, or choose cpu",
    ): ("NVIDIA ドライバーが壊れています ({error}): 入れ直すか、cpu を選んでください"),
    (
        "*",
        "the NVIDIA driver is too old: it has CUDA {found}, and Warp needs {needed}; install version "
        "{release} or newer, or choose cpu",
    ): (
        "NVIDIA ドライバーが古すぎます: CUDA は {found} ですが、Warp には {needed} が必要です。バージョン "
        "{release} 以降を入れるか、cpu を選んでください"
    ),
    (
        "*",
        "the graphics card is too old: it has compute capability {found}, and Warp needs {needed}; choose cpu",
    ): (
        "グラフィックスカードが古すぎます: Compute Capability は {found} ですが、Warp には {needed} "
        "が必要です。cpu を選んでください"
    ),
    (
        "*",
        "CUDA needs an NVIDIA driver: install version {release} or newer, for an NVIDIA graphics card, or choose cpu",
    ): (
        "CUDA に必要な NVIDIA ドライバーが見つかりません: NVIDIA グラフィックスカード用にバージョン {release} "
        "以降を入れるか、cpu を選んでください"
    ),
    (
        "*",
        "there is no folder for compiled kernels: HOME names no folder of the user's",
    ): ("コンパイル済みカーネルのフォルダーがありません: HOME がユーザーのフォルダーを指していません"),
    (
        "*",
        "there is no material '{name}': choose another, or none",
    ): ("マテリアル '{name}' はありません: 別のものを選ぶか、なしにしてください"),
    (
        "*",
        "to keep the stock takes manifold3d, which the extension brings along: install its zip again, or choose Remesh",
    ): (
        "素材を維持するには、拡張機能に付属する manifold3d が必要です: zip をもう一度インストールするか、"
        "リメッシュを選んでください"
    ),
    ("*", "tolerance"): "許容差",
    ("*", "true edges {rms:.4f} RMS, {largest:.3f} at most"): "真の辺 {rms:.4f} RMS、最大 {largest:.3f}",
    ("*", "unknown operation '{operation}': choose {choices}"): "不明な演算 '{operation}': {choices} を選んでください",
    (
        "*",
        "use voxels of at most {voxel_size}, or a larger radius",
    ): ("{voxel_size} 以下のボクセルか、より大きい半径を使ってください"),
    ("*", "vertices {rms:.4f} RMS, {largest:.3f} at most"): "頂点 {rms:.4f} RMS、最大 {largest:.3f}",
    ("*", "volume '{name}'"): "ボリューム '{name}'",
    (
        "*",
        "volume '{name}' has no grid of numbers: choose a level set or a fog",
    ): ("ボリューム '{name}' に数値のグリッドがありません: レベルセットかフォグを選んでください"),
    ("*", "volume {volume} added"): "体積 {volume} を追加",
    ("*", "volume {volume} removed"): "体積 {volume} を除去",
    (
        "*",
        "volumes need the openvdb module, which this Python does not have: use Blender as blender.org builds it, or "
        "bpy from the Python Package Index",
    ): (
        "ボリュームにはこの Python にない openvdb モジュールが必要です: blender.org がビルドした Blender か、"
        "Python Package Index の bpy を使ってください"
    ),
    ("*", "voxel size"): "ボクセルサイズ",
    (
        "*",
        "voxel size {voxel_size} is larger than '{name}', whose longest side is {longest}: try {suggested}",
    ): (
        "ボクセルサイズ {voxel_size} は '{name}' より大きく、その最長辺は {longest} です: {suggested} を試してください"
    ),
    (
        "*",
        "voxel size {voxel_size} is too small for a size of {size}",
    ): ("ボクセルサイズ {voxel_size} は大きさ {size} に対して小さすぎます"),
    (
        "*",
        "voxel size {voxel_size} makes no grid for '{name}', of {longest}",
    ): ("ボクセルサイズ {voxel_size} では大きさ {longest} の '{name}' のグリッドになりません"),
    (
        "*",
        "what the paths add to '{name}' is thinner than a voxel: it comes back whole; {remedy}",
    ): ("'{name}' に足される部分が 1 ボクセルより薄いです: そのまま返ります。{remedy}"),
    (
        "*",
        "what the paths take out of '{name}' is thinner than a voxel: it comes back whole; {remedy}",
    ): ("'{name}' から除かれる部分が 1 ボクセルより薄いです: そのまま返ります。{remedy}"),
    ("*", "{backend} on {device}"): "{device} 上の {backend}",
    (
        "*",
        "{count} objects applied: no longer carved again",
    ): ("{count} 個のオブジェクトを適用しました: 今後は再切削されません"),
    (
        "*",
        "{error}: let this user have more processes and threads, or end others",
    ): ("{error}: このユーザーにプロセスとスレッドをもっと許可するか、他を終わらせてください"),
    ("*", "{error}; it was not kept, because {reason}"): "{error}。維持されなかった理由: {reason}",
    ("*", "{filename} in {path} cannot be deleted: {fault}"): "{path} の {filename} を削除できません: {fault}",
    ("*", "{file} cannot be read as {suffix}: {error}"): "{file} を {suffix} として読み込めません: {error}",
    ("*", "{file} could not be written: {error}"): "{file} を書き込めませんでした: {error}",
    (
        "*",
        "{file} has no column 'radius': add one, or give a radius",
    ): ("{file} に列 'radius' がありません: 追加するか、半径を与えてください"),
    (
        "*",
        "{file} has no points: give at least one line under the header",
    ): ("{file} に点がありません: 見出しの下に少なくとも一行書いてください"),
    (
        "*",
        "{file} is empty: it needs the header x,y,z[,radius][,path] and a line for each point",
    ): ("{file} は空です: 見出し x,y,z[,radius][,path] と、点ごとの一行が必要です"),
    (
        "*",
        "{file} is not a toolpath that we read: export it as {choices}",
    ): ("{file} は読み込めるツールパスではありません: {choices} として書き出してください"),
    ("*", "{file} is too large: {error}"): "{file} は大きすぎます: {error}",
    ("*", "{file}, line {line}, column '{name}': {fault}"): "{file}、{line} 行目、列 '{name}': {fault}",
    (
        "*",
        "{file}, line {line}: path '{label}' ended in line {last} already: put the points of a path together",
    ): ("{file}、{line} 行目: パス '{label}' は {last} 行目で終わっています: 同じパスの点はまとめてください"),
    (
        "*",
        "{file}, line {line}: {count} fields where the header has {expected} ({header})",
    ): ("{file}、{line} 行目: フィールドが {count} 個で、見出しは {expected} 個です ({header})"),
    (
        "*",
        "{file}: a volume needs the narrow band: carve with half_width=3",
    ): ("{file}: ボリュームには狭帯域が必要です: half_width=3 で切削してください"),
    (
        "*",
        "{name} has no room left ({error}): use larger voxels, or cpu",
    ): ("{name} に空きがありません ({error}): ボクセルを大きくするか、cpu を使ってください"),
    (
        "*",
        "{name} has {free:.0f} MiB of memory free, and the job needs about {needed:.0f} MiB: use larger "
        "voxels, or choose cpu",
    ): (
        "{name} の空きメモリは {free:.0f} MiB で、ジョブには約 {needed:.0f} MiB 必要です: ボクセルを大きくする"
        "か、cpu を選んでください"
    ),
    ("*", "{name} was deleted meanwhile: nothing was changed"): "{name} が途中で削除されました: 何も変更していません",
    ("*", "{name} {length:g}: it must be a positive length"): "{name} {length:g}: 正の長さでなければなりません",
    ("*", "{name} {value}: it must be a number of bytes"): "{name} {value}: バイト数でなければなりません",
    (
        "*",
        "{owner} has faces of shape {shape}: give (M, 3), three indices for each triangle",
    ): ("{owner} の面の形が {shape} です: (M, 3)、三角形ごとに三つのインデックスを与えてください"),
    (
        "*",
        "{owner} has faces of unequal size: give (M, 3), three indices for each triangle",
    ): ("{owner} の面の大きさが不揃いです: (M, 3)、三角形ごとに三つのインデックスを与えてください"),
    (
        "*",
        "{owner} has faces that refer to missing vertices: the data is damaged",
    ): ("{owner} の面が存在しない頂点を指しています: データが壊れています"),
    (
        "*",
        "{owner} has faces whose indices are not whole numbers: give integers",
    ): ("{owner} の面のインデックスが整数ではありません: 整数を与えてください"),
    (
        "*",
        "{owner} has points of shape {shape}: give (N, 3), a row (x, y, z) for each point",
    ): ("{owner} の点の形が {shape} です: (N, 3)、点ごとに一行 (x, y, z) を与えてください"),
    (
        "*",
        "{owner} is not an array of numbers with rows of one length: {error}",
    ): ("{owner} は同じ長さの行を持つ数の配列ではありません: {error}"),
    ("*", "{text} is larger than {largest:g}"): "{text} は {largest:g} より大きいです",
    ("*", "{text} is not a finite number"): "{text} は有限の数ではありません",
    ("*", "{text} is not a positive radius"): "{text} は正の半径ではありません",
    ("*", "{what} {shown}: it must be a positive length"): "{what} {shown}: 正の長さでなければなりません",
    (
        "*",
        "a volume is a file beside the .blend: save that first, or choose a Volume Folder under Options",
    ): (
        "ボリュームは .blend と同じ場所のファイルです: 先に .blend を保存するか、オプションでボリュームフォルダーを"
        "選択してください"
    ),
    (
        "*",
        "'{name}' is itself the result of a carve: show and select its stock for a new one",
    ): ("'{name}' 自体が切削の結果です: 新しく切削するには、その素材を表示して選択してください"),
    (
        "*",
        "'{name}' carved: {change}, {total:.2f} s (of that read {read:.2f}, write {write:.2f}); its file is {file}",
    ): (
        "'{name}' を切削しました: {change}、{total:.2f} 秒（うち読み込み {read:.2f}、書き込み {write:.2f}）。ファイ"
        "ルは {file}"
    ),
    ("*", "backend '{name}' cannot be loaded: {error}"): ("バックエンド '{name}' を読み込めません: {error}"),
    ("*", "backend '{name}' cannot be started: {error}"): ("バックエンド '{name}' を起動できません: {error}"),
    ("*", "backend '{name}' has operations on occupancies alone, and cannot carve a mesh: choose another"): (
        "バックエンド '{name}' は占有配列の演算しかできず、メッシュを切削できません: 別のものを選んでください"
    ),
    (
        "*",
        "backend '{name}' lacks {lacking}, of the protocol {protocol}: update what brings it, or choose another",
    ): (
        "バックエンド '{name}' にはプロトコル {protocol} の {lacking} がありません: "
        "提供元を更新するか、別のものを選んでください"
    ),
    ("*", "backend '{name}' is no backend: its factory gave a {kind}"): (
        "バックエンド '{name}' はバックエンドではありません: factory が {kind} を返しました"
    ),
    ("*", "the factory of backend '{name}' is no function"): ("バックエンド '{name}' の factory は関数ではありません"),
    ("*", "'{name}' is no name for a backend: use small letters, and not auto or numba"): (
        "'{name}' はバックエンドの名前にできません: 小文字を使い、auto と numba は避けてください"
    ),
    ("*", "there is a backend '{name}' already: choose another name"): (
        "バックエンド '{name}' は既にあります: 別の名前を選んでください"
    ),
    ("*", "unknown backend '{name}': choose auto, cpu, cuda or cuda:N (a device's number){others}"): (
        "不明なバックエンド '{name}': auto、cpu、cuda、cuda:N (デバイスの番号){others} から選んでください"
    ),
    (
        "*",
        "'{name}' has faces behind its sheets, where all is solid: carve its parts one by one, or fill its holes",
    ): ("'{name}' には、中身とみなすシートの裏側にも面があります: 部分ごとに切削するか、穴をふさいでください"),
    (
        "*",
        "'{name}' is a sheet whose sides cannot be told apart, like a Möbius strip: cut it, or fill its holes",
    ): ("'{name}' はメビウスの帯のように表裏を区別できないシートです: 切り開くか、穴をふさいでください"),
    (
        "*",
        "'{name}' is a sheet: it was carved as solid behind its faces",
    ): "'{name}' はシートです: 面の裏側を中身として切削しました",
    (
        "*",
        "'{name}' is only {size} across: scale it up, with all that goes with it",
    ): "'{name}' の大きさは {size} しかありません: 関係するものすべてと一緒に拡大してください",
    (
        "*",
        "unknown open_stock '{open_stock}': choose {choices}",
    ): ("open_stock '{open_stock}' は不明です: {choices} から選んでください"),
    (
        "*",
        "a shell of '{name}' lies inside another and looks the same way: it was filled; flip its normals if it "
        "is a hollow",
    ): "'{name}' のシェルの 1 つが別のシェルの中にあり、同じ向きです: 中身を詰めました。空洞なら法線を反転してください",
    (
        "*",
        "{count} shells of '{name}' lie inside others and look the same way: they were filled; flip their "
        "normals if they are hollows",
    ): (
        "'{name}' の {count} 個のシェルが別のシェルの中にあり、同じ向きです: 中身を詰めました。空洞なら法線を反転し"
        "てください"
    ),
    (
        "*",
        "'{name}' lost {share:.0%} of its surface away from the paths, because its holes had to be filled: "
        "close them, or take it as a sheet",
    ): (
        "'{name}' はパスから離れた表面の {share:.0%} を失いました。穴をふさぐ必要があったためです: 穴を閉じるか、シ"
        "ートとして切削してください"
    ),
    (
        "*",
        "'{name}' lost {share:.0%} of its surface away from the paths, because it is thinner than a voxel "
        "there: use voxels of at most {voxel_size}, or keep the stock",
    ): (
        "'{name}' はパスから離れた表面の {share:.0%} を失いました。そこがボクセルより薄いためです: {voxel_size} 以"
        "下のボクセルを使うか、素材を維持してください"
    ),
    (
        "*",
        "a mesh is a TriMesh, a Surface, a pair (points, triangles) or a trimesh.Trimesh, and this is a {kind}",
    ): "メッシュは TriMesh、Surface、組 (points, triangles)、または trimesh.Trimesh ですが、これは {kind} です",
    (
        "*",
        "a radius of {radius} is less than a voxel, so the cut is smaller than the path: {remedy}",
    ): "半径 {radius} はボクセルより小さいため、切削部はパスより小さくなります: {remedy}",
    ("*", "a point of the paths has a radius of 0: it was left out"): "パスの点の 1 つは半径が 0 です: 省かれました",
    (
        "*",
        "a {kind} does not say which segment made each face: give a result of carve, or its surface",
    ): "{kind} からは各面をどの線分が作ったか分かりません: carve の結果か、その surface を渡してください",
    (
        "*",
        "a {kind} is neither a path nor a file that is open for writing bytes",
    ): "{kind} はパスでも、バイトの書き込み用に開かれたファイルでもありません",
    (
        "*",
        "labels is a {kind}: give Labels(stock, path)",
    ): "labels が {kind} です: Labels(stock, path) を渡してください",
    (
        "*",
        "OpenVDB writes a .vdb by its name: give a path, or write .nvdb",
    ): "OpenVDB は .vdb を名前で書き込みます: パスを指定するか、.nvdb で書き込んでください",
    (
        "*",
        "the file has no name that ends in a format: give one, such as suffix='.stl'",
    ): "ファイル名の末尾に形式がありません: suffix='.stl' のように指定してください",
    (
        "*",
        "trimesh is not installed: install it with pip install trimesh",
    ): "trimesh がインストールされていません: pip install trimesh でインストールしてください",
    (
        "*",
        "{count} points of the paths have a radius of 0: they were left out",
    ): "パスの {count} 個の点は半径が 0 です: 省かれました",
    (
        "*",
        "no point of the paths has a radius: give some a radius of more than 0",
    ): "パスのどの点にも半径がありません: 0 より大きい半径を与えてください",
    (
        "*",
        "the bevel of '{name}' ends where it starts: move its start or end",
    ): "'{name}' のベベルは開始位置で終わっています: 開始または終了を動かしてください",
    (
        "*",
        "'{name}' has an animated bevel depth, which is 0 at this frame: go to another frame",
    ): "'{name}' のベベルの深度はアニメーション化されており、このフレームでは 0 です: 別のフレームに移動してください",
    (
        "*",
        "'{name}' shows a part of its bevel: set its start to 0 and its end to 1",
    ): "'{name}' はベベルの一部だけを表示しています: 開始を 0、終了を 1 にしてください",
    (
        "*",
        "'{name}' is cut without its taper object: give its points radii",
    ): "'{name}' はテーパーオブジェクトなしで削られます: ポイントに半径を設定してください",
    (
        "*",
        "'{name}' is cut without its extrusion: set Extrude to 0",
    ): "'{name}' は押し出しなしで削られます: 押し出しを 0 にしてください",
    (
        "*",
        "'{name}' is cut without its offset: set Offset to 0",
    ): "'{name}' はオフセットなしで削られます: オフセットを 0 にしてください",
    (
        "*",
        "the bevel of '{name}' is not round: it is cut as round, as wide as it is",
    ): "'{name}' のベベルは円形ではありません: 同じ幅の円形として削られます",
    (
        "*",
        "the instances of '{name}' on '{parent}' are not cut: make them real",
    ): "'{parent}' 上の '{name}' のインスタンスは削られません: 実体化してください",
    (
        "*",
        "modifier {names} of '{name}' is not cut: remove the curve's bevel, extrusion and fill, and set a radius",
    ): (
        "'{name}' のモディファイアー {names} は削りに反映されません: カーブのベベル、押し出し、フィルを外し、半径を"
        "設定してください"
    ),
    (
        "*",
        "modifiers {names} of '{name}' are not cut: remove the curve's bevel, extrusion and fill, and set a radius",
    ): (
        "'{name}' のモディファイアー {names} は削りに反映されません: カーブのベベル、押し出し、フィルを外し、半径を"
        "設定してください"
    ),
    (
        "*",
        "modifier {names} of '{name}' is not cut: convert the curve to a mesh",
    ): "'{name}' のモディファイアー {names} は削りに反映されません: カーブをメッシュに変換してください",
    (
        "*",
        "modifiers {names} of '{name}' are not cut: convert the curve to a mesh",
    ): "'{name}' のモディファイアー {names} は削りに反映されません: カーブをメッシュに変換してください",
    (
        "*",
        "modifier {names} of '{name}' is not cut: convert the text to a curve",
    ): "'{name}' のモディファイアー {names} は削りに反映されません: テキストをカーブに変換してください",
    (
        "*",
        "modifiers {names} of '{name}' are not cut: convert the text to a curve",
    ): "'{name}' のモディファイアー {names} は削りに反映されません: テキストをカーブに変換してください",
    (
        "*",
        "all paths of '{name}' were deleted: add one, or apply",
    ): "'{name}' のすべてのパスが削除されました: パスを追加するか、適用してください",
    ("*", "path '{name}' was deleted: carved without it"): "パス '{name}' は削除されました: それなしで削りました",
    ("*", "a path was deleted: carved without it"): "パスが 1 つ削除されました: それなしで削りました",
    ("*", "nothing was carved along a path: {error}"): "あるパスに沿っては何も削りませんでした: {error}",
    (
        "*",
        "'{text}' has another decimal mark than line {other}, or marks thousands: write all numbers with one "
        "mark and no other",
    ): "'{text}' の小数点は {other} 行目と異なるか、桁区切りがあります: すべての数を同じ小数点だけで書いてください",
    ("*", "'{text}' is no group code of a DXF file"): "'{text}' は DXF ファイルのグループコードではありません",
    ("*", "'{text}' is not a number, or is too large"): "'{text}' は数ではないか、大きすぎます",
    ("*", "<use> shows '{name}', which it is in itself"): "<use> は、自身を含む '{name}' を表示しています",
    ("*", "a line needs points"): "線には点が必要です",
    ("*", "a point needs three numbers"): "点には三つの数が必要です",
    (
        "*",
        "character {character} of its {what} is '{text}', which may not stand there",
    ): "{what} の {character} 文字目は '{text}' で、そこには置けません",
    ("*", "elements are in each other more than {most} deep"): "要素の入れ子が {most} 段を超えています",
    ("*", "elements use each other more than {most} times"): "要素が互いを {most} 回より多く使っています",
    ("*", "it begins with <{name}>, and not with <{root}>"): "<{root}> ではなく <{name}> で始まっています",
    ("*", "it has coordinates that are not numbers or are too large"): "数ではない、または大きすぎる座標があります",
    (
        "*",
        "it has the shape {shape}: give (N, 3) or (N, 4), with x, y, z and radius in its columns",
    ): "形状が {shape} です: 列が x、y、z、半径の (N, 3) か (N, 4) にしてください",
    ("*", "it is not a text file"): "テキストファイルではありません",
    ("*", "it is not well-formed XML ({error})"): "整形式の XML ではありません ({error})",
    (
        "*",
        "it refers to point {text}, and there are {count} so far",
    ): "点 {text} を参照していますが、ここまでに {count} 個しかありません",
    ("*", "its {what} is '{text}', which cannot be read"): "{what} の '{text}' を読めません",
    ("*", "its {what} is cut short"): "{what} が途中で切れています",
    (
        "*",
        "the file has a document type (DTD) of its own, which we do not read: export it without",
    ): "ファイルに独自の文書型 (DTD) があり、読みません: それなしで書き出してください",
    (
        "*",
        "{file} does not name its columns: they were taken as {names}",
    ): "{file} には列の名前がありません: {names} として読みました",
    (
        "*",
        "{file} has no path: export lines, curves or points into it",
    ): "{file} にパスがありません: 線、カーブ、点を書き出してください",
    (
        "*",
        "{file} has {columns} in {unit}: they were multiplied by {factor:g}",
    ): "{file} の {columns} は {unit} です: {factor:g} 倍しました",
    (
        "*",
        "{file} is cut short: it does not end with EOF, but with '{text}'",
    ): "{file} は途中で切れています: EOF ではなく '{text}' で終わっています",
    ("*", "{file} is in {unit}"): "{file} の単位は {unit} です",
    (
        "*",
        "{file} is in {unit}: its lengths were multiplied by {factor:g}",
    ): "{file} の単位は {unit} です: 長さを {factor:g} 倍しました",
    (
        "*",
        "{file} was projected about {latitude:.6f}, {longitude:.6f} (latitude, longitude): x is east, y north",
    ): "{file} を {latitude:.6f}, {longitude:.6f} (緯度、経度) を中心に投影しました: x は東、y は北です",
    ("*", "{file}, array '{name}' cannot be read: {error}"): "{file}、配列 '{name}' を読めません: {error}",
    ("*", "{file}, line {line} cannot be read as a table: {error}"): "{file}、{line} 行目を表として読めません: {error}",
    ("*", "{file}, line {line}, column {column}: {fault}"): "{file}、{line} 行目、{column} 桁目: {fault}",
    (
        "*",
        "{file}, line {line}: column {number} has the unit '{unit}': choose {choices}",
    ): "{file}、{line} 行目: 列 {number} の単位は '{unit}' です: {choices} から選んでください",
    (
        "*",
        "{file}, line {line}: column {number} is '{name}'{hint}: the first line must name the columns, such as "
        "x,y,z,radius",
    ): "{file}、{line} 行目: 列 {number} は '{name}'{hint} です: 最初の行には x,y,z,radius のような列の名前が必要です",
    (
        "*",
        "{file}, line {line}: the column '{name}' is missing: the header is x,y,z[,radius][,path]",
    ): "{file}、{line} 行目: 列 '{name}' がありません: ヘッダーは x,y,z[,radius][,path] です",
    (
        "*",
        "{file}, line {line}: the column '{name}' stands there twice",
    ): "{file}、{line} 行目: 列 '{name}' が二つあります",
    ("*", "{file}, path {label}: {fault}"): "{file}、パス {label}: {fault}",
    (
        "*",
        "{file}, row {row}, column '{column}': {value:g} is not a number that it can be",
    ): "{file}、行 {row}、列 '{column}': {value:g} は有効な数ではありません",
    (
        "*",
        "{file}: 'points' has the shape {shape} and 'radii' {other}: give (N, 3) and (N,)",
    ): "{file}: 'points' の形状は {shape}、'radii' は {other} です: (N, 3) と (N,) にしてください",
    ("*", "{file}: columns that we do not know were ignored: {names}"): "{file}: 不明な列は無視しました: {names}",
    ("*", "{file}: commas in its numbers were read as decimal marks"): "{file}: 数の中のコンマを小数点として読みました",
    (
        "*",
        "{file}: ezdxf is missing, which reads .dxf: install it (pip install ezdxf), or export the drawing as .svg",
    ): (
        "{file}: .dxf を読む ezdxf がありません: インストールする (pip install ezdxf) か、図面を .svg で書き出して"
        "ください"
    ),
    (
        "*",
        "{file}: it holds no numbers: give an array of floats",
    ): "{file}: 数が入っていません: 浮動小数点数の配列にしてください",
    ("*", "{file}: its columns are not of the same length"): "{file}: 列の長さが揃っていません",
    ("*", "{file}: left out, as they are no paths: {what}"): "{file}: パスではないため除外しました: {what}",
    (
        "*",
        "{file}: {count} points have no elevation: it was taken as 0",
    ): "{file}: {count} 個の点に標高がありません: 0 としました",
    ("*", "{what} is '{text}', which is not a number"): "{what} は '{text}' で、数ではありません",
    ("*", "{what} is {value:g}, beyond {largest:g} degrees"): "{what} は {value:g} で、{largest:g} 度を超えています",
    ("*", "{file} has no radius: give one"): "{file} には半径がありません: 半径を指定してください",
    ("*", "{file}: a unit of the drawing is {length:g} m"): "{file}: 図面の 1 単位は {length:g} m です",
    ("*", "the file is a {kind}: give its path"): "ファイルが {kind} です: パスを指定してください",
    (
        "*",
        "a grid is a Grid, and this is a {kind}: plan_grid makes one",
    ): "グリッドは Grid ですが、これは {kind} です: plan_grid で作成できます",
    (
        "*",
        "the bounds of a grid are of {kind}: give (2, 3), minimum and maximum (x, y, z), such as mesh.bounds()",
    ): (
        "グリッドの範囲が {kind} です: (2, 3)、つまり最小値と最大値の (x, y, z) を、mesh.bounds() のように指定して"
        "ください"
    ),
    (
        "*",
        "the bounds of a grid must be finite, and no minimum above its maximum",
    ): "グリッドの範囲は有限で、最小値が最大値を超えてはなりません",
    ("*", "the bounds of a grid"): "グリッドの範囲",
    (
        "*",
        "'{suffix}' is no suffix of a file: give one, such as '.stl'",
    ): "'{suffix}' はファイルの拡張子ではありません: '.stl' のように指定してください",
    (
        "*",
        "{what} {unit}: choose {choices}, or give its meters, a positive number",
    ): "{what} {unit}: {choices} から選ぶか、その長さをメートル単位の正の数で指定してください",
    ("*", "inches"): "インチ",
    ("*", "'{name}' made of one ball"): "'{name}' を 1 個の球から作成しました",
    ("*", "'{name}' made of one path"): "'{name}' を 1 本のパスから作成しました",
    ("*", "'{name}' made of one stroke"): "'{name}' を 1 本のストロークから作成しました",
    ("*", "'{name}' made: one frame, {seconds:.2f} s"): "'{name}' を作成しました: 1 フレーム、{seconds:.2f} 秒",
    (
        "*",
        "operations and paths differ in number, {count} and {paths}: give one for each, or one for all",
    ): "演算とパスの数が違います ({count} と {paths}): それぞれに一つか、全体に一つ与えてください",
    (
        "*",
        "the points and radii of path '{name}' differ in number, {count} and {size}: give one for each",
    ): "パス '{name}' の点と半径の数が違います ({count} と {size}): 点ごとに一つ与えてください",
    (
        "*",
        "the segments of a sweep and its {name} differ in number, {count} and {size}: give one for each",
    ): "掃引の線分と {name} の数が違います ({count} と {size}): 線分ごとに一つ与えてください",
    ("*", "a sweep has no such segments: {error}"): "掃引にそのような線分はありません: {error}",
    (
        "*",
        "labels and faces differ in number, {size} and {count}: give one for each face",
    ): "ラベルと面の数が違います ({size} と {count}): 面ごとに一つ与えてください",
    (
        "*",
        "'{name}' lists a face that is there already: it counts once",
    ): "'{name}' には既にある面が 1 枚重複しています: 一度だけ数えます",
    (
        "*",
        "'{name}' has {bad} of {count} instances whose transform is not made of numbers",
    ): "'{name}' の {count} 個のインスタンスのうち {bad} 個のトランスフォームが数値ではありません",
    (
        "*",
        "'{name}' turns into a face: a path is a curve, or edges without faces",
    ): "'{name}' は面になります: パスはカーブか、面のない辺です",
    ("*", "{file}: a point has no elevation: it was taken as 0"): "{file}: 1 個の点に標高がありません: 0 としました",
    (
        "*",
        "{file}, line {line}: one field where the header has {expected} ({header})",
    ): "{file}、{line} 行目: フィールドが 1 個で、見出しは {expected} 個です ({header})",
    (
        "*",
        "what step {step} adds to '{name}' is thinner than a voxel: it changes nothing; {remedy}",
    ): "手順 {step} で '{name}' に足される部分が 1 ボクセルより薄いです: 何も変わりません。{remedy}",
    (
        "*",
        "the paths of step {step} lie inside '{name}': it changes nothing",
    ): "手順 {step} のパスが '{name}' の内側にあります: 何も変わりません",
    (
        "*",
        "what step {step} takes out of '{name}' is thinner than a voxel: it changes nothing; {remedy}",
    ): "手順 {step} で '{name}' から除かれる部分が 1 ボクセルより薄いです: 何も変わりません。{remedy}",
    (
        "*",
        "the paths of step {step} do not touch '{name}': it changes nothing",
    ): "手順 {step} のパスが '{name}' に触れません: 何も変わりません",
    (
        "*",
        "{file} hides all its paths ({what}): show their layers",
    ): "{file} はすべてのパスを隠しています ({what}): そのレイヤーを表示してください",
    ("*", "{file}: left out, as the drawing hides them: {what}"): "{file}: 図面で隠されているため除外しました: {what}",
    (
        "*",
        "{file}: the columns after the third were ignored; where one is the radius, name the columns",
    ): "{file}: 四番目以降の列は無視しました。半径の列があれば、列に名前を付けてください",
    (
        "*",
        "{file} is not in UTF-8: it was read as Windows-1252",
    ): "{file} は UTF-8 ではありません: Windows-1252 として読み込みました",
}
