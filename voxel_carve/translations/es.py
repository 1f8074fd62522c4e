"""Spanish. Stock is pieza en bruto, to carve is tallar, a sweep is a barrido, a groove a ranura."""

MESSAGES = {
    ("Operator", "Add Carving Path"): "Agregar trayectoria de tallado",
    ("Operator", "Add Selected Paths"): "Agregar trayectorias seleccionadas",
    ("Operator", "Add Voxel Carve Preset"): "Agregar preajuste de Voxel Carve",
    ("Operator", "Annotation to Carving Path"): "Anotación a trayectoria de tallado",
    ("Operator", "Apply"): "Aplicar",
    ("Operator", "Bake Frames"): "Capturar fotogramas",
    ("Operator", "Cancel Voxel Carve"): "Cancelar Voxel Carve",
    ("Operator", "Carve"): "Tallar",
    ("Operator", "Carving Path"): "Trayectoria de tallado",
    ("Operator", "Check"): "Comprobar",
    ("Operator", "Check Backend"): "Comprobar método",
    ("Operator", "Clear"): "Eliminar",
    ("Operator", "Clear Compiled Kernels"): "Eliminar núcleos compilados",
    ("Operator", "Copy Diagnostics"): "Copiar diagnóstico",
    ("Operator", "Fit Path to Groove"): "Ajustar trayectoria a la ranura",
    ("Operator", "Move Path"): "Mover trayectoria",
    ("Operator", "Open the Manual"): "Abrir el manual",
    ("Operator", "Import Toolpath"): "Importar trayectoria de herramienta",
    ("Operator", "Remove Path"): "Quitar trayectoria",
    ("Operator", "Update"): "Actualizar",
    ("Operator", "Voxel Boolean"): "Booleana de vóxeles",
    ("Operator", "Voxel Carve"): "Tallar con vóxeles",
    ("Operator", "Voxel Offset"): "Desplazamiento de vóxeles",
    ("Operator", "Voxelize"): "Voxelizar",
    ("*", "About {figures}"): "Unos {figures}",
    ("*", "Adaptivity"): "Adaptabilidad",
    ("*", "Added"): "Agregado",
    ("*", "Advanced"): "Avanzado",
    ("*", "All"): "Todo",
    ("*", "All Selected"): "Todos los seleccionados",
    ("*", "As most CNC programs write them"): "Como los escriben la mayoría de los programas CNC",
    ("*", "As the scene's settings have it"): "Como en las opciones de la escena",
    ("*", "Same as Settings"): "Como los ajustes",
    ("*", "Automatic"): "Automático",
    ("*", "Backend"): "Método",
    ("*", "Boolean"): "Booleana",
    ("*", "Cancel"): "Cancelar",
    ("*", "Cancelled: nothing was changed"): "Cancelado: no se modificó nada",
    ("*", "Carve along this path earlier or later"): "Tallar a lo largo de esta trayectoria antes o después",
    ("*", "Carve along this path as the settings say"): "Tallar a lo largo de esta trayectoria como dicen los ajustes",
    ("*", "Carve along the selected paths, whatever is selected later"): (
        "Tallar a lo largo de las trayectorias seleccionadas, se seleccione lo que se seleccione después"
    ),
    ("*", "Carve Grid and Sweep"): "Cuadrícula y barrido de tallado",
    ("*", "Centimeters"): "Centímetros",
    ("*", "Closed"): "Cerrada",
    ("*", "Combine"): "Combinación",
    ("*", "Compile"): "Compilación",
    ("*", "Preparing, First Use Only"): "Preparando, solo la primera vez",
    ("*", "Compiled Kernels"): "Núcleos compilados",
    ("*", "Compute in Another Process"): "Calcular en otro proceso",
    ("*", "Compute on this device alone"): "Calcula solo en este dispositivo",
    ("*", "CUDA Device"): "Dispositivo CUDA",
    ("*", "Curve, text, points or mesh of edges that the tool runs along"): (
        "Curva, texto, puntos o malla de bordes que recorre la herramienta"
    ),
    ("*", "Custom Normals"): "Normales personalizadas",
    ("*", "Cut Material"): "Material del corte",
    ("*", "Deleted"): "Eliminada",
    ("*", "Diagnostics copied to the clipboard"): "Diagnóstico copiado al portapapeles",
    ("*", "Direction"): "Dirección",
    ("*", "Distance"): "Distancia",
    ("*", "Down"): "Abajo",
    ("*", "End"): "Fin",
    ("*", "Faces"): "Caras",
    ("*", "Done"): "Listo",
    ("*", "Factor"): "Factor",
    ("*", "Feet"): "Pies",
    ("*", "First frame"): "Primer fotograma",
    ("*", "Fit"): "Ajustar",
    ("*", "Frames from one object to the next"): "Fotogramas de un objeto al siguiente",
    ("*", "Frames of the Scene"): "Fotogramas de la escena",
    ("*", "From Curve"): "De la curva",
    ("*", "Give this path the radius beside it, whatever its bevel and the settings"): (
        "Dar a esta trayectoria el radio de al lado, digan lo que digan su bisel y los ajustes"
    ),
    ("*", "Grid and Sweep"): "Cuadrícula y barrido",
    ("*", "Half of the {memory} free"): "La mitad de los {memory} libres",
    ("*", "How far the walls of the groove may be from the tool along the curve. 0 is its largest radius"): (
        "A qué distancia de la herramienta a lo largo de la curva pueden estar las paredes de la ranura. 0 "
        "es su mayor radio"
    ),
    ("*", "How they are combined"): "Cómo se combinan",
    (
        "*",
        "How this path is combined with what the paths before it have left. Paths are carved in the order of the "
        "list; those that follow each other with the same operation, together",
    ): (
        "Cómo se combina esta trayectoria con lo que han dejado las anteriores. Se talla en el orden de la "
        "lista; las que se siguen con la misma operación, juntas"
    ),
    ("*", "In Another Process"): "En otro proceso",
    ("*", "Inches"): "Pulgadas",
    ("*", "Intersect"): "Intersección",
    ("*", "Join the others to the active one"): "Une los demás al activo",
    ("*", "Judge"): "Comprobación",
    ("*", "Keep Stock"): "Mantener pieza en bruto",
    ("*", "Keep what all of them share"): "Mantiene lo que todos comparten",
    ("*", "Last frame"): "Último fotograma",
    ("*", "Last Result"): "Último resultado",
    ("*", "Length"): "Longitud",
    ("*", "List of Paths"): "Lista de trayectorias",
    ("*", "Live Update"): "Actualización en vivo",
    ("*", "Memory (GiB)"): "Memoria (GiB)",
    ("*", "Memory Limit (GiB)"): "Límite de memoria (GiB)",
    ("*", "Mesh that is carved; it stays as it is"): "Malla que se talla; queda como está",
    ("*", "Millimeters"): "Milímetros",
    ("*", "Meters"): "Metros",
    (
        "*",
        (
            "Move the points of the selected curve, and change their radii, until a tool along it would leave "
            "the groove in the selected mesh"
        ),
    ): (
        "Mueve los puntos de la curva seleccionada y cambia sus radios hasta que una herramienta a lo "
        "largo de ella dejase la ranura de la malla seleccionada"
    ),
    ("*", "No"): "No",
    ("*", "No Backend Works"): "Ningún método funciona",
    ("*", "No job is running"): "No hay ningún trabajo en curso",
    ("*", "No path reaches '{name}'"): "Ninguna trayectoria alcanza '{name}'",
    ("*", "No path: choose another for line {number} of the list, or remove it"): (
        "Sin trayectoria: elige otra para la línea {number} de la lista, o quítala"
    ),
    ("*", "No scene: nothing can be read"): "Sin escena: no se puede leer nada",
    ("*", "No stock: '{name}' has no faces"): "Sin pieza en bruto: '{name}' no tiene caras",
    ("*", "No stock: '{name}' is hidden: show it"): "Sin pieza en bruto: '{name}' está oculto: muéstrelo",
    ("*", "No stock: select a mesh or a volume"): "Sin pieza en bruto: seleccione una malla o un volumen",
    ("*", "None Selected"): "Nada seleccionado",
    ("*", "Not Checked Yet"): "Aún sin comprobar",
    ("*", "Nothing to add: select curves, texts or edges that are not in the list yet"): (
        "Nada que añadir: selecciona curvas, textos o bordes que aún no estén en la lista"
    ),
    ("*", "Number"): "Número",
    ("*", "Number of points, evenly spaced"): "Cantidad de puntos, a distancias iguales",
    ("*", "Of the path in the list, from 0; -1 is the active one"): (
        "De la trayectoria en la lista, desde 0; -1 es la activa"
    ),
    ("*", "Off Edges"): "Desvío de los bordes",
    ("*", "Off Surface"): "Desvío de la superficie",
    ("*", "Offset"): "Desplazamiento",
    ("*", "Operation"): "Operación",
    ("*", "Out of Date"): "Desactualizado",
    ("*", "Own Radius"): "Radio propio",
    ("*", "Path"): "Trayectoria",
    ("*", "Paths"): "Trayectorias",
    ("*", "Points"): "Puntos",
    ("*", "Presets"): "Preajustes",
    ("*", "Preview"): "Previsualización",
    ("*", "Radius"): "Radio",
    ("*", "Radius of the tool along the annotations"): "Radio de la herramienta a lo largo de las anotaciones",
    ("*", "Radius of the tool along this path in world space. The radius of each point multiplies it"): (
        "Radio de la herramienta en esta trayectoria, en el espacio global. El radio de cada punto lo multiplica"
    ),
    (
        "*",
        "Radius of the tool to start from, where the curve has no bevel",
    ): "Radio inicial de la herramienta, si la curva no tiene bisel",
    ("*", "Radius of the tool where a file has none. 0 leaves it to the settings of the carve"): (
        "Radio de la herramienta cuando un archivo no tiene ninguno. 0 lo deja a los ajustes del tallado"
    ),
    ("*", "Reach"): "Alcance",
    ("*", "Read"): "Lectura",
    ("*", "Recipe"): "Receta",
    ("*", "Remesh"): "Rehacer malla",
    ("*", "Remove this path from the list"): "Quitar esta trayectoria de la lista",
    ("*", "Removed"): "Quitado",
    ("*", "Replace Stock"): "Reemplazar pieza en bruto",
    ("*", "Resolution"): "Resolución",
    ("*", "Result"): "Resultado",
    ("*", "Runs on"): "Se ejecuta en",
    ("*", "Scene"): "Escena",
    ("*", "Shade Smooth"): "Sombrear suave",
    ("*", "Share the work between all CUDA devices"): "Reparte el trabajo entre todos los dispositivos CUDA",
    ("*", "Simplify"): "Simplificación",
    ("*", "Size"): "Tamaño",
    ("*", "Start"): "Inicio",
    ("*", "Step"): "Intervalo",
    ("*", "Stock"): "Pieza en bruto",
    ("*", "Subtract"): "Sustraer",
    ("*", "Surface"): "Superficie",
    ("*", "Sweep"): "Barrido",
    ("*", "Switch to Object Mode"): "Cambie al modo Objeto",
    ("*", "The fastest one that works here"): "El más rápido que funcione aquí",
    ("*", "The list is empty: add a path first"): "La lista está vacía: añade primero una trayectoria",
    ("*", "The radius must be more than 0"): "El radio debe ser mayor que 0",
    ("*", "The scene belongs to another file"): "La escena pertenece a otro archivo",
    ("*", "The stock has no size"): "La pieza en bruto no tiene tamaño",
    ("*", "The unit in which the scene shows lengths"): "La unidad en que la escena muestra las longitudes",
    ("*", "The voxel size must be more than 0"): "El tamaño de vóxel debe ser mayor que 0",
    ("*", "Time"): "Tiempo",
    ("*", "To be carved later"): "Se talla después",
    ("*", "To be carved earlier"): "Se talla antes",
    ("*", "Tolerance"): "Tolerancia",
    ("*", "Toolpath"): "Trayectoria de herramienta",
    ("*", "Transfer Attributes"): "Transferir atributos",
    ("*", "under 0.1 s"): "menos de 0.1 s",
    ("*", "Union"): "Unión",
    ("*", "Unit"): "Unidad",
    ("*", "Up"): "Arriba",
    ("*", "Update on Frame Change"): "Actualizar al cambiar de fotograma",
    ("*", "Uses {backend}"): "Usa {backend}",
    ("*", "Value"): "Valor",
    ("*", "Verify"): "Verificar",
    ("*", "Volume"): "Volumen",
    ("*", "Voxel Carve Presets"): "Preajustes de Voxel Carve",
    ("*", "Voxel Size"): "Tamaño de vóxeles",
    ("*", "Voxel Tools"): "Herramientas de vóxeles",
    ("*", "Voxelize"): "Voxelización",
    ("*", "Voxels"): "Vóxeles",
    ("*", "What the tool runs along"): "Lo que la herramienta recorre",
    ("*", "Mesh"): "Malla",
    ("*", "Where to"): "Hacia dónde",
    (
        "*",
        "What the tool runs along, in this order, whatever is selected. Leave it empty to carve along the "
        "collection or the selected paths",
    ): (
        "Lo que recorre la herramienta, en este orden, se seleccione lo que se seleccione. Vacía, se talla a lo "
        "largo de la colección o de las trayectorias seleccionadas"
    ),
    ("*", "Write"): "Escritura",
    ("*", "Yes"): "Sí",
    ("*", "{backend}, Not Checked Yet"): "{backend}, aún sin comprobar",
    ("*", "{count} Meshes: {first}, …"): "{count} mallas: {first}, …",
    ("*", "{count} Paths: {first}, …"): "{count} trayectorias: {first}, …",
    ("*", "{length} at Most"): "{length} como máximo",
    ("*", "{low} to {high}"): "{low} a {high}",
    ("*", "{memory} free"): "{memory} libres",
    ("*", "Bake"): "Capturar",
    ("*", "Animated: {names}"): "Con animación: {names}",
    ("*", "{names} and {count} more"): "{names} y {count} más",
    (
        "*",
        "Nothing is animated: all frames will be the same",
    ): "Nada tiene animación: todos los fotogramas serán iguales",
    ("*", "{count} frames"): "{count} fotogramas",
    ("*", "about {time} by the last carve"): "unos {time} según el último tallado",
    ("*", "Frame {number} of {count}"): "Fotograma {number} de {count}",
    ("*", "{time} left"): "quedan {time}",
    ("*", "'{name}' is in {mode}: switch to Object Mode"): "'{name}' está en {mode}: cambie al modo Objeto",
    (
        "*",
        "Add a path to carve along, shaped by its points, whose bevel is the tool: its radius is a twentieth of the "
        "stock's longest side, unless another is given",
    ): (
        "Agrega una trayectoria de tallado a la que dan forma sus puntos y cuyo bisel es la herramienta: su radio es "
        "un veinteavo del lado más largo de la pieza en bruto, si no se indica otro"
    ),
    (
        "*",
        "Add the settings of the panel as a preset, or remove a preset. It keeps all but Stock, Paths, "
        "Cut Material, and Grid and Sweep",
    ): (
        "Agrega las opciones del panel como preajuste, o elimina un preajuste. Contiene todo salvo Pieza en bruto, "
        "Trayectorias, Material del corte, y Cuadrícula y barrido"
    ),
    ("*", "Add what the tool sweeps along the paths to the stock: ribs, weld seams, cables"): (
        "Agrega a la pieza en bruto lo que la herramienta barre a lo largo de las trayectorias: nervios, cordones de "
        "soldadura, cables"
    ),
    ("*", "A render is running: wait for it, or cancel it"): ("Hay un procesamiento en curso: espere o cancélelo"),
    (
        "*",
        "'{name}' is sculpted with dynamic topology: switch to Object Mode",
    ): "'{name}' se está esculpiendo con topología dinámica: cambie al modo Objeto",
    (
        "*",
        "'{name}' is sculpted with Multires: switch to Object Mode",
    ): "'{name}' se está esculpiendo con Multirresolución: cambie al modo Objeto",
    ("*", "Another job is running: wait for it, or cancel it"): "Hay otro trabajo en curso: espere o cancélelo",
    ("*", "Apply every selected result, and not only the active one"): (
        "Aplica todos los resultados seleccionados, y no solo el activo"
    ),
    ("*", "Bake from the first to the last frame of the scene, instead of Start to End"): (
        "Captura del primer al último fotograma de la escena, en lugar de Inicio a Fin"
    ),
    (
        "*",
        "Build each selected mesh or volume of cubes, one for every voxel inside it; only sides that can be "
        "seen are made",
    ): (
        "Construye cada malla o volumen seleccionado con cubos, uno por cada vóxel en su interior; solo se crean "
        "los lados visibles"
    ),
    (
        "*",
        "Carry the UV maps, color attributes and vertex groups of the stock over to the faces that are left of it. "
        "Materials are carried over in any case",
    ): (
        "Traslada los mapas UV, los atributos de color y los grupos de vértices de la pieza en bruto a las caras "
        "que quedan de ella. Los materiales se trasladan en todo caso"
    ),
    ("*", "Carve again in full at every frame, in renders too, and wait for it"): (
        "Vuelve a tallar por completo en cada fotograma, también al procesar, y espera a que termine"
    ),
    (
        "*",
        "Carve again whenever the stock, a path or a setting changes: coarsely at once, and in full when you pause",
    ): (
        "Vuelve a tallar cuando cambia la pieza en bruto, una trayectoria o una opción: de inmediato en basto, y "
        "por completo al hacer una pausa"
    ),
    (
        "*",
        "Carve in a process of its own: a job that runs out of memory then ends without Blender, and starts a second "
        "later",
    ): (
        "Talla en un proceso propio: un trabajo que agote la memoria termina entonces sin Blender, y comienza un "
        "segundo más tarde"
    ),
    ("*", "Carve the active result along the selected paths as well"): (
        "Talla el resultado activo también a lo largo de las trayectorias seleccionadas"
    ),
    ("*", "Carve the active result at every frame, and keep each in an object that is seen at its frame only"): (
        "Talla el resultado activo en cada fotograma, y conserva cada uno en un objeto que solo se ve en su fotograma"
    ),
    ("*", "Carve the active result without this path"): "Talla el resultado activo sin esta trayectoria",
    ("*", "Carve the result again, as its stock, its paths and its settings are now"): (
        "Vuelve a tallar el resultado, según están ahora su pieza en bruto, sus trayectorias y sus opciones"
    ),
    ("*", "Chosen before; Check shows whether it is there"): "Elegido antes; Comprobar muestra si está presente",
    (
        "*",
        "Collection whose visible curves, texts and edges are the paths, selected or not. Leave it empty to carve "
        "along every selected one",
    ): (
        "Colección cuyas curvas, textos y bordes visibles son las trayectorias, estén o no seleccionados. Déjela "
        "vacía para tallar a lo largo de todo lo seleccionado"
    ),
    (
        "*",
        "Combine the active mesh or volume with the other selected ones, as voxels: works on open and "
        "crossing meshes too. The result is made of cubes",
    ): (
        "Combina la malla o el volumen activo con los demás seleccionados, como vóxeles: funciona también con "
        "mallas abiertas y que se cruzan. El resultado está hecho de cubos"
    ),
    ("*", "Compute on NVIDIA GPUs with Warp, which the cuda flavour of the extension brings along"): (
        "Calcula en GPU NVIDIA con Warp, que viene con la variante cuda de la extensión"
    ),
    ("*", "Compute with compiled kernels on all cores of the CPU. They are compiled once, in less than a minute"): (
        "Calcula con núcleos compilados en todos los núcleos de la CPU. Se compilan una vez, en menos de un minuto"
    ),
    (
        "*",
        "Copy versions, hardware, backend, settings and the last result's figures to the clipboard, for a bug "
        "report. Names of objects and folders are left out",
    ): (
        "Copia al portapapeles versiones, hardware, método, opciones y las cifras del último resultado, para un "
        "informe de error. Los nombres de objetos y carpetas se omiten"
    ),
    (
        "*",
        "Delete the compiled kernels from disk. They are compiled anew when they are next needed, which takes less "
        "than a minute in the background",
    ): (
        "Elimina del disco los núcleos compilados. Se vuelven a compilar cuando hacen falta, lo que lleva "
        "menos de un minuto en segundo plano"
    ),
    ("*", "Divide the longest side of the stock into so many voxels, so that details scale with the object"): (
        "Divide el lado más largo de la pieza en bruto en tantos vóxeles, para que el detalle se ajuste al tamaño "
        "del objeto"
    ),
    ("*", "Done: waits until you leave the mode, or end the transform"): (
        "Listo: espera a que salga del modo o termine la transformación"
    ),
    ("*", "Edge of a voxel. Details finer than this are lost; a groove wants a radius of two voxels or more"): (
        "Borde de un vóxel. Los detalles más finos se pierden; una ranura requiere un radio de dos vóxeles o más"
    ),
    ("*", "From the first point to the last, along the X axis of the new object"): (
        "Del primer al último punto, a lo largo del eje X del nuevo objeto"
    ),
    ("*", "Give every path the same radius, whatever its bevel"): (
        "Da el mismo radio a todas las trayectorias, sea cual sea su bisel"
    ),
    ("*", "Give the edge of a voxel as a length, the same for every stock"): (
        "Indica el borde de un vóxel como longitud, la misma para cualquier pieza en bruto"
    ),
    (
        "*",
        "Give smooth faces the normals of the stock, custom ones too, and those of the exact cut, so that the faces "
        "of the result do not show. Switch it off for a result to be sculpted or deformed, because custom normals do "
        "not follow",
    ): (
        "Da a las caras suaves las normales de la pieza en bruto, también las personalizadas, y las del corte exacto, "
        "para que no se noten las caras del resultado. Conviene desactivarlo si el resultado se va a esculpir o "
        "deformar, porque las normales personalizadas no lo siguen"
    ),
    (
        "*",
        "Give the stock itself the new mesh, with its modifiers applied, instead of adding an object and hiding the "
        "stock. Undo brings the old mesh back",
    ): (
        "Da la nueva malla a la propia pieza en bruto, con sus modificadores aplicados, en lugar de agregar un "
        "objeto y ocultarla. Deshacer recupera la malla anterior"
    ),
    ("*", "Grid and Sweep could not be drawn: see the console"): (
        "No se pudo dibujar la cuadrícula y el barrido: consulte la consola"
    ),
    (
        "*",
        "Grow or shrink each selected mesh or volume by a distance, rounded to voxels; the result is made of cubes",
    ): (
        "Agranda o encoge cada malla o volumen seleccionado una distancia, redondeada a vóxeles; el resultado está "
        "hecho de cubos"
    ),
    ("*", "How far the surface moves: outward where positive, inward where negative"): (
        "Cuánto se mueve la superficie: hacia afuera si es positivo, hacia adentro si es negativo"
    ),
    ("*", "How the size of a voxel is given. Half the voxel size takes about four times the memory and time"): (
        "Cómo se indica el tamaño de un vóxel. La mitad del tamaño requiere unas cuatro veces más memoria y tiempo"
    ),
    ("*", "How the stock and the volume that the tool sweeps are combined"): (
        "Cómo se combinan la pieza en bruto y el volumen que la herramienta barre"
    ),
    ("*", "Keep the mesh as it is, and forget what it was carved from"): (
        "Conserva la malla como está, y olvida de qué se talló"
    ),
    ("*", "Keep what the stock and the swept volume share"): (
        "Mantiene lo que la pieza en bruto y el volumen barrido comparten"
    ),
    ("*", "Make a curve with a radius of the annotations that the 3D view shows, and select it as a path"): (
        "Crea una curva con radio a partir de las anotaciones que muestra la vista 3D, y la selecciona como trayectoria"
    ),
    (
        "*",
        "Make one of the selected objects active: it is the base",
    ): "Active uno de los objetos seleccionados: es la base",
    (
        "*",
        "Material of the cut faces. Leave it empty to use the first material of each path, else a new one named "
        "Voxel Carve Cut",
    ): (
        "Material de las caras del corte. Déjelo vacío para usar el primer material de cada trayectoria, o si no, "
        "uno nuevo llamado Voxel Carve Cut"
    ),
    (
        "*",
        "Material of the cut faces. Where none is chosen, they have that of their path, else a new one, Voxel Carve "
        "Cut",
    ): (
        "Material de las caras del corte. Si no se elige ninguno, tienen el de su trayectoria, o si no, uno nuevo, "
        "Voxel Carve Cut"
    ),
    (
        "*",
        "Measure afterwards how far the result is from the exact surface and its edges, and tell it with the result. "
        "Takes longer than carving",
    ): (
        "Mide después a qué distancia está el resultado de la superficie exacta y de sus bordes, y lo indica con "
        "el resultado. Tarda más que tallar"
    ),
    (
        "*",
        "Merge faces as Adaptivity does, but by a length: how far the surface may move, whatever the voxel size. 0 "
        "leaves it to Adaptivity",
    ): (
        "Fusiona caras como Adaptabilidad, pero según una longitud: cuánto puede moverse la superficie, sea cual "
        "sea el tamaño de vóxel. 0 lo deja a Adaptabilidad"
    ),
    (
        "*",
        "Merge faces where that moves the surface by less than this part of a voxel: 0.05 leaves few on flat places. "
        "Sharp edges and borders of materials stay. 0 keeps all faces",
    ): (
        "Fusiona caras donde eso mueve la superficie menos que esta parte de un vóxel: 0.05 deja pocas en zonas "
        "planas. Los bordes definidos y los límites de materiales se conservan. 0 mantiene todas las caras"
    ),
    ("*", "Mesh or volume to carve, selected or not. Leave it empty to carve every selected one"): (
        "Malla o volumen que se talla, esté o no seleccionado. Déjelo vacío para tallar todos los seleccionados"
    ),
    ("*", "Multiplies every radius, from curves too: 1.02 leaves clearance for what is to lie in the groove"): (
        "Multiplica todos los radios, también los de curvas: 1.02 deja holgura para lo que vaya en la ranura"
    ),
    ("*", "Name of the material of the cut faces; where none is given, they have that of their path"): (
        "Nombre del material de las caras del corte; si no se indica ninguno, tienen el de su trayectoria"
    ),
    ("*", "No annotation: draw one with the Annotate tool, in the 3D view"): (
        "Sin anotación: dibuje una con la herramienta Anotar, en la vista 3D"
    ),
    ("*", "No path reaches '{name}' and {count} more"): "Ninguna trayectoria alcanza '{name}' ni {count} más",
    ("*", "No path: '{name}' holds no curve, text or edges that can be seen"): (
        "Sin trayectoria: '{name}' no contiene curvas, textos ni bordes visibles"
    ),
    ("*", "No path: select a curve, a text, strokes or edges as well"): (
        "Sin trayectoria: seleccione también una curva, un texto, trazos o bordes"
    ),
    ("*", "No recipe: make the result of a carve active"): "Sin receta: active el resultado de un tallado",
    ("*", "No stock: '{name}' is not in this view layer"): (
        "Sin pieza en bruto: '{name}' no está en esta capa de visualización"
    ),
    (
        "*",
        "Number of voxels along the longest side of the stock: 64 for a look, 128 to 256 for work, 512 and more for "
        "the last carve. Details finer than a voxel are lost",
    ): (
        "Cantidad de vóxeles a lo largo del lado más largo de la pieza en bruto: 64 para ver, 128 a 256 para "
        "trabajar, 512 y más para el tallado final. Los detalles más finos que un vóxel se pierden"
    ),
    ("*", "Out of memory: use larger voxels, or set a memory limit in the preferences"): (
        "No hay memoria suficiente: use vóxeles más grandes, o defina un límite de memoria en las preferencias"
    ),
    (
        "*",
        "Radius of the tool in world space. The radius of each point of the path (Alt S in Edit Mode) multiplies it",
    ): (
        "Radio de la herramienta en espacio global. El radio de cada punto de la trayectoria (Alt S en modo "
        "Edición) lo multiplica"
    ),
    ("*", "Radius of the tool: the bevel depth of the new curve. Each point can scale it"): (
        "Radio de la herramienta: la profundidad de bisel de la nueva curva. Cada punto puede escalarlo"
    ),
    (
        "*",
        "Refuse jobs that would take more memory than this, before they begin. 0 is half of the memory that is free",
    ): (
        "Rechaza los trabajos que requerirían más memoria que esta, antes de que comiencen. 0 es la mitad de la "
        "memoria libre"
    ),
    (
        "*",
        "Select at least {count} meshes with faces, or volumes",
    ): "Seleccione al menos {count} mallas con caras o volúmenes",
    (
        "*",
        "Shade the cut faces smooth, else flat. The border of the cut stays sharp; what is left of the stock keeps "
        "its own shading",
    ): (
        "Sombrea suaves las caras del corte, o si no, facetadas. El límite del corte sigue definido; lo que queda "
        "de la pieza en bruto conserva su propio sombreado"
    ),
    (
        "*",
        "Show in the viewport where the grid lies, some voxels at their true size, and the volume that the tool sweeps",
    ): (
        "Muestra en la vista dónde está la cuadrícula, algunos vóxeles a su tamaño real, y el volumen que la "
        "herramienta barre"
    ),
    (
        "*",
        "Start the backend as a carve would, and show what it runs on and why it is this one. Loading Numba or Warp "
        "takes some seconds",
    ): (
        "Inicia el método como lo haría un tallado, y muestra en qué se ejecuta y por qué es ese. Cargar Numba o "
        "Warp tarda unos segundos"
    ),
    ("*", "Stop the job that is running, and leave everything as it was"): (
        "Detiene el trabajo en curso, y deja todo como estaba"
    ),
    (
        "*",
        "Take the bevel depth of each curve, which the viewport shows. Without one, a text gets a quarter of its "
        "strokes' width, and another path a twentieth of the stock",
    ): (
        "Toma la profundidad de bisel de cada curva, que se muestra en la vista. Sin bisel, un texto recibe "
        "un cuarto del ancho de sus trazos, y otra trayectoria un veinteavo de la pieza en bruto"
    ),
    ("*", "Take the others out of the active one"): "Quita los demás del activo",
    (
        "*",
        "Take what a round tool sweeps along the paths out of each stock, or add it, or keep only that. Select a "
        "mesh and curves, or choose them in the panel",
    ): (
        "Quita de cada pieza en bruto lo que una herramienta redonda barre a lo largo de las trayectorias, o lo "
        "agrega, o mantiene solo eso. Seleccione una malla y curvas, o elíjalas en el panel"
    ),
    ("*", "Take what the tool sweeps along the paths out of the stock: grooves, slots, holes"): (
        "Quita de la pieza en bruto lo que la herramienta barre a lo largo de las trayectorias: ranuras, muescas, "
        "agujeros"
    ),
    ("*", "That is more memory than the {memory} allowed: use larger voxels"): (
        "Es más memoria que los {memory} permitidos: use vóxeles más grandes"
    ),
    ("*", "The view layer is another scene's: give a context with both"): (
        "La capa de visualización es de otra escena: indique un contexto con ambas"
    ),
    ("*", "Update every selected result, and not only the active one"): (
        "Actualiza todos los resultados seleccionados, y no solo el activo"
    ),
    ("*", "Use what the preferences of the extension say, else the fastest one that works on this machine"): (
        "Usa lo que indican las preferencias de la extensión, o si no, el más rápido que funcione en este equipo"
    ),
    ("*", "Voxels are larger than the stock, whose longest side is {side}"): (
        "Los vóxeles son más grandes que la pieza en bruto, cuyo lado más largo es {side}"
    ),
    ("*", "Voxels are too small for the size of the stock"): (
        "Los vóxeles son demasiado pequeños para el tamaño de la pieza en bruto"
    ),
    (
        "*",
        "What is made: a mesh, with new faces or with those of the stock, or a volume",
    ): ("Qué se crea: una malla, con caras nuevas o con las de la pieza en bruto, o un volumen"),
    ("*", "What computes the job. All backends give the same result; only the speed differs"): (
        "Qué calcula el trabajo. Todos los métodos dan el mismo resultado, en distinto tiempo"
    ),
    ("*", "What computes where a scene leaves it to the preferences. Every backend gives the same result"): (
        "Qué calcula cuando una escena lo deja a las preferencias. Todos los métodos dan el mismo resultado"
    ),
    (
        "*",
        "Where the radius of the tool comes from. The radius of each point of the path (Alt S in Edit Mode) "
        "multiplies it",
    ): (
        "De dónde viene el radio de la herramienta. El radio de cada punto de la trayectoria (Alt S en modo "
        "Edición) lo multiplica"
    ),
    ("*", "Which NVIDIA GPU computes, where the backend is CUDA. Check lists those that are there"): (
        "Qué GPU NVIDIA calcula, cuando el método es CUDA. Comprobar muestra las que hay"
    ),
    ("*", "Update {count} Results"): "Actualizar {count} resultados",
    (
        "*",
        "Carves the result '{name}' itself, along the other paths",
    ): "Talla el propio resultado '{name}', a lo largo de las otras trayectorias",
    ("*", "Options"): "Opciones",
    ("*", "Paths as Wire"): "Trayectorias como alambre",
    (
        "*",
        "'{name}' is itself the result of a carve: Update would carve its stock again",
    ): "'{name}' ya es el resultado de un tallado: Actualizar volvería a tallar su pieza en bruto",
    ("*", "About {count} faces"): "Unas {count} caras",
    ("*", "At most {count} faces"): "Como mucho {count} caras",
    (
        "*",
        "No path: select one, or combine the selected objects by Voxel Boolean",
    ): ("Sin trayectoria: seleccione una o combine los objetos seleccionados con Booleana de vóxeles"),
    (
        "*",
        "Make a Volume object: the distances near the surface, as an OpenVDB level set in a new file in the "
        "Volume Folder. It has no faces, no materials and no recipe: to change it, carve the stock again",
    ): (
        "Crea un objeto de volumen: las distancias cerca de la superficie, como level set de OpenVDB en un archivo "
        "nuevo en la carpeta de volúmenes. No tiene caras, materiales ni receta: para cambiarlo, vuelva a tallar "
        "la pieza en bruto"
    ),
    ("*", "Volume Folder"): "Carpeta de volúmenes",
    (
        "*",
        "Where the file of a volume goes, named after its stock. No file is replaced: each carve writes "
        "another. // is the folder of the .blend",
    ): (
        "Adónde va el archivo de un volumen, que se llama como la pieza en bruto. No se reemplaza ningún archivo: "
        "cada tallado escribe otro. // es la carpeta del .blend"
    ),
    ("*", "Total Volume"): "Volumen total",
    ("*", "Brought by {package}"): ("Viene con {package}"),
    ("*", "Registered by a program"): ("Registrado por un programa"),
    ("*", "It was chosen before. Install the package that brings it, or choose another"): (
        "Se eligió antes. Instala el paquete que lo incluye o elige otro"
    ),
    ("*", "{backend}, Not Installed"): ("{backend}, sin instalar"),
    (
        "*",
        "Build a new surface all over, of even faces. It is closed for every stock, with holes and overlaps too; a "
        "sheet stays open",
    ): (
        "Construye una superficie nueva en todas partes, de caras uniformes. Queda cerrada con cualquier pieza en "
        "bruto, también con agujeros o superposiciones; una lámina queda abierta"
    ),
    (
        "*",
        "Carve sheets, such as terrains, as solid behind their faces, and fill the holes of all else",
    ): ("Talla las láminas, como los terrenos, como macizas detrás de sus caras, y rellena los agujeros de lo demás"),
    (
        "*",
        "Cut the stock's own faces. Those that no path touches stay as they are, to the bit, with all their data; a "
        "stock with holes is remeshed if a path comes near one",
    ): (
        "Corta las propias caras de la pieza en bruto. Las que ninguna ruta toca quedan como están, hasta el último "
        "bit, con todos sus datos; una pieza con agujeros se rehace si una ruta se acerca a uno"
    ),
    (
        "*",
        "Fill the holes of the stock. The result is closed",
    ): ("Rellena los agujeros de la pieza en bruto. El resultado es cerrado"),
    (
        "*",
        "Give the result of a sheet sides and a floor, as for printing",
    ): ("Da lados y fondo al resultado de una lámina, como para imprimirlo"),
    (
        "*",
        "Take the stock as solid behind its faces, as deep as the paths go. The result stays open",
    ): (
        "Toma la pieza en bruto como maciza detrás de sus caras, hasta donde lleguen las rutas. El resultado queda "
        "abierto"
    ),
    ("*", "What lies inside a stock that is not closed"): "Qué hay dentro de una pieza en bruto que no está cerrada",
    ("*", "Close Sheets"): "Cerrar láminas",
    ("*", "Fill Holes"): "Rellenar agujeros",
    ("*", "Open Stock"): "Pieza abierta",
    ("*", "Sheet"): "Lámina",
    ("*", "{name}: a sheet, solid behind its faces"): "{name}: una lámina, maciza detrás de sus caras",
    ("*", "{name}: {count} holes, which stay"): "{name}: {count} agujeros, que quedan",
    ("*", "{name}: {count} holes, to be filled"): "{name}: {count} agujeros, por rellenar",
    ("*", "{name}: a hole, which stays"): "{name}: un agujero, que queda",
    ("*", "{name}: a hole, to be filled"): "{name}: un agujero, por rellenar",
    (
        "*",
        "The radius is less than a voxel: cuts come out smaller than their paths",
    ): "El radio es menor que un vóxel: los cortes quedan menores que sus trayectorias",
    (
        "*",
        "Up to {share} of '{name}' is too thin: use voxels of {size}, or Keep Stock",
    ): "Hasta el {share} de '{name}' es demasiado delgado: use vóxeles de {size}, o Mantener pieza en bruto",
    ("*", "and {count} more"): "y {count} más",
    (
        "*",
        "128 voxels along the longest side of the stock, and up to 1024 where the smallest radius needs them: "
        "a groove wants a radius of two voxels",
    ): (
        "128 vóxeles a lo largo del lado más largo de la pieza, y hasta 1024 donde el radio menor los necesite: "
        "una ranura necesita un radio de dos vóxeles"
    ),
    (
        "*",
        "The radius is less than two voxels: cuts come out coarse",
    ): "El radio es menor que dos vóxeles: los cortes salen toscos",
    ("*", "Use {value}"): "Usar {value}",
    ("Operator", "Fit Voxels to Radius"): "Ajustar vóxeles al radio",
    (
        "*",
        "Make the voxels so small that the smallest radius is two of them",
    ): "Hacer los vóxeles tan pequeños que el radio menor mida dos de ellos",
    (
        "*",
        "Number of voxels along the longest side of the stock, unless voxels are given by their size",
    ): "Número de vóxeles a lo largo del lado más largo de la pieza, si no se dan por su tamaño",
    (
        "*",
        "Edge of a voxel, if voxels are given by their size",
    ): "Arista de un vóxel, si los vóxeles se dan por su tamaño",
    ("*", "{count} of {all}"): "{count} de {all}",
    ("*", "Deleted: {names}"): "Borradas: {names}",
    ("*", "Some Deleted"): "Algunas borradas",
    (
        "*",
        "Draw the paths as wire, or as bounds if they have a bevel or a fill, and leave them out of renders "
        "while there is a result of them, because a bevel fills its own groove",
    ): (
        "Dibujar las trayectorias como alambre, o como límites si tienen bisel o relleno, y no renderizarlas "
        "mientras haya un resultado de ellas, porque un bisel rellena su propia ranura"
    ),
    ("Operator", "Toolpath (.csv/.svg/.dxf/...)"): "Trayectoria de herramienta (.csv/.svg/.dxf/...)",
    (
        "*",
        "Read toolpaths from tables with the columns x, y, z, radius and path, or from drawings, and select "
        "each as a curve to carve along",
    ): (
        "Lee trayectorias de herramienta de tablas con las columnas x, y, z, radius y path, o de dibujos, y "
        "selecciona cada una como curva a lo largo de la cual tallar"
    ),
    (
        "*",
        "The unit of the numbers in a file that does not say its own",
    ): "La unidad de los números de un archivo que no indica la suya",
    (
        "*",
        "Keep Stock would give about {count}, and leave flat faces whole",
    ): "Mantener pieza en bruto daría unas {count} y dejaría enteras las caras planas",
    ("*", "One frame"): "Un fotograma",
    (
        "*",
        "the list has no path number {number}: its last is {count}",
    ): "la lista no tiene la trayectoria número {number}: la última es {count}",
    (
        "*",
        "No voxels are given: pass resolution and voxel_size, or make them Automatic",
    ): "No se han indicado vóxeles: indique resolution y voxel_size, o póngalos en Automático",
}
