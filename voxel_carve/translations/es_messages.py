"""Spanish: what is told, such as reports, refusals and warnings; see es for the terms."""

MESSAGES = {
    ("*", " (did you mean '{name}'?)"): " (¿quiso decir '{name}'?)",
    ("*", "'{name}' applied: no longer carved again"): "'{name}' aplicado: ya no se vuelve a tallar",
    (
        "*",
        "'{name}' carved: {change}, {faces:,} faces, {total:.2f} s (of that read {read:.2f}, write {write:.2f})",
    ): (
        "'{name}' tallado: {change}, {faces:,} caras, {total:.2f} s (de ellos lectura {read:.2f}, escritura "
        "{write:.2f})"
    ),
    (
        "*",
        "'{name}' encloses no volume of a voxel: it is flat, thin, or too open; close it, or use smaller voxels",
    ): (
        "'{name}' no encierra el volumen de un vóxel: es plano, delgado o demasiado abierto; ciérrelo o use "
        "vóxeles menores"
    ),
    (
        "*",
        "'{name}' fitted: {mean} off the groove on average, {largest} at most",
    ): "'{name}' ajustada: a {mean} de la ranura en promedio, a {largest} como máximo",
    ("*", "'{name}' has modifiers or shape keys: apply them"): "'{name}' tiene modificadores o formas clave: aplícalos",
    (
        "*",
        "'{name}' has NURBS curves with custom knots, which cannot be read: choose other knots",
    ): ("'{name}' tiene curvas NURBS con nodos propios, que no se pueden leer: elija otros nodos"),
    ("*", "'{name}' has a scale of zero: give it another"): "'{name}' tiene una escala de cero: dele otra",
    (
        "*",
        "'{name}' has a transform that is not made of numbers: clear it",
    ): ("'{name}' tiene una transformación que no consta de números: restablézcala"),
    (
        "*",
        "'{name}' has coordinates that are not numbers: delete them",
    ): ("'{name}' tiene coordenadas que no son números: elimínelas"),
    (
        "*",
        "'{name}' has each face twice, facing both ways: one side was taken",
    ): ("'{name}' tiene cada cara dos veces, hacia ambos lados: se tomó un lado"),
    (
        "*",
        "'{name}' has holes too large to be closed ({count} open edges): close them",
    ): ("'{name}' tiene agujeros demasiado grandes para cerrarlos ({count} bordes abiertos): ciérrelos"),
    (
        "*",
        "'{name}' has its normals inverted: it was taken as solid all the same",
    ): ("'{name}' tiene las normales invertidas: se tomó como sólido de todos modos"),
    (
        "*",
        "'{name}' has no faces: choose a mesh with a surface as the stock",
    ): ("'{name}' no tiene caras: elija una malla con superficie como pieza en bruto"),
    (
        "*",
        "'{name}' has no mesh of its own to replace: use Object > Apply > Make Instances Real, or switch "
        "Replace Stock off",
    ): (
        "'{name}' no tiene malla propia que reemplazar: use Objeto > Aplicar > Hacer reales las instancias, o "
        "desactive Reemplazar pieza en bruto"
    ),
    ("*", "'{name}' has no path: add one"): "'{name}' no tiene trayectoria: añada una",
    (
        "*",
        "'{name}' has no size: all its vertices lie in one place",
    ): ("'{name}' no tiene tamaño: todos sus vértices están en un mismo lugar"),
    (
        "*",
        "'{name}' has shape keys, which fit its faces only as they are: delete them, or apply",
    ): ("'{name}' tiene formas clave, que solo se ajustan a sus caras actuales: elimínelas o aplique"),
    (
        "*",
        "'{name}' has shape keys, which no boolean can keep: apply or delete them, or choose Remesh",
    ): (
        "'{name}' tiene formas clave, que ningún booleano puede mantener: aplíquelas o elimínelas, o elija "
        "Rehacer malla"
    ),
    (
        "*",
        "'{name}' has {bad} of {count} vertices with coordinates that are not numbers: delete them",
    ): ("'{name}' tiene {bad} de {count} vértices con coordenadas que no son números: elimínelos"),
    (
        "*",
        "'{name}' has {count} faces that lie back to back: they cancel out",
    ): ("'{name}' tiene {count} caras que están dorso contra dorso: se anulan"),
    (
        "*",
        "'{name}' has {far} of {count} vertices farther out than 1e12: the data is damaged",
    ): ("'{name}' tiene {far} de {count} vértices más lejos de 1e12: los datos están dañados"),
    (
        "*",
        "'{name}' has {turned:,} of {count:,} triangles that look the other way: they were turned round",
    ): ("'{name}' tiene {turned:,} de {count:,} triángulos que miran al otro lado: se les dio la vuelta"),
    (
        "*",
        "'{name}' holds instances, whose faces no boolean can keep: use Object > Apply > Make Instances Real, "
        "or choose Remesh",
    ): (
        "'{name}' contiene instancias, cuyas caras ningún booleano puede mantener: use Objeto > Aplicar > "
        "Hacer reales las instancias, o elija Rehacer malla"
    ),
    (
        "*",
        "'{name}' instances no mesh with faces: choose another stock",
    ): ("'{name}' no instancia ninguna malla con caras: elija otra pieza en bruto"),
    (
        "*",
        "'{name}' is a volume, which no mesh can replace: switch Replace Stock off",
    ): ("'{name}' es un volumen, que ninguna malla puede reemplazar: desactive Reemplazar pieza en bruto"),
    ("*", "'{name}' is being edited: switch to Object Mode"): "'{name}' se está editando: cambie al modo Objeto",
    (
        "*",
        "'{name}' is disabled in viewports or not in the view layer, and so Blender keeps it unevaluated: enable it",
    ): (
        "'{name}' está desactivado en las vistas o no está en la capa de visualización, y Blender no lo "
        "evalúa: actívelo"
    ),
    (
        "*",
        "'{name}' is disabled in viewports or not in the view layer: enable it",
    ): ("'{name}' está desactivado en las vistas o no está en la capa de visualización: actívelo"),
    ("*", "'{name}' is in Edit Mode: switch to Object Mode"): "'{name}' está en modo Edición: cambie al modo Objeto",
    (
        "*",
        "'{name}' is in Sculpt Mode: switch to Object Mode, or switch Replace Stock off",
    ): ("'{name}' está en modo Escultura: cambie al modo Objeto, o desactive Reemplazar pieza en bruto"),
    (
        "*",
        "'{name}' is linked from another file: make it local",
    ): ("'{name}' está vinculado desde otro archivo: hágalo local"),
    (
        "*",
        "'{name}' is linked from another file: make it local, or switch Replace Stock off",
    ): ("'{name}' está vinculado desde otro archivo: hágalo local, o desactive Reemplazar pieza en bruto"),
    ("*", "'{name}' is linked: make it local"): "'{name}' está vinculada: hazla local",
    (
        "*",
        "'{name}' is no path: choose a curve, a text, or a mesh of edges without faces",
    ): ("'{name}' no es una trayectoria: elija una curva, un texto o una malla de bordes sin caras"),
    (
        "*",
        "'{name}' is not a mesh: choose a mesh with faces as the stock",
    ): ("'{name}' no es una malla: elija una malla con caras como pieza en bruto"),
    (
        "*",
        "'{name}' has holes ({count} open edges): they were filled",
    ): ("'{name}' tiene agujeros ({count} bordes abiertos): se rellenaron"),
    (
        "*",
        "progress is a {kind}: give a function, which is called with the stage and the fraction done",
    ): "progress es un {kind}: indique una función, a la que se llama con la etapa y la fracción hecha",
    (
        "*",
        "'{name}' is scaled unevenly: its radii are multiplied by the mean scale",
    ): "'{name}' está escalado de forma desigual: sus radios se multiplican por la escala media",
    (
        "*",
        "'{name}' is scaled unevenly: its bevel is taken as round, with the mean scale",
    ): ("'{name}' está escalado de forma desigual: su bisel se toma como redondo, con la escala media"),
    (
        "*",
        "'{name}' keeps the coarse preview that it shows: undo and update it first, if not meant",
    ): ("'{name}' conserva la vista previa basta que muestra: si no era la intención, deshaga y actualice primero"),
    (
        "*",
        "'{name}' lists {count} faces that are there already: each counts once",
    ): ("'{name}' enumera {count} caras que ya están: cada una cuenta una vez"),
    ("*", "'{name}' made of {count} balls"): "'{name}' creado con {count} bolas",
    ("*", "'{name}' made of {count} paths"): "'{name}' creado con {count} trayectorias",
    ("*", "'{name}' made of {count} strokes"): "'{name}' creado con {count} trazos",
    ("*", "'{name}' made: {count:,} faces, {seconds:.2f} s"): "'{name}' creado: {count:,} caras, {seconds:.2f} s",
    ("*", "'{name}' made: {count} frames, {seconds:.2f} s"): "'{name}' creado: {count} fotogramas, {seconds:.2f} s",
    (
        "*",
        "'{name}' shares its curve with other objects: make it single user",
    ): "'{name}' comparte su curva con otros objetos: hazla de usuario único",
    (
        "*",
        "'{name}' shares its mesh with another result: make it a single user, or apply",
    ): ("'{name}' comparte su malla con otro resultado: hágala de un solo usuario, o aplique"),
    (
        "*",
        "'{name}' turns into {count} faces: a path is a curve, or edges without faces",
    ): ("'{name}' se convierte en {count} caras: una trayectoria es una curva, o bordes sin caras"),
    (
        "*",
        "'{name}' was prepared for a voxel size of {prepared}, not {voxel_size}: prepare it anew",
    ): ("'{name}' se preparó para un tamaño de vóxel de {prepared}, no {voxel_size}: prepárelo de nuevo"),
    ("*", "'{name}' was remeshed, not kept: {reason}"): "'{name}' se rehízo en vez de mantenerse: {reason}",
    (
        "*",
        "'{name}' would be carved from itself: choose another stock or path",
    ): ("'{name}' se tallaría a partir de sí mismo: elija otra pieza en bruto u otra trayectoria"),
    ("*", "'{text}' is not a number"): "'{text}' no es un número",
    ("*", "Compiled kernels cleared: {memory}"): "Núcleos compilados borrados: {memory}",
    ("*", "Live Update was switched off: {error}"): "La actualización en vivo se desactivó: {error}",
    (
        "*",
        "no surface within {reach} of the path faces it: move the path into the groove, or allow a longer reach",
    ): (
        "ninguna superficie a menos de {reach} de la trayectoria mira hacia ella: mueva la trayectoria al surco, o "
        "permita un alcance mayor"
    ),
    (
        "*",
        "NUMBA_DISABLE_JIT keeps numba from compiling: unset it",
    ): ("NUMBA_DISABLE_JIT impide que Numba compile: quite la variable"),
    (
        "*",
        "NUMBA_NUM_THREADS is '{asked}': unset it, or set it to a whole number from 1 to {most}",
    ): ("NUMBA_NUM_THREADS es '{asked}': quite la variable, o póngala a un número entero de 1 a {most}"),
    (
        "*",
        "Not carved at this frame: another job was running",
    ): ("No se talló en este fotograma: se ejecutaba otro trabajo"),
    (
        "*",
        "Not carved in renders: switch Lock Interface on, in the menu Render",
    ): ("No se talla en renders: active Bloquear interfaz, en el menú Procesar"),
    ("*", "reach"): "alcance",
    (
        "*",
        "Select one mesh with a groove, and one curve along the groove",
    ): "Selecciona una malla con una ranura y una curva a lo largo de la ranura",
    (
        "*",
        "Update on Frame Change was switched off: {error}",
    ): ("La actualización al cambiar de fotograma se desactivó: {error}"),
    (
        "*",
        "Warp does not start ({error}): update the graphics driver, or {remedy}",
    ): ("Warp no arranca ({error}): actualice el controlador gráfico, o {remedy}"),
    (
        "*",
        "Warp finds no CUDA device: update the driver of the NVIDIA graphics card, or choose cpu",
    ): ("Warp no encuentra ningún dispositivo CUDA: actualice el controlador de la tarjeta NVIDIA, o elija cpu"),
    ("*", "Warp has no device '{name}': choose {names}"): "Warp no tiene el dispositivo '{name}': elija {names}",
    ("*", "Warp is not installed ({error}): {remedy}"): "Warp no está instalado ({error}): {remedy}",
    (
        "*",
        "a curve would take {count:,} points, {tolerance} from it at most: use larger voxels",
    ): ("una curva necesitaría {count:,} puntos, a {tolerance} de ella como máximo: use vóxeles mayores"),
    (
        "*",
        "a grid's origin has the shape {shape}: give (x, y, z)",
    ): ("el origen de una cuadrícula tiene la forma {shape}: dé (x, y, z)"),
    ("*", "a material of '{name}'"): "un material de '{name}'",
    (
        "*",
        "a mesh that the job keeps was purged meanwhile: start it again",
    ): ("una malla que el trabajo guarda se purgó entretanto: inícielo de nuevo"),
    (
        "*",
        "a path is a Path or a pair (points, radii), and path {number} is a {kind}",
    ): ("una trayectoria es un Path o un par (points, radii), y la trayectoria {number} es un {kind}"),
    ("*", "a result"): "un resultado",
    (
        "*",
        "a sweep needs at least one segment, and an end for each start",
    ): ("un barrido necesita al menos un segmento, y un final para cada comienzo"),
    ("*", "a sweep's points must be finite numbers"): "los puntos de un barrido deben ser números finitos",
    ("*", "a sweep's radii must be positive numbers"): "los radios de un barrido deben ser números positivos",
    (
        "*",
        "an offset of {distance} is less than a voxel ({voxel_size}): offset by more, or make the voxels smaller",
    ): ("un desfase de {distance} es menos que un vóxel ({voxel_size}): desfase más, o use vóxeles menores"),
    ("*", "belongs to someone else"): "pertenece a otra persona",
    (
        "*",
        "box '{name}': each coordinate of the second corner must be greater than the first's",
    ): ("caja '{name}': cada coordenada de la segunda esquina debe ser mayor que la de la primera"),
    ("*", "can be written to by others"): "otros pueden escribir en ella",
    ("*", "chord tolerance"): "tolerancia de cuerda",
    ("*", "delete it, and it is made anew"): "elimínela, y se creará de nuevo",
    ("*", "edges {rms:.4f} RMS, {largest:.3f} at most"): "bordes {rms:.4f} RMS, {largest:.3f} como máximo",
    (
        "*",
        "face centroids {rms:.4f} RMS, {largest:.3f} at most",
    ): ("centros de caras {rms:.4f} RMS, {largest:.3f} como máximo"),
    ("*", "frame {frame}: {error}"): "fotograma {frame}: {error}",
    (
        "*",
        "grid origin is not finite: move the object nearer to the world's origin",
    ): ("el origen de la cuadrícula no es finito: acerque el objeto al origen del mundo"),
    (
        "*",
        "grid shape {shape}: give (Z, Y, X), whole numbers of voxels, at least one of each",
    ): ("forma de la cuadrícula {shape}: dé (Z, Y, X), números enteros de vóxeles, al menos uno de cada"),
    (
        "*",
        "half_width {width:g}: it is in voxels, from 1 to {most}; or 0 for no narrow band",
    ): ("half_width {width:g}: en vóxeles, de 1 a {most}; o 0 para ninguna banda estrecha"),
    (
        "*",
        "install it with pip install 'voxel-carve[cuda]', or install the extension's cuda flavour instead of "
        "the cpu one",
    ): ("instálelo con pip install 'voxel-carve[cuda]', o instale la variante cuda de la extensión en vez de la cpu"),
    ("*", "install it with pip install numba"): "instálelo con pip install numba",
    ("*", "is a symbolic link"): "es un enlace simbólico",
    ("*", "is not a folder"): "no es una carpeta",
    (
        "*",
        "is not a text file: export the toolpath as comma separated values in UTF-8",
    ): ("no es un archivo de texto: exporte la trayectoria de herramienta como valores separados por comas en UTF-8"),
    ("*", "it is no manifold"): "no es una variedad",
    (
        "*",
        "it is open, and the paths come near a hole of it",
    ): ("está abierto, y las trayectorias pasan cerca de un agujero"),
    ("*", "it is thinner than twice the offset"): "es más delgado que el doble del desfase",
    ("*", "job"): "trabajo",
    (
        "*",
        "kernels are being compiled: wait until they are ready, and clear them then",
    ): ("los núcleos se están compilando: espere a que estén listos, y bórrelos entonces"),
    ("*", "make it yours, writable for you alone"): "hágala suya, con permiso de escritura solo para usted",
    (
        "*",
        "make it yours, writable for you alone, or name another in {variable}",
    ): "hágala suya, con permiso de escritura solo para usted, o indique otra en {variable}",
    (
        "*",
        "memory ran out while carving: choose larger voxels, or a lower memory limit",
    ): ("se agotó la memoria al tallar: elija vóxeles mayores, o un límite de memoria menor"),
    (
        "*",
        "no frames from {start} to {end}: choose a later end",
    ): ("no hay fotogramas de {start} a {end}: elija un final posterior"),
    (
        "*",
        "no path: select a curve, or give a toolpath",
    ): ("sin trayectoria: seleccione una curva, o dé una trayectoria de herramienta"),
    (
        "*",
        "no process could be started for the {task} ({error})",
    ): ("no se pudo iniciar un proceso para {task} ({error})"),
    (
        "*",
        "no process could be started to compile the fast kernels ({error})",
    ): ("no se pudo iniciar un proceso para compilar los núcleos rápidos ({error})"),
    (
        "*",
        "no voxel's centre is inside: make the voxels smaller",
    ): ("ningún centro de vóxel está dentro: use vóxeles menores"),
    (
        "*",
        "nothing is left of '{name}': the paths carve all of it away; check the radius, or carve less",
    ): ("no queda nada de '{name}': las trayectorias se lo llevan todo; revise el radio, o talle menos"),
    (
        "*",
        "nothing is left of '{name}': the paths do not reach it",
    ): ("no queda nada de '{name}': las trayectorias no lo alcanzan"),
    (
        "*",
        "nothing is left of '{name}': what the paths share with it is thinner than a voxel; {remedy}",
    ): ("no queda nada de '{name}': lo que las trayectorias comparten con él es más delgado que un vóxel; {remedy}"),
    ("*", "nothing is left of '{name}': {hint}"): "no queda nada de '{name}': {hint}",
    ("*", "numba does not start ({error}): {remedy}"): "Numba no arranca ({error}): {remedy}",
    ("*", "numba is not installed: {remedy}"): "Numba no está instalado: {remedy}",
    ("*", "off the exact surface, in voxels: {parts}"): "distancia a la superficie exacta, en vóxeles: {parts}",
    (
        "*",
        "path '{name}' has no points: draw at least one",
    ): ("la trayectoria '{name}' no tiene puntos: dibuje al menos uno"),
    (
        "*",
        "path '{name}' has {bad} of {count} points whose coordinates are not numbers or are too large",
    ): (
        "la trayectoria '{name}' tiene {bad} de {count} puntos cuyas coordenadas no son números o son demasiado grandes"
    ),
    (
        "*",
        "path '{name}' has {bad} of {count} points whose radius is not a positive number: give each a radius",
    ): (
        "la trayectoria '{name}' tiene {bad} de {count} puntos cuyo radio no es un número positivo: dé un "
        "radio a cada uno"
    ),
    (
        "*",
        "path '{name}' has {bad} of {count} points whose weight is not positive",
    ): ("la trayectoria '{name}' tiene {bad} de {count} puntos cuyo peso no es positivo"),
    (
        "*",
        "path '{name}' would take more than {most:,} points: use larger voxels",
    ): ("la trayectoria '{name}' necesitaría más de {most:,} puntos: use vóxeles mayores"),
    ("*", "path '{name}': {error}"): "trayectoria '{name}': {error}",
    ("*", "radius"): "radio",
    (
        "*",
        "resolution {resolution}: it must be a whole number of voxels, at least 1",
    ): ("resolución {resolution}: debe ser un número entero de vóxeles, al menos 1"),
    (
        "*",
        "simplifying needs numba: {error}; or set the adaptivity to 0",
    ): ("simplificar necesita Numba: {error}; o ponga la adaptabilidad a 0"),
    (
        "*",
        "the fast kernels could not be compiled (status {status}), see {log}",
    ): ("los núcleos rápidos no se pudieron compilar (estado {status}), véase {log}"),
    (
        "*",
        "the fast kernels were compiled for this process alone, because {error}",
    ): ("los núcleos rápidos se compilaron solo para este proceso, porque {error}"),
    (
        "*",
        "the file of volume '{name}' cannot be loaded: {error}",
    ): ("el archivo del volumen '{name}' no se puede cargar: {error}"),
    (
        "*",
        "the folder for compiled kernels, {path}, cannot be made: {fault}",
    ): ("la carpeta de los núcleos compilados, {path}, no se puede crear: {fault}"),
    (
        "*",
        "the folder for compiled kernels, {path}, cannot be written to: {fault}",
    ): ("en la carpeta de los núcleos compilados, {path}, no se puede escribir: {fault}"),
    (
        "*",
        "the folder for compiled kernels, {path}, {fault}: {remedy}",
    ): ("la carpeta de los núcleos compilados, {path}, {fault}: {remedy}"),
    (
        "*",
        "the grids of volume '{name}' cannot be saved: {error}",
    ): ("las cuadrículas del volumen '{name}' no se pueden guardar: {error}"),
    (
        "*",
        "the job has more than 2^31 elements in one array of {name}: choose cpu",
    ): ("el trabajo tiene más de 2^31 elementos en una matriz de {name}: elija cpu"),
    (
        "*",
        "the job needs about {needed} and may take {allowed}: a voxel size of {voxel_size} would fit",
    ): ("el trabajo necesita unos {needed} y puede tomar {allowed}: un tamaño de vóxel de {voxel_size} cabría"),
    (
        "*",
        "the job needs about {needed} and may take {allowed}: no voxel size would fit; raise the limit, or "
        "give it fewer faces and segments",
    ): (
        "el trabajo necesita unos {needed} y puede tomar {allowed}: ningún tamaño de vóxel cabría; suba el "
        "límite, o dele menos caras y segmentos"
    ),
    (
        "*",
        "the kernels cannot be compiled for {device} ({error}): choose cpu",
    ): ("los núcleos no se pueden compilar para {device} ({error}): elija cpu"),
    ("*", "the others leave nothing of it"): "los demás no dejan nada de ello",
    ("*", "the paths do not touch '{name}': it comes back whole"): "las trayectorias no tocan '{name}': vuelve entero",
    (
        "*",
        "the paths lie inside '{name}': it comes back whole",
    ): ("las trayectorias están dentro de '{name}': vuelve entero"),
    (
        "*",
        "the process of the boolean ended with status {status}, perhaps for want of memory: use larger "
        "voxels, or choose Remesh",
    ): (
        "el proceso del booleano terminó con el estado {status}, quizá por falta de memoria: use vóxeles "
        "mayores, o elija Rehacer malla"
    ),
    (
        "*",
        "the process of the job ended with status {status}, perhaps for want of memory: use larger voxels, or "
        "set a memory limit",
    ): (
        "el proceso del trabajo terminó con el estado {status}, quizá por falta de memoria: use vóxeles "
        "mayores, o fije un límite de memoria"
    ),
    (
        "*",
        "the process that writes the volume ended with status {status}, perhaps for want of memory: use "
        "larger voxels, or make a mesh",
    ): (
        "el proceso que escribe el volumen terminó con el estado {status}, quizá por falta de memoria: use "
        "vóxeles mayores, o cree una malla"
    ),
    (
        "*",
        "the progress function raised StopIteration: raise CarveCancelled to stop the job",
    ): "la función progress lanzó StopIteration: lance CarveCancelled para detener el trabajo",
    (
        "*",
        "the result is not closed: please report this as a bug",
    ): ("el resultado no está cerrado: por favor, informe de este fallo"),
    ("*", "the scene"): "la escena",
    (
        "*",
        "the size of a voxel: give either voxel_size or resolution",
    ): ("el tamaño de un vóxel: dé voxel_size o resolution"),
    (
        "*",
        "the stock of '{name}' was deleted: choose another, or apply",
    ): ("la pieza en bruto de '{name}' se eliminó: elija otra, o aplique"),
    (
        "*",
        "the surface leaves the bricks where it was looked for: please report this as a bug",
    ): ("la superficie sale de los bloques donde se buscó: por favor, informe de este fallo"),
    ("*", "the surface to simplify is not closed"): "la superficie por simplificar no está cerrada",
    (
        "*",
        "there is no CUDA device {number}: choose another, there is {last}",
    ): ("no hay dispositivo CUDA {number}: elija otro, hay {last}"),
    (
        "*",
        "CUDA device {number} is too old for Warp: choose another, or cpu",
    ): ("el dispositivo CUDA {number} es demasiado antiguo para Warp: elija otro, o cpu"),
    (
        "*",
        "the NVIDIA driver does not start ({error}): restart the computer, or install the driver anew, or choose cpu",
    ): (
        "el controlador de NVIDIA no se inicia ({error}): reinicie el equipo, o instale el controlador de "
        "nuevo, o elija cpu"
    ),
    (
        "*",
        "the NVIDIA driver finds no graphics card, and CUDA_VISIBLE_DEVICES is '{value}', which hides "
        "others: unset it, or choose cpu",
    ): (
        "el controlador de NVIDIA no encuentra ninguna tarjeta gráfica, y CUDA_VISIBLE_DEVICES es '{value}', "
        "lo que oculta las demás: elimine la variable, o elija cpu"
    ),
    (
        "*",
        "the NVIDIA driver finds no graphics card: check that one is installed and switched on, or choose cpu",
    ): (
        "el controlador de NVIDIA no encuentra ninguna tarjeta gráfica: compruebe que haya una instalada y "
        "encendida, o elija cpu"
    ),
    (
        "*",
        "the NVIDIA driver is damaged ({error}): install it anew, or choose cpu",
    ): ("el controlador de NVIDIA está dañado ({error}): instálelo de nuevo, o elija cpu"),
    (
        "*",
        "the NVIDIA driver is too old: it has CUDA {found}, and Warp needs {needed}; install version "
        "{release} or newer, or choose cpu",
    ): (
        "el controlador de NVIDIA es demasiado antiguo: tiene CUDA {found}, y Warp necesita {needed}; "
        "instale la versión {release} o posterior, o elija cpu"
    ),
    (
        "*",
        "the graphics card is too old: it has compute capability {found}, and Warp needs {needed}; choose cpu",
    ): (
        "la tarjeta gráfica es demasiado antigua: tiene la capacidad de cálculo {found}, y Warp necesita "
        "{needed}; elija cpu"
    ),
    (
        "*",
        "CUDA needs an NVIDIA driver: install version {release} or newer, for an NVIDIA graphics card, or choose cpu",
    ): (
        "CUDA necesita un controlador de NVIDIA y no lo encuentra: instale la versión {release} o posterior, para una "
        "tarjeta NVIDIA, o elija cpu"
    ),
    (
        "*",
        "there is no folder for compiled kernels: HOME names no folder of the user's",
    ): ("no hay carpeta para los núcleos compilados: HOME no indica ninguna carpeta del usuario"),
    ("*", "there is no material '{name}': choose another, or none"): "no hay material '{name}': elija otro, o ninguno",
    (
        "*",
        "to keep the stock takes manifold3d, which the extension brings along: install its zip again, or choose Remesh",
    ): (
        "mantener la pieza en bruto necesita manifold3d, que la extensión trae consigo: instale de nuevo su "
        "zip, o elija Rehacer malla"
    ),
    ("*", "tolerance"): "tolerancia",
    (
        "*",
        "true edges {rms:.4f} RMS, {largest:.3f} at most",
    ): ("bordes verdaderos {rms:.4f} RMS, {largest:.3f} como máximo"),
    ("*", "unknown operation '{operation}': choose {choices}"): "operación desconocida '{operation}': elija {choices}",
    (
        "*",
        "use voxels of at most {voxel_size}, or a larger radius",
    ): ("use vóxeles de {voxel_size} como máximo, o un radio mayor"),
    ("*", "vertices {rms:.4f} RMS, {largest:.3f} at most"): "vértices {rms:.4f} RMS, {largest:.3f} como máximo",
    ("*", "volume '{name}'"): "volumen '{name}'",
    (
        "*",
        "volume '{name}' has no grid of numbers: choose a level set or a fog",
    ): ("el volumen '{name}' no tiene cuadrícula de números: elija un level set o una niebla"),
    ("*", "volume {volume} added"): "volumen {volume} añadido",
    ("*", "volume {volume} removed"): "volumen {volume} quitado",
    (
        "*",
        "volumes need the openvdb module, which this Python does not have: use Blender as blender.org builds it, or "
        "bpy from the Python Package Index",
    ): (
        "los volúmenes necesitan el módulo openvdb, que este Python no tiene: use Blender como lo compila "
        "blender.org, o bpy del Python Package Index"
    ),
    ("*", "voxel size"): "tamaño de vóxel",
    (
        "*",
        "voxel size {voxel_size} is larger than '{name}', whose longest side is {longest}: try {suggested}",
    ): (
        "el tamaño de vóxel {voxel_size} es mayor que '{name}', cuyo lado más largo mide {longest}: pruebe {suggested}"
    ),
    (
        "*",
        "voxel size {voxel_size} is too small for a size of {size}",
    ): ("el tamaño de vóxel {voxel_size} es demasiado pequeño para un tamaño de {size}"),
    (
        "*",
        "voxel size {voxel_size} makes no grid for '{name}', of {longest}",
    ): ("el tamaño de vóxel {voxel_size} no da cuadrícula para '{name}', de {longest}"),
    (
        "*",
        "what the paths add to '{name}' is thinner than a voxel: it comes back whole; {remedy}",
    ): ("lo que las trayectorias añaden a '{name}' es más delgado que un vóxel: vuelve entero; {remedy}"),
    (
        "*",
        "what the paths take out of '{name}' is thinner than a voxel: it comes back whole; {remedy}",
    ): ("lo que las trayectorias quitan de '{name}' es más delgado que un vóxel: vuelve entero; {remedy}"),
    ("*", "{backend} on {device}"): "{backend} en {device}",
    ("*", "{count} objects applied: no longer carved again"): "{count} objetos aplicados: ya no se vuelven a tallar",
    (
        "*",
        "{error}: let this user have more processes and threads, or end others",
    ): ("{error}: permita a este usuario más procesos e hilos, o termine otros"),
    ("*", "{error}; it was not kept, because {reason}"): "{error}; no se mantuvo, porque {reason}",
    ("*", "{filename} in {path} cannot be deleted: {fault}"): "{filename} en {path} no se puede eliminar: {fault}",
    ("*", "{file} cannot be read as {suffix}: {error}"): "{file} no se puede leer como {suffix}: {error}",
    ("*", "{file} could not be written: {error}"): "{file} no se pudo escribir: {error}",
    (
        "*",
        "{file} has no column 'radius': add one, or give a radius",
    ): ("{file} no tiene columna 'radius': añada una, o dé un radio"),
    (
        "*",
        "{file} has no points: give at least one line under the header",
    ): ("{file} no tiene puntos: dé al menos una línea bajo el encabezado"),
    (
        "*",
        "{file} is empty: it needs the header x,y,z[,radius][,path] and a line for each point",
    ): ("{file} está vacío: necesita el encabezado x,y,z[,radius][,path] y una línea para cada punto"),
    (
        "*",
        "{file} is not a toolpath that we read: export it as {choices}",
    ): ("{file} no es una trayectoria de herramienta que leamos: expórtela como {choices}"),
    ("*", "{file} is too large: {error}"): "{file} es demasiado grande: {error}",
    ("*", "{file}, line {line}, column '{name}': {fault}"): "{file}, línea {line}, columna '{name}': {fault}",
    (
        "*",
        "{file}, line {line}: path '{label}' ended in line {last} already: put the points of a path together",
    ): (
        "{file}, línea {line}: la trayectoria '{label}' ya terminó en la línea {last}: ponga juntos los "
        "puntos de una trayectoria"
    ),
    (
        "*",
        "{file}, line {line}: {count} fields where the header has {expected} ({header})",
    ): ("{file}, línea {line}: {count} campos donde el encabezado tiene {expected} ({header})"),
    (
        "*",
        "{file}: a volume needs the narrow band: carve with half_width=3",
    ): ("{file}: un volumen necesita la banda estrecha: talle con half_width=3"),
    (
        "*",
        "{name} has no room left ({error}): use larger voxels, or cpu",
    ): ("{name} no tiene más sitio ({error}): use vóxeles mayores, o cpu"),
    (
        "*",
        "{name} has {free:.0f} MiB of memory free, and the job needs about {needed:.0f} MiB: use larger "
        "voxels, or choose cpu",
    ): (
        "{name} tiene {free:.0f} MiB de memoria libres, y el trabajo necesita unos {needed:.0f} MiB: use "
        "vóxeles mayores, o elija cpu"
    ),
    ("*", "{name} was deleted meanwhile: nothing was changed"): "{name} se eliminó entretanto: no se cambió nada",
    ("*", "{name} {length:g}: it must be a positive length"): "{name} {length:g}: debe ser una longitud positiva",
    ("*", "{name} {value}: it must be a number of bytes"): "{name} {value}: debe ser un número de bytes",
    (
        "*",
        "{owner} has faces of shape {shape}: give (M, 3), three indices for each triangle",
    ): ("{owner} tiene caras de la forma {shape}: dé (M, 3), tres índices para cada triángulo"),
    (
        "*",
        "{owner} has faces of unequal size: give (M, 3), three indices for each triangle",
    ): ("{owner} tiene caras de tamaño desigual: dé (M, 3), tres índices para cada triángulo"),
    (
        "*",
        "{owner} has faces that refer to missing vertices: the data is damaged",
    ): ("{owner} tiene caras que se refieren a vértices que faltan: los datos están dañados"),
    (
        "*",
        "{owner} has faces whose indices are not whole numbers: give integers",
    ): ("{owner} tiene caras cuyos índices no son números enteros: dé enteros"),
    (
        "*",
        "{owner} has points of shape {shape}: give (N, 3), a row (x, y, z) for each point",
    ): ("{owner} tiene puntos de la forma {shape}: dé (N, 3), una fila (x, y, z) para cada punto"),
    (
        "*",
        "{owner} is not an array of numbers with rows of one length: {error}",
    ): ("{owner} no es una matriz de números con filas de igual longitud: {error}"),
    ("*", "{text} is larger than {largest:g}"): "{text} es mayor que {largest:g}",
    ("*", "{text} is not a finite number"): "{text} no es un número finito",
    ("*", "{text} is not a positive radius"): "{text} no es un radio positivo",
    ("*", "{what} {shown}: it must be a positive length"): "{what} {shown}: debe ser una longitud positiva",
    (
        "*",
        "a volume is a file beside the .blend: save that first, or choose a Volume Folder under Options",
    ): ("un volumen es un archivo junto al .blend: guarde este primero o elija una carpeta de volúmenes en Opciones"),
    (
        "*",
        "'{name}' is itself the result of a carve: show and select its stock for a new one",
    ): ("'{name}' es en sí el resultado de un tallado: para uno nuevo, muestre y seleccione su pieza en bruto"),
    (
        "*",
        "'{name}' carved: {change}, {total:.2f} s (of that read {read:.2f}, write {write:.2f}); its file is {file}",
    ): (
        "'{name}' tallado: {change}, {total:.2f} s (de los cuales lectura {read:.2f}, escritura {write:.2f}); su "
        "archivo es {file}"
    ),
    ("*", "backend '{name}' cannot be loaded: {error}"): ("no se puede cargar el método '{name}': {error}"),
    ("*", "backend '{name}' cannot be started: {error}"): ("no se puede iniciar el método '{name}': {error}"),
    ("*", "backend '{name}' has operations on occupancies alone, and cannot carve a mesh: choose another"): (
        "el método '{name}' solo tiene operaciones sobre ocupaciones y no puede tallar una malla: elige otro"
    ),
    (
        "*",
        "backend '{name}' lacks {lacking}, of the protocol {protocol}: update what brings it, or choose another",
    ): ("al backend '{name}' le falta {lacking}, del protocolo {protocol}: actualice lo que lo trae, o elija otro"),
    ("*", "backend '{name}' is no backend: its factory gave a {kind}"): (
        "el método '{name}' no es un método de cálculo: su factory dio un {kind}"
    ),
    ("*", "the factory of backend '{name}' is no function"): ("el factory del método '{name}' no es una función"),
    ("*", "'{name}' is no name for a backend: use small letters, and not auto or numba"): (
        "'{name}' no sirve de nombre para un método: usa minúsculas, y no auto ni numba"
    ),
    ("*", "there is a backend '{name}' already: choose another name"): ("ya hay un método '{name}': elige otro nombre"),
    ("*", "unknown backend '{name}': choose auto, cpu, cuda or cuda:N (a device's number){others}"): (
        "método '{name}' desconocido: elige auto, cpu, cuda o cuda:N (número de un dispositivo){others}"
    ),
    (
        "*",
        "'{name}' has faces behind its sheets, where all is solid: carve its parts one by one, or fill its holes",
    ): (
        "'{name}' tiene caras detrás de sus láminas, donde todo es macizo: "
        "talla sus partes una por una, o rellena sus agujeros"
    ),
    (
        "*",
        "'{name}' is a sheet whose sides cannot be told apart, like a Möbius strip: cut it, or fill its holes",
    ): (
        "'{name}' es una lámina cuyos lados no se distinguen, como una banda de Möbius: córtala, o rellena sus agujeros"
    ),
    (
        "*",
        "'{name}' is a sheet: it was carved as solid behind its faces",
    ): ("'{name}' es una lámina: se talló como maciza detrás de sus caras"),
    (
        "*",
        "'{name}' is only {size} across: scale it up, with all that goes with it",
    ): "'{name}' solo mide {size}: amplíelo, con todo lo que lo acompaña",
    (
        "*",
        "unknown open_stock '{open_stock}': choose {choices}",
    ): ("open_stock '{open_stock}' es desconocido: elige entre {choices}"),
    (
        "*",
        "a shell of '{name}' lies inside another and looks the same way: it was filled; flip its normals if it "
        "is a hollow",
    ): (
        "una cáscara de '{name}' está dentro de otra y mira en el mismo sentido: se rellenó; invierta sus normales "
        "si es un hueco"
    ),
    (
        "*",
        "{count} shells of '{name}' lie inside others and look the same way: they were filled; flip their "
        "normals if they are hollows",
    ): (
        "{count} cáscaras de '{name}' están dentro de otras y miran en el mismo sentido: se rellenaron; invierta "
        "sus normales si son huecos"
    ),
    (
        "*",
        "'{name}' lost {share:.0%} of its surface away from the paths, because its holes had to be filled: "
        "close them, or take it as a sheet",
    ): (
        "'{name}' perdió el {share:.0%} de su superficie lejos de las trayectorias, porque hubo que rellenar sus "
        "agujeros: ciérrelos, o tállelo como lámina"
    ),
    (
        "*",
        "'{name}' lost {share:.0%} of its surface away from the paths, because it is thinner than a voxel "
        "there: use voxels of at most {voxel_size}, or keep the stock",
    ): (
        "'{name}' perdió el {share:.0%} de su superficie lejos de las trayectorias, porque allí es más delgado que "
        "un vóxel: use vóxeles de {voxel_size} como máximo, o mantenga la pieza en bruto"
    ),
    (
        "*",
        "a mesh is a TriMesh, a Surface, a pair (points, triangles) or a trimesh.Trimesh, and this is a {kind}",
    ): "una malla es un TriMesh, una Surface, un par (points, triangles) o un trimesh.Trimesh, y esto es un {kind}",
    (
        "*",
        "a radius of {radius} is less than a voxel, so the cut is smaller than the path: {remedy}",
    ): "un radio de {radius} es menor que un vóxel, así que el corte es menor que la trayectoria: {remedy}",
    (
        "*",
        "a point of the paths has a radius of 0: it was left out",
    ): "un punto de las trayectorias tiene radio 0: se omitió",
    (
        "*",
        "a {kind} does not say which segment made each face: give a result of carve, or its surface",
    ): "un {kind} no dice qué segmento hizo cada cara: indique un resultado de carve, o su surface",
    (
        "*",
        "a {kind} is neither a path nor a file that is open for writing bytes",
    ): "un {kind} no es ni una ruta ni un archivo abierto para escribir bytes",
    ("*", "labels is a {kind}: give Labels(stock, path)"): "labels es un {kind}: indique Labels(stock, path)",
    (
        "*",
        "OpenVDB writes a .vdb by its name: give a path, or write .nvdb",
    ): "OpenVDB escribe un .vdb por su nombre: indique una ruta, o escriba .nvdb",
    (
        "*",
        "the file has no name that ends in a format: give one, such as suffix='.stl'",
    ): "el archivo no tiene un nombre que termine en un formato: indique uno, como suffix='.stl'",
    (
        "*",
        "trimesh is not installed: install it with pip install trimesh",
    ): "trimesh no está instalado: instálelo con pip install trimesh",
    (
        "*",
        "{count} points of the paths have a radius of 0: they were left out",
    ): "{count} puntos de las trayectorias tienen radio 0: se omitieron",
    (
        "*",
        "no point of the paths has a radius: give some a radius of more than 0",
    ): "ningún punto de las trayectorias tiene radio: dé a algunos un radio mayor que 0",
    (
        "*",
        "the bevel of '{name}' ends where it starts: move its start or end",
    ): "el bisel de '{name}' termina donde empieza: mueva su inicio o su final",
    (
        "*",
        "'{name}' has an animated bevel depth, which is 0 at this frame: go to another frame",
    ): "'{name}' tiene una profundidad de bisel animada, que es 0 en este fotograma: vaya a otro fotograma",
    (
        "*",
        "'{name}' shows a part of its bevel: set its start to 0 and its end to 1",
    ): "'{name}' muestra solo una parte de su bisel: ponga su inicio en 0 y su final en 1",
    (
        "*",
        "'{name}' is cut without its taper object: give its points radii",
    ): "'{name}' se talla sin su objeto de conicidad: dé radios a sus puntos",
    (
        "*",
        "'{name}' is cut without its extrusion: set Extrude to 0",
    ): "'{name}' se talla sin su extrusión: ponga Extrusión en 0",
    (
        "*",
        "'{name}' is cut without its offset: set Offset to 0",
    ): "'{name}' se talla sin su desplazamiento: ponga Desplazamiento en 0",
    (
        "*",
        "the bevel of '{name}' is not round: it is cut as round, as wide as it is",
    ): "el bisel de '{name}' no es redondo: se talla como redondo, tan ancho como es",
    (
        "*",
        "the instances of '{name}' on '{parent}' are not cut: make them real",
    ): "las instancias de '{name}' en '{parent}' no se tallan: conviértalas en reales",
    (
        "*",
        "modifier {names} of '{name}' is not cut: remove the curve's bevel, extrusion and fill, and set a radius",
    ): (
        "el modificador {names} de '{name}' no se talla: quite el bisel, la extrusión y el relleno de la curva y "
        "dar un radio"
    ),
    (
        "*",
        "modifiers {names} of '{name}' are not cut: remove the curve's bevel, extrusion and fill, and set a radius",
    ): (
        "los modificadores {names} de '{name}' no se tallan: quite el bisel, la extrusión y el relleno de la "
        "curva y dé un radio"
    ),
    (
        "*",
        "modifier {names} of '{name}' is not cut: convert the curve to a mesh",
    ): "el modificador {names} de '{name}' no se talla: convierta la curva en malla",
    (
        "*",
        "modifiers {names} of '{name}' are not cut: convert the curve to a mesh",
    ): "los modificadores {names} de '{name}' no se tallan: convertir la curva en malla",
    (
        "*",
        "modifier {names} of '{name}' is not cut: convert the text to a curve",
    ): "el modificador {names} de '{name}' no se talla: convierta el texto en curva",
    (
        "*",
        "modifiers {names} of '{name}' are not cut: convert the text to a curve",
    ): "los modificadores {names} de '{name}' no se tallan: convertir el texto en curva",
    (
        "*",
        "all paths of '{name}' were deleted: add one, or apply",
    ): "se borraron todas las trayectorias de '{name}': añada una, o aplique",
    ("*", "path '{name}' was deleted: carved without it"): "se borró la trayectoria '{name}': tallado sin ella",
    ("*", "a path was deleted: carved without it"): "se borró una trayectoria: tallado sin ella",
    ("*", "nothing was carved along a path: {error}"): "no se talló nada a lo largo de una trayectoria: {error}",
    (
        "*",
        "'{text}' has another decimal mark than line {other}, or marks thousands: write all numbers with one "
        "mark and no other",
    ): (
        "'{text}' tiene otro signo decimal que la línea {other}, o separa millares: escribir todos los números con "
        "un solo signo"
    ),
    ("*", "'{text}' is no group code of a DXF file"): "'{text}' no es un código de grupo de un archivo DXF",
    ("*", "'{text}' is not a number, or is too large"): "'{text}' no es un número o es demasiado grande",
    ("*", "<use> shows '{name}', which it is in itself"): "<use> muestra '{name}', en el que está él mismo",
    ("*", "a line needs points"): "una línea necesita puntos",
    ("*", "a point needs three numbers"): "un punto necesita tres números",
    (
        "*",
        "character {character} of its {what} is '{text}', which may not stand there",
    ): "el carácter {character} de {what} es '{text}', que no puede estar ahí",
    (
        "*",
        "elements are in each other more than {most} deep",
    ): "los elementos están unos dentro de otros a más de {most} niveles",
    ("*", "elements use each other more than {most} times"): "los elementos se usan unos a otros más de {most} veces",
    ("*", "it begins with <{name}>, and not with <{root}>"): "empieza con <{name}> y no con <{root}>",
    (
        "*",
        "it has coordinates that are not numbers or are too large",
    ): "tiene coordenadas que no son números o son demasiado grandes",
    (
        "*",
        "it has the shape {shape}: give (N, 3) or (N, 4), with x, y, z and radius in its columns",
    ): "tiene la forma {shape}: dar (N, 3) o (N, 4), con x, y, z y radio en sus columnas",
    ("*", "it is not a text file"): "no es un archivo de texto",
    ("*", "it is not well-formed XML ({error})"): "no es XML bien formado ({error})",
    (
        "*",
        "it refers to point {text}, and there are {count} so far",
    ): "se refiere al punto {text}, y hasta ahí hay {count}",
    ("*", "its {what} is '{text}', which cannot be read"): "su {what} es '{text}', que no se puede leer",
    ("*", "its {what} is cut short"): "su {what} está cortado",
    (
        "*",
        "the file has a document type (DTD) of its own, which we do not read: export it without",
    ): "el archivo tiene un tipo de documento (DTD) propio, que no leemos: exportarlo sin él",
    (
        "*",
        "{file} does not name its columns: they were taken as {names}",
    ): "{file} no nombra sus columnas: se tomaron como {names}",
    (
        "*",
        "{file} has no path: export lines, curves or points into it",
    ): "{file} no tiene ninguna trayectoria: exportar líneas, curvas o puntos en él",
    (
        "*",
        "{file} has {columns} in {unit}: they were multiplied by {factor:g}",
    ): "{file} tiene {columns} en {unit}: se multiplicaron por {factor:g}",
    (
        "*",
        "{file} is cut short: it does not end with EOF, but with '{text}'",
    ): "{file} está cortado: no termina con EOF, sino con '{text}'",
    ("*", "{file} is in {unit}"): "{file} está en {unit}",
    (
        "*",
        "{file} is in {unit}: its lengths were multiplied by {factor:g}",
    ): "{file} está en {unit}: sus longitudes se multiplicaron por {factor:g}",
    (
        "*",
        "{file} was projected about {latitude:.6f}, {longitude:.6f} (latitude, longitude): x is east, y north",
    ): "{file} se proyectó en torno a {latitude:.6f}, {longitude:.6f} (latitud, longitud): x es el este, y el norte",
    ("*", "{file}, array '{name}' cannot be read: {error}"): "{file}, no se puede leer el array '{name}': {error}",
    (
        "*",
        "{file}, line {line} cannot be read as a table: {error}",
    ): "{file}, la línea {line} no se puede leer como tabla: {error}",
    ("*", "{file}, line {line}, column {column}: {fault}"): "{file}, línea {line}, columna {column}: {fault}",
    (
        "*",
        "{file}, line {line}: column {number} has the unit '{unit}': choose {choices}",
    ): "{file}, línea {line}: la columna {number} tiene la unidad '{unit}': elegir {choices}",
    (
        "*",
        "{file}, line {line}: column {number} is '{name}'{hint}: the first line must name the columns, such as "
        "x,y,z,radius",
    ): (
        "{file}, línea {line}: la columna {number} es '{name}'{hint}: la primera línea debe nombrar las columnas, "
        "como x,y,z,radius"
    ),
    (
        "*",
        "{file}, line {line}: the column '{name}' is missing: the header is x,y,z[,radius][,path]",
    ): "{file}, línea {line}: falta la columna '{name}': el encabezado es x,y,z[,radius][,path]",
    (
        "*",
        "{file}, line {line}: the column '{name}' stands there twice",
    ): "{file}, línea {line}: la columna '{name}' está dos veces",
    ("*", "{file}, path {label}: {fault}"): "{file}, trayectoria {label}: {fault}",
    (
        "*",
        "{file}, row {row}, column '{column}': {value:g} is not a number that it can be",
    ): "{file}, fila {row}, columna '{column}': {value:g} no es un número válido ahí",
    (
        "*",
        "{file}: 'points' has the shape {shape} and 'radii' {other}: give (N, 3) and (N,)",
    ): "{file}: 'points' tiene la forma {shape} y 'radii' {other}: dar (N, 3) y (N,)",
    (
        "*",
        "{file}: columns that we do not know were ignored: {names}",
    ): "{file}: se ignoraron columnas que no conocemos: {names}",
    (
        "*",
        "{file}: commas in its numbers were read as decimal marks",
    ): "{file}: las comas de sus números se leyeron como signos decimales",
    (
        "*",
        "{file}: ezdxf is missing, which reads .dxf: install it (pip install ezdxf), or export the drawing as .svg",
    ): "{file}: falta ezdxf, que lee .dxf: instalarlo (pip install ezdxf), o exportar el dibujo como .svg",
    (
        "*",
        "{file}: it holds no numbers: give an array of floats",
    ): "{file}: no contiene números: dar un array de decimales",
    ("*", "{file}: its columns are not of the same length"): "{file}: sus columnas no tienen la misma longitud",
    ("*", "{file}: left out, as they are no paths: {what}"): "{file}: omitido, por no ser trayectorias: {what}",
    (
        "*",
        "{file}: {count} points have no elevation: it was taken as 0",
    ): "{file}: {count} puntos no tienen elevación: se tomó como 0",
    ("*", "{what} is '{text}', which is not a number"): "{what} es '{text}', que no es un número",
    ("*", "{what} is {value:g}, beyond {largest:g} degrees"): "{what} es {value:g}, más allá de {largest:g} grados",
    ("*", "{file} has no radius: give one"): "{file} no tiene radio: indique uno",
    ("*", "{file}: a unit of the drawing is {length:g} m"): "{file}: una unidad del dibujo es {length:g} m",
    ("*", "the file is a {kind}: give its path"): "el archivo es un {kind}: indique su ruta",
    (
        "*",
        "{what} {unit}: choose {choices}, or give its meters, a positive number",
    ): "{what} {unit}: elija {choices}, o indique sus metros, un número positivo",
    (
        "*",
        "a grid is a Grid, and this is a {kind}: plan_grid makes one",
    ): "una rejilla es un Grid, y esto es un {kind}: plan_grid crea una",
    (
        "*",
        "the bounds of a grid are of {kind}: give (2, 3), minimum and maximum (x, y, z), such as mesh.bounds()",
    ): "los límites de una rejilla son {kind}: indique (2, 3), mínimo y máximo (x, y, z), como mesh.bounds()",
    (
        "*",
        "the bounds of a grid must be finite, and no minimum above its maximum",
    ): "los límites de una rejilla deben ser finitos, y ningún mínimo mayor que su máximo",
    ("*", "the bounds of a grid"): "los límites de una rejilla",
    (
        "*",
        "'{suffix}' is no suffix of a file: give one, such as '.stl'",
    ): "'{suffix}' no es una extensión de archivo: indique una, como '.stl'",
    ("*", "inches"): "pulgadas",
    ("*", "'{name}' made of one ball"): "'{name}' creado con una bola",
    ("*", "'{name}' made of one path"): "'{name}' creado con una trayectoria",
    ("*", "'{name}' made of one stroke"): "'{name}' creado con un trazo",
    ("*", "'{name}' made: one frame, {seconds:.2f} s"): "'{name}' creado: un fotograma, {seconds:.2f} s",
    (
        "*",
        "operations and paths differ in number, {count} and {paths}: give one for each, or one for all",
    ): "operaciones y trayectorias difieren en número, {count} y {paths}: dé una para cada una, o una para todas",
    (
        "*",
        "the points and radii of path '{name}' differ in number, {count} and {size}: give one for each",
    ): "los puntos y los radios de la trayectoria '{name}' difieren en número, {count} y {size}: dé uno para cada uno",
    (
        "*",
        "the segments of a sweep and its {name} differ in number, {count} and {size}: give one for each",
    ): "los segmentos de un barrido y su {name} difieren en número, {count} y {size}: dé uno para cada uno",
    ("*", "a sweep has no such segments: {error}"): "un barrido no tiene tales segmentos: {error}",
    (
        "*",
        "labels and faces differ in number, {size} and {count}: give one for each face",
    ): "etiquetas y caras difieren en número, {size} y {count}: dé una para cada cara",
    (
        "*",
        "'{name}' lists a face that is there already: it counts once",
    ): "'{name}' enumera una cara que ya está: cuenta una vez",
    (
        "*",
        "'{name}' has {bad} of {count} instances whose transform is not made of numbers",
    ): "'{name}' tiene {bad} de {count} instancias cuya transformación no consta de números",
    (
        "*",
        "'{name}' turns into a face: a path is a curve, or edges without faces",
    ): "'{name}' se convierte en una cara: una trayectoria es una curva, o bordes sin caras",
    ("*", "{file}: a point has no elevation: it was taken as 0"): "{file}: un punto no tiene elevación: se tomó como 0",
    (
        "*",
        "{file}, line {line}: one field where the header has {expected} ({header})",
    ): "{file}, línea {line}: un campo donde el encabezado tiene {expected} ({header})",
    (
        "*",
        "what step {step} adds to '{name}' is thinner than a voxel: it changes nothing; {remedy}",
    ): "lo que el paso {step} añade a '{name}' es más delgado que un vóxel: no cambia nada; {remedy}",
    (
        "*",
        "the paths of step {step} lie inside '{name}': it changes nothing",
    ): "las trayectorias del paso {step} están dentro de '{name}': no cambia nada",
    (
        "*",
        "what step {step} takes out of '{name}' is thinner than a voxel: it changes nothing; {remedy}",
    ): "lo que el paso {step} quita de '{name}' es más delgado que un vóxel: no cambia nada; {remedy}",
    (
        "*",
        "the paths of step {step} do not touch '{name}': it changes nothing",
    ): "las trayectorias del paso {step} no tocan '{name}': no cambia nada",
    (
        "*",
        "{file} hides all its paths ({what}): show their layers",
    ): "{file} oculta todas sus trayectorias ({what}): muestre sus capas",
    ("*", "{file}: left out, as the drawing hides them: {what}"): "{file}: omitido, porque el dibujo lo oculta: {what}",
    (
        "*",
        "{file}: the columns after the third were ignored; where one is the radius, name the columns",
    ): "{file}: se ignoraron las columnas tras la tercera; si una es el radio, dé nombre a las columnas",
    ("*", "{file} is not in UTF-8: it was read as Windows-1252"): "{file} no está en UTF-8: se leyó como Windows-1252",
}
