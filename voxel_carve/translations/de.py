"""German. Stock is Rohteil, to carve is fräsen, a sweep is a Fräsvolumen, a groove a Nut."""

MESSAGES = {
    ("Operator", "Add Carving Path"): "Fräspfad hinzufügen",
    ("Operator", "Add Selected Paths"): "Ausgewählte Pfade hinzufügen",
    ("Operator", "Add Voxel Carve Preset"): "Voreinstellung für Voxel Carve hinzufügen",
    ("Operator", "Annotation to Carving Path"): "Anmerkung zu Fräspfad",
    ("Operator", "Apply"): "Anwenden",
    ("Operator", "Bake Frames"): "Einzelbilder backen",
    ("Operator", "Cancel Voxel Carve"): "Voxel Carve abbrechen",
    ("Operator", "Carve"): "Fräsen",
    ("Operator", "Carving Path"): "Fräspfad",
    ("Operator", "Check"): "Prüfen",
    ("Operator", "Check Backend"): "Backend prüfen",
    ("Operator", "Clear"): "Löschen",
    ("Operator", "Clear Compiled Kernels"): "Kompilierte Kernel löschen",
    ("Operator", "Copy Diagnostics"): "Diagnose kopieren",
    ("Operator", "Fit Path to Groove"): "Pfad an Nut anpassen",
    ("Operator", "Move Path"): "Pfad verschieben",
    ("Operator", "Open the Manual"): "Handbuch öffnen",
    ("Operator", "Import Toolpath"): "Werkzeugweg importieren",
    ("Operator", "Remove Path"): "Pfad entfernen",
    ("Operator", "Update"): "Aktualisieren",
    ("Operator", "Voxel Boolean"): "Voxel-Boolean",
    ("Operator", "Voxel Carve"): "Voxel-Fräsen",
    ("Operator", "Voxel Offset"): "Voxel-Versatz",
    ("Operator", "Voxelize"): "Voxelisieren",
    ("*", "About {figures}"): "Etwa {figures}",
    ("*", "Adaptivity"): "Adaptivität",
    ("*", "Added"): "Hinzugefügt",
    ("*", "Advanced"): "Erweitert",
    ("*", "All"): "Alle",
    ("*", "All Selected"): "Alle ausgewählten",
    ("*", "As most CNC programs write them"): "Wie die meisten CNC-Programme sie schreiben",
    ("*", "As the scene's settings have it"): "Wie in den Einstellungen der Szene",
    ("*", "Same as Settings"): "Wie die Einstellungen",
    ("*", "Automatic"): "Automatisch",
    ("*", "Backend"): "Backend",
    ("*", "Boolean"): "Boolean",
    ("*", "Cancel"): "Abbrechen",
    ("*", "Cancelled: nothing was changed"): "Abgebrochen: nichts wurde geändert",
    ("*", "Carve along this path earlier or later"): "An diesem Pfad früher oder später entlang fräsen",
    ("*", "Carve along this path as the settings say"): "An diesem Pfad entlang fräsen, wie es die Einstellungen sagen",
    ("*", "Carve along the selected paths, whatever is selected later"): (
        "An den ausgewählten Pfaden entlang fräsen, was auch immer später ausgewählt ist"
    ),
    ("*", "Carve Grid and Sweep"): "Raster und Fräsvolumen",
    ("*", "Centimeters"): "Zentimeter",
    ("*", "Closed"): "Geschlossen",
    ("*", "Combine"): "Verknüpfen",
    ("*", "Compile"): "Kompilieren",
    ("*", "Preparing, First Use Only"): "Wird vorbereitet, nur beim ersten Mal",
    ("*", "Compiled Kernels"): "Kompilierte Kernel",
    ("*", "Compute in Another Process"): "In einem eigenen Prozess rechnen",
    ("*", "Compute on this device alone"): "Nur auf diesem Gerät rechnen",
    ("*", "CUDA Device"): "CUDA-Gerät",
    ("*", "Curve, text, points or mesh of edges that the tool runs along"): (
        "Kurve, Text, Punkte oder Mesh aus Kanten, an der das Werkzeug entlangläuft"
    ),
    ("*", "Custom Normals"): "Eigene Normalen",
    ("*", "Cut Material"): "Schnittmaterial",
    ("*", "Deleted"): "Gelöscht",
    ("*", "Diagnostics copied to the clipboard"): "Diagnose in die Zwischenablage kopiert",
    ("*", "Direction"): "Richtung",
    ("*", "Distance"): "Abstand",
    ("*", "Down"): "Ab",
    ("*", "End"): "Ende",
    ("*", "Faces"): "Flächen",
    ("*", "Done"): "Fertig",
    ("*", "Factor"): "Faktor",
    ("*", "Feet"): "Fuß",
    ("*", "First frame"): "Erstes Einzelbild",
    ("*", "Fit"): "Anpassen",
    ("*", "Frames from one object to the next"): "Einzelbilder von einem Objekt zum nächsten",
    ("*", "Frames of the Scene"): "Einzelbilder der Szene",
    ("*", "From Curve"): "Aus Kurve",
    ("*", "Give this path the radius beside it, whatever its bevel and the settings"): (
        "Diesem Pfad den Radius daneben geben, was auch immer sein Profil und die Einstellungen sagen"
    ),
    ("*", "Grid and Sweep"): "Raster und Fräsvolumen",
    ("*", "Half of the {memory} free"): "Die Hälfte der {memory}, die frei sind",
    ("*", "How far the walls of the groove may be from the tool along the curve. 0 is its largest radius"): (
        "Wie weit die Wände der Nut vom Werkzeug entlang der Kurve entfernt sein dürfen. 0 steht für "
        "dessen größten Radius"
    ),
    ("*", "How they are combined"): "Wie sie verknüpft werden",
    (
        "*",
        "How this path is combined with what the paths before it have left. Paths are carved in the order of the "
        "list; those that follow each other with the same operation, together",
    ): (
        "Wie dieser Pfad mit dem verknüpft wird, was die Pfade vor ihm übrig gelassen haben. Gefräst wird in der "
        "Reihenfolge der Liste; aufeinanderfolgende Pfade mit derselben Operation zusammen"
    ),
    ("*", "In Another Process"): "In eigenem Prozess",
    ("*", "Inches"): "Zoll",
    ("*", "Intersect"): "Schneiden",
    ("*", "Join the others to the active one"): "Die anderen mit dem aktiven vereinigen",
    ("*", "Judge"): "Prüfen",
    ("*", "Keep Stock"): "Rohteil behalten",
    ("*", "Keep what all of them share"): "Behalten, was alle gemeinsam haben",
    ("*", "Last frame"): "Letztes Einzelbild",
    ("*", "Last Result"): "Letztes Ergebnis",
    ("*", "Length"): "Länge",
    ("*", "List of Paths"): "Pfadliste",
    ("*", "Live Update"): "Live-Aktualisierung",
    ("*", "Memory (GiB)"): "Speicher (GiB)",
    ("*", "Memory Limit (GiB)"): "Speichergrenze (GiB)",
    ("*", "Mesh that is carved; it stays as it is"): "Mesh, das gefräst wird; es bleibt, wie es ist",
    ("*", "Millimeters"): "Millimeter",
    ("*", "Meters"): "Meter",
    (
        "*",
        (
            "Move the points of the selected curve, and change their radii, until a tool along it would leave "
            "the groove in the selected mesh"
        ),
    ): (
        "Die Punkte der ausgewählten Kurve verschieben und ihre Radien ändern, bis ein Werkzeug entlang "
        "der Kurve die Nut im ausgewählten Mesh hinterließe"
    ),
    ("*", "No"): "Nein",
    ("*", "No Backend Works"): "Kein Backend läuft",
    ("*", "No job is running"): "Es läuft kein Auftrag",
    ("*", "No path reaches '{name}'"): "Kein Pfad erreicht '{name}'",
    ("*", "No path: choose another for line {number} of the list, or remove it"): (
        "Kein Pfad: für Zeile {number} der Liste einen anderen wählen oder sie entfernen"
    ),
    ("*", "No scene: nothing can be read"): "Keine Szene: nichts kann gelesen werden",
    ("*", "No stock: '{name}' has no faces"): "Kein Rohteil: '{name}' hat keine Flächen",
    ("*", "No stock: '{name}' is hidden: show it"): "Kein Rohteil: '{name}' ist ausgeblendet: einblenden",
    ("*", "No stock: select a mesh or a volume"): "Kein Rohteil: ein Mesh oder ein Volumen auswählen",
    ("*", "None Selected"): "Nichts ausgewählt",
    ("*", "Not Checked Yet"): "Noch nicht geprüft",
    ("*", "Nothing to add: select curves, texts or edges that are not in the list yet"): (
        "Nichts hinzuzufügen: Kurven, Texte oder Kanten auswählen, die noch nicht in der Liste sind"
    ),
    ("*", "Number"): "Nummer",
    ("*", "Number of points, evenly spaced"): "Anzahl der Punkte, in gleichen Abständen",
    ("*", "Of the path in the list, from 0; -1 is the active one"): "Des Pfades in der Liste, ab 0; -1 ist der aktive",
    ("*", "Off Edges"): "Abstand zu Kanten",
    ("*", "Off Surface"): "Abstand zur Fläche",
    ("*", "Offset"): "Versatz",
    ("*", "Operation"): "Operation",
    ("*", "Out of Date"): "Nicht aktuell",
    ("*", "Own Radius"): "Eigener Radius",
    ("*", "Path"): "Pfad",
    ("*", "Paths"): "Pfade",
    ("*", "Points"): "Punkte",
    ("*", "Presets"): "Voreinstellungen",
    ("*", "Preview"): "Vorschau",
    ("*", "Radius"): "Radius",
    ("*", "Radius of the tool along the annotations"): "Radius des Werkzeugs entlang der Anmerkungen",
    ("*", "Radius of the tool along this path in world space. The radius of each point multiplies it"): (
        "Radius des Werkzeugs an diesem Pfad im Weltraum. Der Radius jedes Punktes multipliziert ihn"
    ),
    (
        "*",
        "Radius of the tool to start from, where the curve has no bevel",
    ): "Anfänglicher Radius des Werkzeugs, wenn die Kurve keine Abschrägung hat",
    ("*", "Radius of the tool where a file has none. 0 leaves it to the settings of the carve"): (
        "Radius des Werkzeugs, wo eine Datei keinen hat. 0 überlässt ihn den Einstellungen des Fräsens"
    ),
    ("*", "Reach"): "Reichweite",
    ("*", "Read"): "Lesen",
    ("*", "Recipe"): "Rezept",
    ("*", "Remesh"): "Neu vermaschen",
    ("*", "Remove this path from the list"): "Diesen Pfad aus der Liste entfernen",
    ("*", "Removed"): "Entfernt",
    ("*", "Replace Stock"): "Rohteil ersetzen",
    ("*", "Resolution"): "Auflösung",
    ("*", "Result"): "Ergebnis",
    ("*", "Runs on"): "Läuft auf",
    ("*", "Scene"): "Szene",
    ("*", "Shade Smooth"): "Weich schattieren",
    ("*", "Share the work between all CUDA devices"): "Die Arbeit auf alle CUDA-Geräte verteilen",
    ("*", "Simplify"): "Vereinfachen",
    ("*", "Size"): "Größe",
    ("*", "Start"): "Start",
    ("*", "Step"): "Schritt",
    ("*", "Stock"): "Rohteil",
    ("*", "Subtract"): "Subtrahieren",
    ("*", "Surface"): "Oberfläche",
    ("*", "Sweep"): "Fräsvolumen",
    ("*", "Switch to Object Mode"): "In den Objektmodus wechseln",
    ("*", "The fastest one that works here"): "Das schnellste, das hier läuft",
    ("*", "The list is empty: add a path first"): "Die Liste ist leer: zuerst einen Pfad hinzufügen",
    ("*", "The radius must be more than 0"): "Der Radius muss größer als 0 sein",
    ("*", "The scene belongs to another file"): "Die Szene gehört zu einer anderen Datei",
    ("*", "The stock has no size"): "Das Rohteil hat keine Ausdehnung",
    ("*", "The unit in which the scene shows lengths"): "Die Einheit, in der die Szene Längen zeigt",
    ("*", "The voxel size must be more than 0"): "Die Voxelgröße muss größer als 0 sein",
    ("*", "Time"): "Zeit",
    ("*", "To be carved later"): "Wird später gefräst",
    ("*", "To be carved earlier"): "Wird früher gefräst",
    ("*", "Tolerance"): "Toleranz",
    ("*", "Toolpath"): "Werkzeugweg",
    ("*", "Transfer Attributes"): "Attribute übertragen",
    ("*", "under 0.1 s"): "unter 0.1 s",
    ("*", "Union"): "Vereinigung",
    ("*", "Unit"): "Einheit",
    ("*", "Up"): "Auf",
    ("*", "Update on Frame Change"): "Bei Bildwechsel aktualisieren",
    ("*", "Uses {backend}"): "Verwendet {backend}",
    ("*", "Value"): "Wert",
    ("*", "Verify"): "Nachmessen",
    ("*", "Volume"): "Volumen",
    ("*", "Voxel Carve Presets"): "Voreinstellungen für Voxel Carve",
    ("*", "Voxel Size"): "Voxelgröße",
    ("*", "Voxel Tools"): "Voxel-Werkzeuge",
    ("*", "Voxelize"): "Voxelisieren",
    ("*", "Voxels"): "Voxel",
    ("*", "What the tool runs along"): "Woran das Werkzeug entlangläuft",
    ("*", "Mesh"): "Mesh",
    ("*", "Where to"): "Wohin",
    (
        "*",
        "What the tool runs along, in this order, whatever is selected. Leave it empty to carve along the "
        "collection or the selected paths",
    ): (
        "Woran das Werkzeug entlangläuft, in dieser Reihenfolge, was auch immer ausgewählt ist. Leer lassen, um "
        "an der Sammlung oder den ausgewählten Pfaden entlang zu fräsen"
    ),
    ("*", "Write"): "Schreiben",
    ("*", "Yes"): "Ja",
    ("*", "{backend}, Not Checked Yet"): "{backend}, noch nicht geprüft",
    ("*", "{count} Meshes: {first}, …"): "{count} Meshes: {first}, …",
    ("*", "{count} Paths: {first}, …"): "{count} Pfade: {first}, …",
    ("*", "{length} at Most"): "höchstens {length}",
    ("*", "{low} to {high}"): "{low} bis {high}",
    ("*", "{memory} free"): "{memory} frei",
    ("*", "Bake"): "Backen",
    ("*", "Animated: {names}"): "Animiert: {names}",
    ("*", "{names} and {count} more"): "{names} und {count} weitere",
    ("*", "Nothing is animated: all frames will be the same"): "Nichts ist animiert: alle Einzelbilder werden gleich",
    ("*", "{count} frames"): "{count} Einzelbilder",
    ("*", "about {time} by the last carve"): "etwa {time} nach dem letzten Fräsen",
    ("*", "Frame {number} of {count}"): "Einzelbild {number} von {count}",
    ("*", "{time} left"): "noch {time}",
    ("*", "'{name}' is in {mode}: switch to Object Mode"): "'{name}' ist im {mode}: in den Objektmodus wechseln",
    (
        "*",
        "Add a path to carve along, shaped by its points, whose bevel is the tool: its radius is a twentieth of the "
        "stock's longest side, unless another is given",
    ): (
        "Einen Pfad zum Fräsen hinzufügen, den seine Punkte formen und dessen Fase das Werkzeug ist: Ihr Radius ist "
        "ein Zwanzigstel der längsten Seite des Rohteils, wenn kein anderer angegeben ist"
    ),
    (
        "*",
        "Add the settings of the panel as a preset, or remove a preset. It keeps all but Stock, Paths, "
        "Cut Material, and Grid and Sweep",
    ): (
        "Die Einstellungen des Panels als Voreinstellung hinzufügen, oder eine Voreinstellung entfernen. Sie "
        "enthält alles außer Rohteil, Pfaden, Schnittmaterial sowie Raster und Fräsvolumen"
    ),
    ("*", "Add what the tool sweeps along the paths to the stock: ribs, weld seams, cables"): (
        "Was das Werkzeug entlang der Pfade überstreicht, zum Rohteil hinzufügen: Rippen, Schweißnähte, Kabel"
    ),
    ("*", "A render is running: wait for it, or cancel it"): ("Es wird gerendert: warten oder das Rendern abbrechen"),
    (
        "*",
        "'{name}' is sculpted with dynamic topology: switch to Object Mode",
    ): "'{name}' wird mit dynamischer Topologie modelliert: in den Objektmodus wechseln",
    (
        "*",
        "'{name}' is sculpted with Multires: switch to Object Mode",
    ): "'{name}' wird mit Multires modelliert: in den Objektmodus wechseln",
    ("*", "Another job is running: wait for it, or cancel it"): "Ein anderer Auftrag läuft: warten oder ihn abbrechen",
    ("*", "Apply every selected result, and not only the active one"): (
        "Jedes ausgewählte Ergebnis anwenden, und nicht nur das aktive"
    ),
    ("*", "Bake from the first to the last frame of the scene, instead of Start to End"): (
        "Vom ersten bis zum letzten Einzelbild der Szene backen, statt von Start bis Ende"
    ),
    (
        "*",
        "Build each selected mesh or volume of cubes, one for every voxel inside it; only sides that can be "
        "seen are made",
    ): (
        "Jedes ausgewählte Mesh und jedes Volumen aus Würfeln bauen, einem für jeden Voxel darin; nur sichtbare "
        "Seiten werden erzeugt"
    ),
    (
        "*",
        "Carry the UV maps, color attributes and vertex groups of the stock over to the faces that are left of it. "
        "Materials are carried over in any case",
    ): (
        "UV-Maps, Farbattribute und Punktgruppen des Rohteils auf die Flächen übertragen, die von ihm übrig sind. "
        "Materialien werden in jedem Fall übertragen"
    ),
    ("*", "Carve again in full at every frame, in renders too, and wait for it"): (
        "Bei jedem Einzelbild vollständig neu fräsen, auch beim Rendern, und darauf warten"
    ),
    (
        "*",
        "Carve again whenever the stock, a path or a setting changes: coarsely at once, and in full when you pause",
    ): (
        "Neu fräsen, sobald sich das Rohteil, ein Pfad oder eine Einstellung ändert: sofort grob, und vollständig, "
        "wenn eine Pause eintritt"
    ),
    (
        "*",
        "Carve in a process of its own: a job that runs out of memory then ends without Blender, and starts a second "
        "later",
    ): (
        "In einem eigenen Prozess fräsen: Ein Auftrag, dem der Speicher ausgeht, endet dann ohne Blender, und "
        "beginnt eine Sekunde später"
    ),
    ("*", "Carve the active result along the selected paths as well"): (
        "Das aktive Ergebnis auch entlang der ausgewählten Pfade fräsen"
    ),
    ("*", "Carve the active result at every frame, and keep each in an object that is seen at its frame only"): (
        "Das aktive Ergebnis bei jedem Einzelbild fräsen, und jedes in einem Objekt behalten, das nur bei seinem "
        "Einzelbild zu sehen ist"
    ),
    ("*", "Carve the active result without this path"): "Das aktive Ergebnis ohne diesen Pfad fräsen",
    ("*", "Carve the result again, as its stock, its paths and its settings are now"): (
        "Das Ergebnis neu fräsen, so wie sein Rohteil, seine Pfade und seine Einstellungen jetzt sind"
    ),
    ("*", "Chosen before; Check shows whether it is there"): "Früher gewählt; Prüfen zeigt, ob es da ist",
    (
        "*",
        "Collection whose visible curves, texts and edges are the paths, selected or not. Leave it empty to carve "
        "along every selected one",
    ): (
        "Sammlung, deren sichtbare Kurven, Texte und Kanten die Pfade sind, ausgewählt oder nicht. Leer lassen, um "
        "an allen ausgewählten entlang zu fräsen"
    ),
    (
        "*",
        "Combine the active mesh or volume with the other selected ones, as voxels: works on open and "
        "crossing meshes too. The result is made of cubes",
    ): (
        "Das aktive Mesh oder das aktive Volumen mit den anderen ausgewählten als Voxel verknüpfen: gelingt auch "
        "bei offenen und sich kreuzenden Meshes. Das Ergebnis besteht aus Würfeln"
    ),
    ("*", "Compute on NVIDIA GPUs with Warp, which the cuda flavour of the extension brings along"): (
        "Auf NVIDIA-GPUs mit Warp rechnen, das die cuda-Ausgabe der Erweiterung mitbringt"
    ),
    ("*", "Compute with compiled kernels on all cores of the CPU. They are compiled once, in less than a minute"): (
        "Mit kompilierten Kerneln auf allen Kernen der CPU rechnen. Kompiliert werden sie einmal, in unter einer Minute"
    ),
    (
        "*",
        "Copy versions, hardware, backend, settings and the last result's figures to the clipboard, for a bug "
        "report. Names of objects and folders are left out",
    ): (
        "Versionen, Hardware, Backend, Einstellungen und die Zahlen des letzten Ergebnisses in die Zwischenablage "
        "kopieren, für eine Fehlermeldung. Namen von Objekten und Ordnern bleiben weg"
    ),
    (
        "*",
        "Delete the compiled kernels from disk. They are compiled anew when they are next needed, which takes less "
        "than a minute in the background",
    ): (
        "Die kompilierten Kernel von der Platte löschen. Sie werden neu kompiliert, wenn sie wieder gebraucht "
        "werden, was im Hintergrund weniger als eine Minute dauert"
    ),
    ("*", "Divide the longest side of the stock into so many voxels, so that details scale with the object"): (
        "Die längste Seite des Rohteils in so viele Voxel teilen, damit die Feinheit mit dem Objekt wächst"
    ),
    ("*", "Done: waits until you leave the mode, or end the transform"): (
        "Fertig: wartet, bis der Modus verlassen oder die Transformation beendet wird"
    ),
    ("*", "Edge of a voxel. Details finer than this are lost; a groove wants a radius of two voxels or more"): (
        "Kante eines Voxels. Feinere Einzelheiten gehen verloren; eine Nut braucht einen Radius von zwei Voxeln oder "
        "mehr"
    ),
    ("*", "From the first point to the last, along the X axis of the new object"): (
        "Vom ersten bis zum letzten Punkt, entlang der X-Achse des neuen Objekts"
    ),
    ("*", "Give every path the same radius, whatever its bevel"): (
        "Jedem Pfad denselben Radius geben, was immer seine Fase ist"
    ),
    ("*", "Give the edge of a voxel as a length, the same for every stock"): (
        "Die Kante eines Voxels als Länge angeben, dieselbe für jedes Rohteil"
    ),
    (
        "*",
        "Give smooth faces the normals of the stock, custom ones too, and those of the exact cut, so that the faces "
        "of the result do not show. Switch it off for a result to be sculpted or deformed, because custom normals do "
        "not follow",
    ): (
        "Weichen Flächen die Normalen des Rohteils geben, auch eigene, und die des genauen Schnitts, damit die "
        "Flächen des Ergebnisses nicht zu sehen sind. Ausschalten, wenn das Ergebnis modelliert oder verformt werden "
        "soll, denn eigene Normalen folgen nicht"
    ),
    (
        "*",
        "Give the stock itself the new mesh, with its modifiers applied, instead of adding an object and hiding the "
        "stock. Undo brings the old mesh back",
    ): (
        "Dem Rohteil selbst das neue Mesh geben, mit angewendeten Modifikatoren, statt ein Objekt hinzuzufügen "
        "und das Rohteil auszublenden. Rückgängig holt das alte Mesh zurück"
    ),
    ("*", "Grid and Sweep could not be drawn: see the console"): (
        "Raster und Fräsvolumen konnten nicht gezeichnet werden: siehe Konsole"
    ),
    (
        "*",
        "Grow or shrink each selected mesh or volume by a distance, rounded to voxels; the result is made of cubes",
    ): (
        "Jedes ausgewählte Mesh und jedes Volumen um einen Abstand wachsen oder schrumpfen lassen, auf Voxel "
        "gerundet; das Ergebnis besteht aus Würfeln"
    ),
    ("*", "How far the surface moves: outward where positive, inward where negative"): (
        "Wie weit sich die Oberfläche verschiebt: nach außen, wenn positiv, nach innen, wenn negativ"
    ),
    ("*", "How the size of a voxel is given. Half the voxel size takes about four times the memory and time"): (
        "Wie die Größe eines Voxels angegeben wird. Die halbe Voxelgröße braucht etwa viermal so viel Speicher und Zeit"
    ),
    ("*", "How the stock and the volume that the tool sweeps are combined"): (
        "Wie das Rohteil und das Volumen verknüpft werden, das das Werkzeug überstreicht"
    ),
    ("*", "Keep the mesh as it is, and forget what it was carved from"): (
        "Das Mesh behalten, wie es ist, und vergessen, woraus sie gefräst wurde"
    ),
    ("*", "Keep what the stock and the swept volume share"): (
        "Behalten, was das Rohteil und das überstrichene Volumen gemeinsam haben"
    ),
    ("*", "Make a curve with a radius of the annotations that the 3D view shows, and select it as a path"): (
        "Aus den Anmerkungen, die die 3D-Ansicht zeigt, eine Kurve mit einem Radius machen, und sie als Pfad auswählen"
    ),
    (
        "*",
        "Make one of the selected objects active: it is the base",
    ): "Eines der ausgewählten Objekte aktiv machen: es ist die Grundlage",
    (
        "*",
        "Material of the cut faces. Leave it empty to use the first material of each path, else a new one named "
        "Voxel Carve Cut",
    ): (
        "Material der Schnittflächen. Leer lassen, um das erste Material jedes Pfads zu verwenden, sonst ein neues "
        "mit dem Namen Voxel Carve Cut"
    ),
    (
        "*",
        "Material of the cut faces. Where none is chosen, they have that of their path, else a new one, Voxel Carve "
        "Cut",
    ): "Material der Schnittflächen. Ist keines gewählt, haben sie das ihres Pfads, sonst ein neues, Voxel Carve Cut",
    (
        "*",
        "Measure afterwards how far the result is from the exact surface and its edges, and tell it with the result. "
        "Takes longer than carving",
    ): (
        "Danach messen, wie weit das Ergebnis von der exakten Oberfläche und ihren Kanten entfernt ist, und es beim "
        "Ergebnis angeben. Dauert länger als das Fräsen"
    ),
    (
        "*",
        "Merge faces as Adaptivity does, but by a length: how far the surface may move, whatever the voxel size. 0 "
        "leaves it to Adaptivity",
    ): (
        "Flächen wie bei Adaptivität zusammenfassen, aber nach einer Länge: wie weit sich die Oberfläche verschieben "
        "darf, bei jeder Voxelgröße. 0 überlässt es der Adaptivität"
    ),
    (
        "*",
        "Merge faces where that moves the surface by less than this part of a voxel: 0.05 leaves few on flat places. "
        "Sharp edges and borders of materials stay. 0 keeps all faces",
    ): (
        "Flächen zusammenfassen, wo das die Oberfläche um weniger als diesen Teil eines Voxels verschiebt: 0.05 "
        "lässt an ebenen Stellen wenige übrig. Scharfe Kanten und Grenzen von Materialien bleiben. 0 behält alle "
        "Flächen"
    ),
    ("*", "Mesh or volume to carve, selected or not. Leave it empty to carve every selected one"): (
        "Mesh oder Volumen zum Fräsen, ausgewählt oder nicht. Leer lassen, um alle ausgewählten zu fräsen"
    ),
    ("*", "Multiplies every radius, from curves too: 1.02 leaves clearance for what is to lie in the groove"): (
        "Multipliziert jeden Radius, auch die aus Kurven: 1.02 lässt Spiel für das, was in der Nut liegen soll"
    ),
    ("*", "Name of the material of the cut faces; where none is given, they have that of their path"): (
        "Name des Materials der Schnittflächen; ist keines angegeben, haben sie das ihres Pfads"
    ),
    ("*", "No annotation: draw one with the Annotate tool, in the 3D view"): (
        "Keine Anmerkung: eine mit dem Werkzeug Anmerkung in der 3D-Ansicht zeichnen"
    ),
    ("*", "No path reaches '{name}' and {count} more"): "Kein Pfad erreicht '{name}' und {count} weitere",
    ("*", "No path: '{name}' holds no curve, text or edges that can be seen"): (
        "Kein Pfad: '{name}' enthält keine sichtbaren Kurven, Texte oder Kanten"
    ),
    ("*", "No path: select a curve, a text, strokes or edges as well"): (
        "Kein Pfad: auch eine Kurve, einen Text, Striche oder Kanten auswählen"
    ),
    ("*", "No recipe: make the result of a carve active"): "Kein Rezept: das Ergebnis eines Fräsens aktiv machen",
    ("*", "No stock: '{name}' is not in this view layer"): "Kein Rohteil: '{name}' ist nicht in dieser Ansichtsebene",
    (
        "*",
        "Number of voxels along the longest side of the stock: 64 for a look, 128 to 256 for work, 512 and more for "
        "the last carve. Details finer than a voxel are lost",
    ): (
        "Anzahl der Voxel entlang der längsten Seite des Rohteils: 64 zur Ansicht, 128 bis 256 zur Arbeit, 512 und "
        "mehr für das letzte Fräsen. Einzelheiten, die feiner als ein Voxel sind, gehen verloren"
    ),
    ("*", "Out of memory: use larger voxels, or set a memory limit in the preferences"): (
        "Speicher erschöpft: größere Voxel verwenden, oder in den Benutzereinstellungen eine Speichergrenze setzen"
    ),
    (
        "*",
        "Radius of the tool in world space. The radius of each point of the path (Alt S in Edit Mode) multiplies it",
    ): (
        "Radius des Werkzeugs in Weltkoordinaten. Der Radius jedes Punkts des Pfads (Alt S im Bearbeitungsmodus) "
        "multipliziert ihn"
    ),
    ("*", "Radius of the tool: the bevel depth of the new curve. Each point can scale it"): (
        "Radius des Werkzeugs: die Fasentiefe der neuen Kurve. Jeder Punkt kann ihn skalieren"
    ),
    (
        "*",
        "Refuse jobs that would take more memory than this, before they begin. 0 is half of the memory that is free",
    ): (
        "Aufträge, die mehr Speicher als diesen brauchen würden, ablehnen, bevor sie beginnen. 0 ist die Hälfte des "
        "freien Speichers"
    ),
    (
        "*",
        "Select at least {count} meshes with faces, or volumes",
    ): "Mindestens {count} Meshes mit Flächen oder Volumen auswählen",
    (
        "*",
        "Shade the cut faces smooth, else flat. The border of the cut stays sharp; what is left of the stock keeps "
        "its own shading",
    ): (
        "Die Schnittflächen weich schattieren, sonst flach. Der Rand des Schnitts bleibt scharf; was vom Rohteil "
        "übrig ist, behält seine eigene Schattierung"
    ),
    (
        "*",
        "Show in the viewport where the grid lies, some voxels at their true size, and the volume that the tool sweeps",
    ): (
        "In der Ansicht zeigen, wo das Raster liegt, einige Voxel in wahrer Größe, und das Volumen, das das "
        "Werkzeug überstreicht"
    ),
    (
        "*",
        "Start the backend as a carve would, and show what it runs on and why it is this one. Loading Numba or Warp "
        "takes some seconds",
    ): (
        "Das Backend starten, wie es beim Fräsen geschieht, und zeigen, worauf es läuft und warum es dieses ist. "
        "Numba oder Warp zu laden dauert einige Sekunden"
    ),
    ("*", "Stop the job that is running, and leave everything as it was"): (
        "Den laufenden Auftrag anhalten, und alles lassen, wie es war"
    ),
    (
        "*",
        "Take the bevel depth of each curve, which the viewport shows. Without one, a text gets a quarter of its "
        "strokes' width, and another path a twentieth of the stock",
    ): (
        "Die Fasentiefe jeder Kurve nehmen, die die Ansicht zeigt. Ohne Fase bekommt ein Text ein Viertel seiner "
        "Strichbreite, und ein anderer Pfad ein Zwanzigstel des Rohteils"
    ),
    ("*", "Take the others out of the active one"): "Die anderen vom aktiven abziehen",
    (
        "*",
        "Take what a round tool sweeps along the paths out of each stock, or add it, or keep only that. Select a "
        "mesh and curves, or choose them in the panel",
    ): (
        "Was ein rundes Werkzeug entlang der Pfade überstreicht, aus jedem Rohteil herausnehmen, oder es "
        "hinzufügen, oder nur das behalten. Ein Mesh und Kurven auswählen, oder im Panel angeben"
    ),
    ("*", "Take what the tool sweeps along the paths out of the stock: grooves, slots, holes"): (
        "Was das Werkzeug entlang der Pfade überstreicht, aus dem Rohteil herausnehmen: Nuten, Schlitze, Bohrungen"
    ),
    ("*", "That is more memory than the {memory} allowed: use larger voxels"): (
        "Das ist mehr Speicher als die erlaubten {memory}: größere Voxel verwenden"
    ),
    ("*", "The view layer is another scene's: give a context with both"): (
        "Die Ansichtsebene gehört zu einer anderen Szene: einen Kontext mit beiden angeben"
    ),
    ("*", "Update every selected result, and not only the active one"): (
        "Jedes ausgewählte Ergebnis aktualisieren, und nicht nur das aktive"
    ),
    ("*", "Use what the preferences of the extension say, else the fastest one that works on this machine"): (
        "Das Backend aus den Benutzereinstellungen der Erweiterung, sonst das schnellste, das auf diesem Rechner läuft"
    ),
    ("*", "Voxels are larger than the stock, whose longest side is {side}"): (
        "Die Voxel sind größer als das Rohteil, dessen längste Seite {side} misst"
    ),
    ("*", "Voxels are too small for the size of the stock"): "Die Voxel sind zu klein für die Größe des Rohteils",
    (
        "*",
        "What is made: a mesh, with new faces or with those of the stock, or a volume",
    ): ("Was entsteht: ein Mesh mit neuen Flächen oder mit denen des Rohteils, oder ein Volumen"),
    ("*", "What computes the job. All backends give the same result; only the speed differs"): (
        "Was den Auftrag rechnet. Jedes Backend liefert dasselbe Ergebnis, in anderer Zeit"
    ),
    ("*", "What computes where a scene leaves it to the preferences. Every backend gives the same result"): (
        "Was rechnet, wo eine Szene es den Benutzereinstellungen überlässt. Jedes Backend liefert dasselbe Ergebnis"
    ),
    (
        "*",
        "Where the radius of the tool comes from. The radius of each point of the path (Alt S in Edit Mode) "
        "multiplies it",
    ): (
        "Woher der Radius des Werkzeugs kommt. Der Radius jedes Punkts des Pfads (Alt S im Bearbeitungsmodus) "
        "multipliziert ihn"
    ),
    ("*", "Which NVIDIA GPU computes, where the backend is CUDA. Check lists those that are there"): (
        "Welche NVIDIA-GPU rechnet, wo das Backend CUDA ist. Prüfen listet die vorhandenen auf"
    ),
    ("*", "Update {count} Results"): "{count} Ergebnisse aktualisieren",
    (
        "*",
        "Carves the result '{name}' itself, along the other paths",
    ): "Fräst das Ergebnis '{name}' selbst, entlang der anderen Pfade",
    ("*", "Options"): "Optionen",
    ("*", "Paths as Wire"): "Pfade als Draht",
    (
        "*",
        "'{name}' is itself the result of a carve: Update would carve its stock again",
    ): ("'{name}' ist selbst das Ergebnis eines Fräsens: Aktualisieren würde dessen Rohteil neu fräsen"),
    ("*", "About {count} faces"): "Etwa {count} Flächen",
    ("*", "At most {count} faces"): "Höchstens {count} Flächen",
    (
        "*",
        "No path: select one, or combine the selected objects by Voxel Boolean",
    ): ("Kein Pfad: einen auswählen oder die ausgewählten Objekte mit Voxel-Boolean verknüpfen"),
    (
        "*",
        "Make a Volume object: the distances near the surface, as an OpenVDB level set in a new file in the "
        "Volume Folder. It has no faces, no materials and no recipe: to change it, carve the stock again",
    ): (
        "Ein Volumenobjekt machen: die Abstände nahe der Oberfläche, als OpenVDB-Level-Set in einer neuen Datei im "
        "Volumenordner. Es hat keine Flächen, keine Materialien und kein Rezept: zum Ändern das Rohteil neu fräsen"
    ),
    ("*", "Volume Folder"): "Volumenordner",
    (
        "*",
        "Where the file of a volume goes, named after its stock. No file is replaced: each carve writes "
        "another. // is the folder of the .blend",
    ): (
        "Wohin die Datei eines Volumens kommt, die nach dem Rohteil benannt ist. Keine Datei wird ersetzt: jedes "
        "Fräsen schreibt eine weitere. // ist der Ordner der .blend-Datei"
    ),
    ("*", "Total Volume"): "Gesamtvolumen",
    ("*", "Brought by {package}"): ("Mitgebracht von {package}"),
    ("*", "Registered by a program"): ("Von einem Programm angemeldet"),
    ("*", "It was chosen before. Install the package that brings it, or choose another"): (
        "Es wurde früher gewählt. Das Paket installieren, das es mitbringt, oder ein anderes wählen"
    ),
    ("*", "{backend}, Not Installed"): ("{backend}, nicht installiert"),
    (
        "*",
        "Build a new surface all over, of even faces. It is closed for every stock, with holes and overlaps too; a "
        "sheet stays open",
    ): (
        "Überall eine neue Oberfläche aus gleichmäßigen Flächen bauen. Sie ist bei jedem Rohteil geschlossen, auch "
        "mit Löchern und Überlappungen; ein Blatt bleibt offen"
    ),
    (
        "*",
        "Carve sheets, such as terrains, as solid behind their faces, and fill the holes of all else",
    ): ("Blätter, etwa Gelände, hinter ihren Flächen als massiv fräsen, und bei allem anderen die Löcher schließen"),
    (
        "*",
        "Cut the stock's own faces. Those that no path touches stay as they are, to the bit, with all their data; a "
        "stock with holes is remeshed if a path comes near one",
    ): (
        "Die Flächen des Rohteils selbst schneiden. Die kein Pfad berührt, bleiben bis aufs Bit, wie sie sind, mit "
        "allen ihren Daten; ein Rohteil mit Löchern wird neu vermascht, wenn ein Pfad einem nahe kommt"
    ),
    (
        "*",
        "Fill the holes of the stock. The result is closed",
    ): ("Die Löcher des Rohteils schließen. Das Ergebnis ist geschlossen"),
    (
        "*",
        "Give the result of a sheet sides and a floor, as for printing",
    ): ("Dem Ergebnis eines Blatts Seiten und einen Boden geben, etwa zum Drucken"),
    (
        "*",
        "Take the stock as solid behind its faces, as deep as the paths go. The result stays open",
    ): ("Das Rohteil hinter seinen Flächen als massiv nehmen, so tief die Pfade reichen. Das Ergebnis bleibt offen"),
    ("*", "What lies inside a stock that is not closed"): "Was in einem Rohteil liegt, das nicht geschlossen ist",
    ("*", "Close Sheets"): "Blätter schließen",
    ("*", "Fill Holes"): "Löcher schließen",
    ("*", "Open Stock"): "Offenes Rohteil",
    ("*", "Sheet"): "Blatt",
    ("*", "{name}: a sheet, solid behind its faces"): "{name}: ein Blatt, hinter seinen Flächen massiv",
    ("*", "{name}: {count} holes, which stay"): "{name}: {count} Löcher, die bleiben",
    ("*", "{name}: {count} holes, to be filled"): "{name}: {count} Löcher, werden geschlossen",
    ("*", "{name}: a hole, which stays"): "{name}: ein Loch, das bleibt",
    ("*", "{name}: a hole, to be filled"): "{name}: ein Loch, wird geschlossen",
    (
        "*",
        "The radius is less than a voxel: cuts come out smaller than their paths",
    ): "Der Radius ist kleiner als ein Voxel: Schnitte werden kleiner als ihre Pfade",
    (
        "*",
        "Up to {share} of '{name}' is too thin: use voxels of {size}, or Keep Stock",
    ): "Bis zu {share} von '{name}' ist zu dünn: Voxel von {size} nehmen, oder Rohteil behalten",
    ("*", "and {count} more"): "und {count} weitere",
    (
        "*",
        "128 voxels along the longest side of the stock, and up to 1024 where the smallest radius needs them: "
        "a groove wants a radius of two voxels",
    ): (
        "128 Voxel entlang der längsten Seite des Rohteils, und bis zu 1024, wo der kleinste Radius sie braucht: "
        "eine Nut braucht einen Radius von zwei Voxeln"
    ),
    (
        "*",
        "The radius is less than two voxels: cuts come out coarse",
    ): "Der Radius ist kleiner als zwei Voxel: die Schnitte werden grob",
    ("*", "Use {value}"): "{value} nehmen",
    ("Operator", "Fit Voxels to Radius"): "Voxel an Radius anpassen",
    (
        "*",
        "Make the voxels so small that the smallest radius is two of them",
    ): "Die Voxel so klein machen, dass der kleinste Radius zwei von ihnen misst",
    (
        "*",
        "Number of voxels along the longest side of the stock, unless voxels are given by their size",
    ): "Anzahl der Voxel entlang der längsten Seite des Rohteils, wenn Voxel nicht durch ihre Größe gegeben sind",
    (
        "*",
        "Edge of a voxel, if voxels are given by their size",
    ): "Kante eines Voxels, wenn Voxel durch ihre Größe gegeben sind",
    ("*", "{count} of {all}"): "{count} von {all}",
    ("*", "Deleted: {names}"): "Gelöscht: {names}",
    ("*", "Some Deleted"): "Einige gelöscht",
    (
        "*",
        "Draw the paths as wire, or as bounds if they have a bevel or a fill, and leave them out of renders "
        "while there is a result of them, because a bevel fills its own groove",
    ): (
        "Die Pfade als Draht zeichnen, mit Fase oder Füllung als Begrenzung, und sie nicht rendern, solange es ein "
        "Ergebnis von ihnen gibt, weil eine Fase ihre eigene Nut füllt"
    ),
    ("Operator", "Toolpath (.csv/.svg/.dxf/...)"): "Werkzeugweg (.csv/.svg/.dxf/...)",
    (
        "*",
        "Read toolpaths from tables with the columns x, y, z, radius and path, or from drawings, and select "
        "each as a curve to carve along",
    ): (
        "Werkzeugwege aus Tabellen mit den Spalten x, y, z, radius und path oder aus Zeichnungen lesen und jeden "
        "als Kurve zum Fräsen auswählen"
    ),
    (
        "*",
        "The unit of the numbers in a file that does not say its own",
    ): "Die Einheit der Zahlen in einer Datei, die keine eigene nennt",
    (
        "*",
        "Keep Stock would give about {count}, and leave flat faces whole",
    ): "Rohteil behalten ergäbe etwa {count} und ließe ebene Flächen ganz",
    ("*", "One frame"): "Ein Einzelbild",
    (
        "*",
        "the list has no path number {number}: its last is {count}",
    ): "die Liste hat keinen Pfad Nummer {number}: ihr letzter ist {count}",
    (
        "*",
        "No voxels are given: pass resolution and voxel_size, or make them Automatic",
    ): "Keine Voxel angegeben: resolution und voxel_size angeben, oder sie auf Automatisch stellen",
}
