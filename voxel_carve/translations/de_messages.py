"""German: what is told, such as reports, refusals and warnings; see de for the terms."""

MESSAGES = {
    ("*", " (did you mean '{name}'?)"): " (vielleicht '{name}'?)",
    ("*", "'{name}' applied: no longer carved again"): "'{name}' angewendet: wird nicht mehr neu gefräst",
    (
        "*",
        "'{name}' carved: {change}, {faces:,} faces, {total:.2f} s (of that read {read:.2f}, write {write:.2f})",
    ): ("'{name}' gefräst: {change}, {faces:,} Flächen, {total:.2f} s (davon Lesen {read:.2f}, Schreiben {write:.2f})"),
    (
        "*",
        "'{name}' encloses no volume of a voxel: it is flat, thin, or too open; close it, or use smaller voxels",
    ): (
        "'{name}' umschließt kein Volumen eines Voxels: flach, dünn oder zu offen; schließen oder kleinere Voxel nehmen"
    ),
    (
        "*",
        "'{name}' fitted: {mean} off the groove on average, {largest} at most",
    ): "'{name}' angepasst: im Mittel {mean} von der Nut entfernt, höchstens {largest}",
    (
        "*",
        "'{name}' has modifiers or shape keys: apply them",
    ): "'{name}' hat Modifikatoren oder Formschlüssel: anwenden",
    (
        "*",
        "'{name}' has NURBS curves with custom knots, which cannot be read: choose other knots",
    ): ("'{name}' hat NURBS-Kurven mit eigenen Knoten, die nicht gelesen werden können: andere Knoten wählen"),
    ("*", "'{name}' has a scale of zero: give it another"): "'{name}' hat die Skalierung null: eine andere geben",
    (
        "*",
        "'{name}' has a transform that is not made of numbers: clear it",
    ): ("'{name}' hat eine Transformation, die nicht aus Zahlen besteht: zurücksetzen"),
    (
        "*",
        "'{name}' has coordinates that are not numbers: delete them",
    ): ("'{name}' hat Koordinaten, die keine Zahlen sind: löschen"),
    (
        "*",
        "'{name}' has each face twice, facing both ways: one side was taken",
    ): ("'{name}' hat jede Fläche zweimal, in beide Richtungen: eine Seite wurde genommen"),
    (
        "*",
        "'{name}' has holes too large to be closed ({count} open edges): close them",
    ): ("'{name}' hat Löcher, die zum Schließen zu groß sind ({count} offene Kanten): selbst schließen"),
    (
        "*",
        "'{name}' has its normals inverted: it was taken as solid all the same",
    ): ("'{name}' hat umgekehrte Normalen: es wurde trotzdem als massiv genommen"),
    (
        "*",
        "'{name}' has no faces: choose a mesh with a surface as the stock",
    ): ("'{name}' hat keine Flächen: ein Mesh mit Flächen als Rohteil wählen"),
    (
        "*",
        "'{name}' has no mesh of its own to replace: use Object > Apply > Make Instances Real, or switch "
        "Replace Stock off",
    ): (
        "'{name}' hat kein eigenes Mesh, das ersetzt werden kann: Objekt > Anwenden > Instanzen real "
        "machen, oder Rohteil ersetzen ausschalten"
    ),
    ("*", "'{name}' has no path: add one"): "'{name}' hat keinen Pfad: einen hinzufügen",
    (
        "*",
        "'{name}' has no size: all its vertices lie in one place",
    ): ("'{name}' hat keine Größe: alle Punkte liegen an einer Stelle"),
    (
        "*",
        "'{name}' has shape keys, which fit its faces only as they are: delete them, or apply",
    ): ("'{name}' hat Formschlüssel, die nur zu den jetzigen Flächen passen: löschen oder anwenden"),
    (
        "*",
        "'{name}' has shape keys, which no boolean can keep: apply or delete them, or choose Remesh",
    ): (
        "'{name}' hat Formschlüssel, die kein Boolean behalten kann: anwenden oder löschen, oder Neu vermaschen wählen"
    ),
    (
        "*",
        "'{name}' has {bad} of {count} vertices with coordinates that are not numbers: delete them",
    ): ("'{name}' hat {bad} von {count} Punkten mit Koordinaten, die keine Zahlen sind: löschen"),
    (
        "*",
        "'{name}' has {count} faces that lie back to back: they cancel out",
    ): ("'{name}' hat {count} Flächen, die Rücken an Rücken liegen: sie heben sich auf"),
    (
        "*",
        "'{name}' has {far} of {count} vertices farther out than 1e12: the data is damaged",
    ): ("'{name}' hat {far} von {count} Punkten weiter draußen als 1e12: die Daten sind beschädigt"),
    (
        "*",
        "'{name}' has {turned:,} of {count:,} triangles that look the other way: they were turned round",
    ): ("'{name}' hat {turned:,} von {count:,} Dreiecken, die in die andere Richtung schauen: sie wurden umgedreht"),
    (
        "*",
        "'{name}' holds instances, whose faces no boolean can keep: use Object > Apply > Make Instances Real, "
        "or choose Remesh",
    ): (
        "'{name}' enthält Instanzen, deren Flächen kein Boolean behalten kann: Objekt > Anwenden > Instanzen "
        "real machen, oder Neu vermaschen wählen"
    ),
    (
        "*",
        "'{name}' instances no mesh with faces: choose another stock",
    ): ("'{name}' instanziert kein Mesh mit Flächen: ein anderes Rohteil wählen"),
    (
        "*",
        "'{name}' is a volume, which no mesh can replace: switch Replace Stock off",
    ): ("'{name}' ist ein Volumen, das kein Mesh ersetzen kann: Rohteil ersetzen ausschalten"),
    ("*", "'{name}' is being edited: switch to Object Mode"): "'{name}' wird bearbeitet: in den Objektmodus wechseln",
    (
        "*",
        "'{name}' is disabled in viewports or not in the view layer, and so Blender keeps it unevaluated: enable it",
    ): (
        "'{name}' ist in Ansichten deaktiviert oder nicht in der Ansichtsebene, und Blender wertet es deshalb "
        "nicht aus: aktivieren"
    ),
    (
        "*",
        "'{name}' is disabled in viewports or not in the view layer: enable it",
    ): ("'{name}' ist in Ansichten deaktiviert oder nicht in der Ansichtsebene: aktivieren"),
    (
        "*",
        "'{name}' is in Edit Mode: switch to Object Mode",
    ): ("'{name}' ist im Bearbeitungsmodus: in den Objektmodus wechseln"),
    (
        "*",
        "'{name}' is in Sculpt Mode: switch to Object Mode, or switch Replace Stock off",
    ): ("'{name}' ist im Bildhauermodus: in den Objektmodus wechseln, oder Rohteil ersetzen ausschalten"),
    (
        "*",
        "'{name}' is linked from another file: make it local",
    ): ("'{name}' ist aus einer anderen Datei verknüpft: lokal machen"),
    (
        "*",
        "'{name}' is linked from another file: make it local, or switch Replace Stock off",
    ): ("'{name}' ist aus einer anderen Datei verknüpft: lokal machen, oder Rohteil ersetzen ausschalten"),
    ("*", "'{name}' is linked: make it local"): "'{name}' ist verknüpft: lokal machen",
    (
        "*",
        "'{name}' is no path: choose a curve, a text, or a mesh of edges without faces",
    ): ("'{name}' ist kein Pfad: eine Kurve, einen Text oder ein Mesh aus Kanten ohne Flächen wählen"),
    (
        "*",
        "'{name}' is not a mesh: choose a mesh with faces as the stock",
    ): ("'{name}' ist kein Mesh: ein Mesh mit Flächen als Rohteil wählen"),
    (
        "*",
        "'{name}' has holes ({count} open edges): they were filled",
    ): ("'{name}' hat Löcher ({count} offene Kanten): sie wurden gefüllt"),
    (
        "*",
        "progress is a {kind}: give a function, which is called with the stage and the fraction done",
    ): "progress ist ein {kind}: eine Funktion angeben, die mit Abschnitt und erledigtem Anteil aufgerufen wird",
    (
        "*",
        "'{name}' is scaled unevenly: its radii are multiplied by the mean scale",
    ): "'{name}' ist ungleich skaliert: die Radien werden mit der mittleren Skalierung multipliziert",
    (
        "*",
        "'{name}' is scaled unevenly: its bevel is taken as round, with the mean scale",
    ): ("'{name}' ist ungleich skaliert: die Fase wird als rund genommen, mit der mittleren Skalierung"),
    (
        "*",
        "'{name}' keeps the coarse preview that it shows: undo and update it first, if not meant",
    ): (
        "'{name}' behält die grobe Vorschau, die es zeigt: falls das nicht gemeint war, rückgängig machen und "
        "zuerst aktualisieren"
    ),
    (
        "*",
        "'{name}' lists {count} faces that are there already: each counts once",
    ): ("'{name}' führt {count} Flächen auf, die es schon gibt: jede zählt einmal"),
    ("*", "'{name}' made of {count} balls"): "'{name}' aus {count} Kugeln gemacht",
    ("*", "'{name}' made of {count} paths"): "'{name}' aus {count} Pfaden gemacht",
    ("*", "'{name}' made of {count} strokes"): "'{name}' aus {count} Strichen gemacht",
    ("*", "'{name}' made: {count:,} faces, {seconds:.2f} s"): "'{name}' gemacht: {count:,} Flächen, {seconds:.2f} s",
    ("*", "'{name}' made: {count} frames, {seconds:.2f} s"): "'{name}' gemacht: {count} Einzelbilder, {seconds:.2f} s",
    (
        "*",
        "'{name}' shares its curve with other objects: make it single user",
    ): "'{name}' teilt seine Kurve mit anderen Objekten: zum Einzelbenutzer machen",
    (
        "*",
        "'{name}' shares its mesh with another result: make it a single user, or apply",
    ): ("'{name}' teilt sein Mesh mit einem anderen Ergebnis: zum Einzelnutzer machen, oder anwenden"),
    (
        "*",
        "'{name}' turns into {count} faces: a path is a curve, or edges without faces",
    ): ("'{name}' wird zu {count} Flächen: ein Pfad ist eine Kurve, oder Kanten ohne Flächen"),
    (
        "*",
        "'{name}' was prepared for a voxel size of {prepared}, not {voxel_size}: prepare it anew",
    ): ("'{name}' wurde für eine Voxelgröße von {prepared} vorbereitet, nicht {voxel_size}: neu vorbereiten"),
    ("*", "'{name}' was remeshed, not kept: {reason}"): "'{name}' wurde neu vermascht und nicht behalten: {reason}",
    (
        "*",
        "'{name}' would be carved from itself: choose another stock or path",
    ): ("'{name}' würde aus sich selbst gefräst: ein anderes Rohteil oder einen anderen Pfad wählen"),
    ("*", "'{text}' is not a number"): "'{text}' ist keine Zahl",
    ("*", "Compiled kernels cleared: {memory}"): "Kompilierte Kernel gelöscht: {memory}",
    ("*", "Live Update was switched off: {error}"): "Live-Aktualisierung wurde ausgeschaltet: {error}",
    (
        "*",
        "no surface within {reach} of the path faces it: move the path into the groove, or allow a longer reach",
    ): (
        "im Umkreis von {reach} ist dem Pfad keine Fläche zugewandt: den Pfad in die Rille bewegen oder eine größere "
        "Reichweite erlauben"
    ),
    (
        "*",
        "NUMBA_DISABLE_JIT keeps numba from compiling: unset it",
    ): ("NUMBA_DISABLE_JIT hält Numba vom Kompilieren ab: die Variable löschen"),
    (
        "*",
        "NUMBA_NUM_THREADS is '{asked}': unset it, or set it to a whole number from 1 to {most}",
    ): ("NUMBA_NUM_THREADS ist '{asked}': die Variable löschen, oder auf eine ganze Zahl von 1 bis {most} setzen"),
    (
        "*",
        "Not carved at this frame: another job was running",
    ): ("In diesem Einzelbild nicht gefräst: ein anderer Auftrag lief"),
    (
        "*",
        "Not carved in renders: switch Lock Interface on, in the menu Render",
    ): ("In Renderings nicht gefräst: im Menü Rendern die Oberfläche sperren"),
    ("*", "reach"): "Reichweite",
    (
        "*",
        "Select one mesh with a groove, and one curve along the groove",
    ): "Ein Mesh mit einer Nut und eine Kurve entlang der Nut auswählen",
    (
        "*",
        "Update on Frame Change was switched off: {error}",
    ): ("Aktualisieren bei Bildwechsel wurde ausgeschaltet: {error}"),
    (
        "*",
        "Warp does not start ({error}): update the graphics driver, or {remedy}",
    ): ("Warp startet nicht ({error}): den Grafiktreiber aktualisieren, oder {remedy}"),
    (
        "*",
        "Warp finds no CUDA device: update the driver of the NVIDIA graphics card, or choose cpu",
    ): ("Warp findet kein CUDA-Gerät: den Treiber der NVIDIA-Grafikkarte aktualisieren, oder cpu wählen"),
    ("*", "Warp has no device '{name}': choose {names}"): "Warp hat kein Gerät '{name}': {names} wählen",
    ("*", "Warp is not installed ({error}): {remedy}"): "Warp ist nicht installiert ({error}): {remedy}",
    (
        "*",
        "a curve would take {count:,} points, {tolerance} from it at most: use larger voxels",
    ): ("eine Kurve bräuchte {count:,} Punkte, höchstens {tolerance} von ihr entfernt: größere Voxel nehmen"),
    (
        "*",
        "a grid's origin has the shape {shape}: give (x, y, z)",
    ): ("der Ursprung eines Rasters hat die Form {shape}: (x, y, z) angeben"),
    ("*", "a material of '{name}'"): "ein Material von '{name}'",
    (
        "*",
        "a mesh that the job keeps was purged meanwhile: start it again",
    ): ("ein Mesh, das der Auftrag aufbewahrt, wurde inzwischen entfernt: noch einmal starten"),
    (
        "*",
        "a path is a Path or a pair (points, radii), and path {number} is a {kind}",
    ): ("ein Pfad ist ein Path oder ein Paar (points, radii), und Pfad {number} ist ein {kind}"),
    ("*", "a result"): "ein Ergebnis",
    (
        "*",
        "a sweep needs at least one segment, and an end for each start",
    ): ("ein Fräsvolumen braucht mindestens ein Segment, und ein Ende für jeden Anfang"),
    ("*", "a sweep's points must be finite numbers"): "die Punkte eines Fräsvolumens müssen endliche Zahlen sein",
    ("*", "a sweep's radii must be positive numbers"): "die Radien eines Fräsvolumens müssen positive Zahlen sein",
    (
        "*",
        "an offset of {distance} is less than a voxel ({voxel_size}): offset by more, or make the voxels smaller",
    ): (
        "ein Versatz von {distance} ist weniger als ein Voxel ({voxel_size}): weiter versetzen, oder die "
        "Voxel verkleinern"
    ),
    ("*", "belongs to someone else"): "gehört jemand anderem",
    (
        "*",
        "box '{name}': each coordinate of the second corner must be greater than the first's",
    ): ("Quader '{name}': jede Koordinate der zweiten Ecke muss größer sein als die der ersten"),
    ("*", "can be written to by others"): "kann von anderen beschrieben werden",
    ("*", "chord tolerance"): "Sehnentoleranz",
    ("*", "delete it, and it is made anew"): "löschen, dann wird er neu angelegt",
    ("*", "edges {rms:.4f} RMS, {largest:.3f} at most"): "Kanten {rms:.4f} RMS, höchstens {largest:.3f}",
    (
        "*",
        "face centroids {rms:.4f} RMS, {largest:.3f} at most",
    ): ("Flächenmitten {rms:.4f} RMS, höchstens {largest:.3f}"),
    ("*", "frame {frame}: {error}"): "Einzelbild {frame}: {error}",
    (
        "*",
        "grid origin is not finite: move the object nearer to the world's origin",
    ): ("der Ursprung des Rasters ist nicht endlich: das Objekt näher an den Ursprung der Welt bringen"),
    (
        "*",
        "grid shape {shape}: give (Z, Y, X), whole numbers of voxels, at least one of each",
    ): ("Form des Rasters {shape}: (Z, Y, X) angeben, ganze Zahlen von Voxeln, jeweils mindestens eines"),
    (
        "*",
        "half_width {width:g}: it is in voxels, from 1 to {most}; or 0 for no narrow band",
    ): ("half_width {width:g}: in Voxeln, von 1 bis {most}; oder 0 für kein schmales Band"),
    (
        "*",
        "install it with pip install 'voxel-carve[cuda]', or install the extension's cuda flavour instead of "
        "the cpu one",
    ): (
        "mit pip install 'voxel-carve[cuda]' installieren, oder statt der cpu-Ausgabe der Erweiterung die "
        "cuda-Ausgabe installieren"
    ),
    ("*", "install it with pip install numba"): "mit pip install numba installieren",
    ("*", "is a symbolic link"): "ist eine symbolische Verknüpfung",
    ("*", "is not a folder"): "ist kein Ordner",
    (
        "*",
        "is not a text file: export the toolpath as comma separated values in UTF-8",
    ): ("ist keine Textdatei: den Werkzeugweg als kommagetrennte Werte in UTF-8 exportieren"),
    ("*", "it is no manifold"): "es ist keine Mannigfaltigkeit",
    (
        "*",
        "it is open, and the paths come near a hole of it",
    ): ("es ist offen, und die Pfade kommen einem Loch davon nahe"),
    ("*", "it is thinner than twice the offset"): "es ist dünner als der doppelte Versatz",
    ("*", "job"): "Auftrag",
    (
        "*",
        "kernels are being compiled: wait until they are ready, and clear them then",
    ): ("Kernel werden gerade kompiliert: warten, bis sie fertig sind, und sie dann löschen"),
    ("*", "make it yours, writable for you alone"): "zum eigenen machen, in den sonst niemand schreiben darf",
    (
        "*",
        "make it yours, writable for you alone, or name another in {variable}",
    ): ("zum eigenen machen, in den sonst niemand schreiben darf, oder in {variable} einen anderen nennen"),
    (
        "*",
        "memory ran out while carving: choose larger voxels, or a lower memory limit",
    ): ("beim Fräsen ging der Speicher aus: größere Voxel oder eine niedrigere Speichergrenze wählen"),
    (
        "*",
        "no frames from {start} to {end}: choose a later end",
    ): ("keine Einzelbilder von {start} bis {end}: ein späteres Ende wählen"),
    (
        "*",
        "no path: select a curve, or give a toolpath",
    ): ("kein Pfad: eine Kurve auswählen, oder einen Werkzeugweg angeben"),
    (
        "*",
        "no process could be started for the {task} ({error})",
    ): ("für {task} konnte kein Prozess gestartet werden ({error})"),
    (
        "*",
        "no process could be started to compile the fast kernels ({error})",
    ): ("zum Kompilieren der schnellen Kernel konnte kein Prozess gestartet werden ({error})"),
    (
        "*",
        "no voxel's centre is inside: make the voxels smaller",
    ): ("kein Mittelpunkt eines Voxels liegt innen: die Voxel verkleinern"),
    (
        "*",
        "nothing is left of '{name}': the paths carve all of it away; check the radius, or carve less",
    ): ("von '{name}' bleibt nichts übrig: die Pfade fräsen alles weg; den Radius prüfen, oder weniger fräsen"),
    (
        "*",
        "nothing is left of '{name}': the paths do not reach it",
    ): ("von '{name}' bleibt nichts übrig: die Pfade erreichen es nicht"),
    (
        "*",
        "nothing is left of '{name}': what the paths share with it is thinner than a voxel; {remedy}",
    ): ("von '{name}' bleibt nichts übrig: was die Pfade mit ihm teilen, ist dünner als ein Voxel; {remedy}"),
    ("*", "nothing is left of '{name}': {hint}"): "von '{name}' bleibt nichts übrig: {hint}",
    ("*", "numba does not start ({error}): {remedy}"): "Numba startet nicht ({error}): {remedy}",
    ("*", "numba is not installed: {remedy}"): "Numba ist nicht installiert: {remedy}",
    ("*", "off the exact surface, in voxels: {parts}"): "Abstand von der exakten Oberfläche, in Voxeln: {parts}",
    (
        "*",
        "path '{name}' has no points: draw at least one",
    ): ("Pfad '{name}' hat keine Punkte: mindestens einen zeichnen"),
    (
        "*",
        "path '{name}' has {bad} of {count} points whose coordinates are not numbers or are too large",
    ): ("Pfad '{name}' hat {bad} von {count} Punkten, deren Koordinaten keine Zahlen oder zu groß sind"),
    (
        "*",
        "path '{name}' has {bad} of {count} points whose radius is not a positive number: give each a radius",
    ): ("Pfad '{name}' hat {bad} von {count} Punkten, deren Radius keine positive Zahl ist: jedem einen Radius geben"),
    (
        "*",
        "path '{name}' has {bad} of {count} points whose weight is not positive",
    ): ("Pfad '{name}' hat {bad} von {count} Punkten, deren Gewicht nicht positiv ist"),
    (
        "*",
        "path '{name}' would take more than {most:,} points: use larger voxels",
    ): ("Pfad '{name}' bräuchte mehr als {most:,} Punkte: größere Voxel nehmen"),
    ("*", "path '{name}': {error}"): "Pfad '{name}': {error}",
    ("*", "radius"): "Radius",
    (
        "*",
        "resolution {resolution}: it must be a whole number of voxels, at least 1",
    ): ("Auflösung {resolution}: es muss eine ganze Zahl von Voxeln sein, mindestens 1"),
    (
        "*",
        "simplifying needs numba: {error}; or set the adaptivity to 0",
    ): ("das Vereinfachen braucht Numba: {error}; oder die Adaptivität auf 0 setzen"),
    (
        "*",
        "the fast kernels could not be compiled (status {status}), see {log}",
    ): ("die schnellen Kernel konnten nicht kompiliert werden (Status {status}), siehe {log}"),
    (
        "*",
        "the fast kernels were compiled for this process alone, because {error}",
    ): ("die schnellen Kernel wurden nur für diesen Prozess kompiliert, weil {error}"),
    (
        "*",
        "the file of volume '{name}' cannot be loaded: {error}",
    ): ("die Datei des Volumens '{name}' kann nicht geladen werden: {error}"),
    (
        "*",
        "the folder for compiled kernels, {path}, cannot be made: {fault}",
    ): ("der Ordner für kompilierte Kernel, {path}, kann nicht angelegt werden: {fault}"),
    (
        "*",
        "the folder for compiled kernels, {path}, cannot be written to: {fault}",
    ): ("der Ordner für kompilierte Kernel, {path}, kann nicht beschrieben werden: {fault}"),
    (
        "*",
        "the folder for compiled kernels, {path}, {fault}: {remedy}",
    ): ("der Ordner für kompilierte Kernel, {path}, {fault}: {remedy}"),
    (
        "*",
        "the grids of volume '{name}' cannot be saved: {error}",
    ): ("die Gitter des Volumens '{name}' können nicht gespeichert werden: {error}"),
    (
        "*",
        "the job has more than 2^31 elements in one array of {name}: choose cpu",
    ): ("der Auftrag hat mehr als 2^31 Elemente in einem Feld von {name}: cpu wählen"),
    (
        "*",
        "the job needs about {needed} and may take {allowed}: a voxel size of {voxel_size} would fit",
    ): ("der Auftrag braucht etwa {needed} und darf {allowed} nehmen: eine Voxelgröße von {voxel_size} würde passen"),
    (
        "*",
        "the job needs about {needed} and may take {allowed}: no voxel size would fit; raise the limit, or "
        "give it fewer faces and segments",
    ): (
        "der Auftrag braucht etwa {needed} und darf {allowed} nehmen: keine Voxelgröße würde passen; die "
        "Grenze erhöhen, oder weniger Flächen und Segmente geben"
    ),
    (
        "*",
        "the kernels cannot be compiled for {device} ({error}): choose cpu",
    ): ("die Kernel können für {device} nicht kompiliert werden ({error}): cpu wählen"),
    ("*", "the others leave nothing of it"): "die anderen lassen nichts davon übrig",
    (
        "*",
        "the paths do not touch '{name}': it comes back whole",
    ): ("die Pfade berühren '{name}' nicht: es kommt unverändert zurück"),
    (
        "*",
        "the paths lie inside '{name}': it comes back whole",
    ): ("die Pfade liegen in '{name}': es kommt unverändert zurück"),
    (
        "*",
        "the process of the boolean ended with status {status}, perhaps for want of memory: use larger "
        "voxels, or choose Remesh",
    ): (
        "der Prozess des Booleans endete mit Status {status}, vielleicht aus Speichermangel: größere Voxel "
        "nehmen, oder Neu vermaschen wählen"
    ),
    (
        "*",
        "the process of the job ended with status {status}, perhaps for want of memory: use larger voxels, or "
        "set a memory limit",
    ): (
        "der Prozess des Auftrags endete mit Status {status}, vielleicht aus Speichermangel: größere Voxel "
        "nehmen, oder eine Speichergrenze setzen"
    ),
    (
        "*",
        "the process that writes the volume ended with status {status}, perhaps for want of memory: use "
        "larger voxels, or make a mesh",
    ): (
        "der Prozess, der das Volumen schreibt, endete mit Status {status}, vielleicht aus Speichermangel: "
        "größere Voxel nehmen, oder ein Mesh machen"
    ),
    (
        "*",
        "the progress function raised StopIteration: raise CarveCancelled to stop the job",
    ): "die Funktion progress hat StopIteration ausgelöst: CarveCancelled auslösen, um die Aufgabe abzubrechen",
    (
        "*",
        "the result is not closed: please report this as a bug",
    ): ("das Ergebnis ist nicht geschlossen: bitte als Fehler melden"),
    ("*", "the scene"): "die Szene",
    (
        "*",
        "the size of a voxel: give either voxel_size or resolution",
    ): ("die Größe eines Voxels: entweder voxel_size oder resolution angeben"),
    (
        "*",
        "the stock of '{name}' was deleted: choose another, or apply",
    ): ("das Rohteil von '{name}' wurde gelöscht: ein anderes wählen, oder anwenden"),
    (
        "*",
        "the surface leaves the bricks where it was looked for: please report this as a bug",
    ): ("die Oberfläche verlässt die Bricks, in denen sie gesucht wurde: bitte als Fehler melden"),
    (
        "*",
        "the surface to simplify is not closed",
    ): ("die Oberfläche, die vereinfacht werden soll, ist nicht geschlossen"),
    (
        "*",
        "there is no CUDA device {number}: choose another, there is {last}",
    ): ("es gibt kein CUDA-Gerät {number}: ein anderes wählen, es gibt {last}"),
    (
        "*",
        "CUDA device {number} is too old for Warp: choose another, or cpu",
    ): ("das CUDA-Gerät {number} ist zu alt für Warp: ein anderes wählen, oder cpu"),
    (
        "*",
        "the NVIDIA driver does not start ({error}): restart the computer, or install the driver anew, or choose cpu",
    ): (
        "der NVIDIA-Treiber startet nicht ({error}): den Rechner neu starten, oder den Treiber neu "
        "installieren, oder cpu wählen"
    ),
    (
        "*",
        "the NVIDIA driver finds no graphics card, and CUDA_VISIBLE_DEVICES is '{value}', which hides "
        "others: unset it, or choose cpu",
    ): (
        "der NVIDIA-Treiber findet keine Grafikkarte, und CUDA_VISIBLE_DEVICES ist '{value}', was andere "
        "verbirgt: die Variable löschen, oder cpu wählen"
    ),
    (
        "*",
        "the NVIDIA driver finds no graphics card: check that one is installed and switched on, or choose cpu",
    ): (
        "der NVIDIA-Treiber findet keine Grafikkarte: prüfen, ob eine eingebaut und eingeschaltet ist, oder cpu wählen"
    ),
    (
        "*",
        "the NVIDIA driver is damaged ({error}): install it anew, or choose cpu",
    ): ("der NVIDIA-Treiber ist beschädigt ({error}): ihn neu installieren, oder cpu wählen"),
    (
        "*",
        "the NVIDIA driver is too old: it has CUDA {found}, and Warp needs {needed}; install version "
        "{release} or newer, or choose cpu",
    ): (
        "der NVIDIA-Treiber ist zu alt: er hat CUDA {found}, und Warp braucht {needed}; Version {release} "
        "oder neuer installieren, oder cpu wählen"
    ),
    (
        "*",
        "the graphics card is too old: it has compute capability {found}, and Warp needs {needed}; choose cpu",
    ): ("die Grafikkarte ist zu alt: sie hat Compute Capability {found}, und Warp braucht {needed}; cpu wählen"),
    (
        "*",
        "CUDA needs an NVIDIA driver: install version {release} or newer, for an NVIDIA graphics card, or choose cpu",
    ): (
        "CUDA braucht einen NVIDIA-Treiber und findet keinen: Version {release} oder neuer installieren, für eine "
        "NVIDIA-Grafikkarte, oder cpu wählen"
    ),
    (
        "*",
        "there is no folder for compiled kernels: HOME names no folder of the user's",
    ): ("es gibt keinen Ordner für kompilierte Kernel: HOME nennt keinen Ordner des Benutzers"),
    (
        "*",
        "there is no material '{name}': choose another, or none",
    ): ("es gibt kein Material '{name}': ein anderes wählen, oder keines"),
    (
        "*",
        "to keep the stock takes manifold3d, which the extension brings along: install its zip again, or choose Remesh",
    ): (
        "das Rohteil zu behalten braucht manifold3d, das die Erweiterung mitbringt: ihr Zip neu installieren, "
        "oder Neu vermaschen wählen"
    ),
    ("*", "tolerance"): "Toleranz",
    ("*", "true edges {rms:.4f} RMS, {largest:.3f} at most"): "wahre Kanten {rms:.4f} RMS, höchstens {largest:.3f}",
    ("*", "unknown operation '{operation}': choose {choices}"): "unbekannte Operation '{operation}': {choices} wählen",
    (
        "*",
        "use voxels of at most {voxel_size}, or a larger radius",
    ): ("Voxel von höchstens {voxel_size} oder einen größeren Radius nehmen"),
    ("*", "vertices {rms:.4f} RMS, {largest:.3f} at most"): "Punkte {rms:.4f} RMS, höchstens {largest:.3f}",
    ("*", "volume '{name}'"): "Volumen '{name}'",
    (
        "*",
        "volume '{name}' has no grid of numbers: choose a level set or a fog",
    ): ("Volumen '{name}' hat kein Gitter aus Zahlen: ein Level-Set oder einen Nebel wählen"),
    ("*", "volume {volume} added"): "Volumen {volume} hinzugefügt",
    ("*", "volume {volume} removed"): "Volumen {volume} entfernt",
    (
        "*",
        "volumes need the openvdb module, which this Python does not have: use Blender as blender.org builds it, or "
        "bpy from the Python Package Index",
    ): (
        "Volumen brauchen das Modul openvdb, das dieses Python nicht hat: Blender nehmen, wie blender.org es "
        "baut, oder bpy aus dem Python Package Index"
    ),
    ("*", "voxel size"): "Voxelgröße",
    (
        "*",
        "voxel size {voxel_size} is larger than '{name}', whose longest side is {longest}: try {suggested}",
    ): ("Voxelgröße {voxel_size} ist größer als '{name}', dessen längste Seite {longest} misst: {suggested} versuchen"),
    (
        "*",
        "voxel size {voxel_size} is too small for a size of {size}",
    ): ("Voxelgröße {voxel_size} ist zu klein für eine Größe von {size}"),
    (
        "*",
        "voxel size {voxel_size} makes no grid for '{name}', of {longest}",
    ): ("Voxelgröße {voxel_size} ergibt kein Raster für '{name}' von {longest}"),
    (
        "*",
        "what the paths add to '{name}' is thinner than a voxel: it comes back whole; {remedy}",
    ): ("was die Pfade zu '{name}' hinzufügen, ist dünner als ein Voxel: es kommt unverändert zurück; {remedy}"),
    (
        "*",
        "what the paths take out of '{name}' is thinner than a voxel: it comes back whole; {remedy}",
    ): ("was die Pfade aus '{name}' entfernen, ist dünner als ein Voxel: es kommt unverändert zurück; {remedy}"),
    ("*", "{backend} on {device}"): "{backend} auf {device}",
    (
        "*",
        "{count} objects applied: no longer carved again",
    ): ("{count} Objekte angewendet: werden nicht mehr neu gefräst"),
    (
        "*",
        "{error}: let this user have more processes and threads, or end others",
    ): ("{error}: diesem Benutzer mehr Prozesse und Threads erlauben, oder andere beenden"),
    ("*", "{error}; it was not kept, because {reason}"): "{error}; es wurde nicht behalten, weil gilt: {reason}",
    (
        "*",
        "{filename} in {path} cannot be deleted: {fault}",
    ): ("{filename} in {path} kann nicht gelöscht werden: {fault}"),
    ("*", "{file} cannot be read as {suffix}: {error}"): "{file} kann nicht als {suffix} gelesen werden: {error}",
    ("*", "{file} could not be written: {error}"): "{file} konnte nicht geschrieben werden: {error}",
    (
        "*",
        "{file} has no column 'radius': add one, or give a radius",
    ): ("{file} hat keine Spalte 'radius': eine hinzufügen, oder einen Radius angeben"),
    (
        "*",
        "{file} has no points: give at least one line under the header",
    ): ("{file} hat keine Punkte: mindestens eine Zeile unter dem Kopf angeben"),
    (
        "*",
        "{file} is empty: it needs the header x,y,z[,radius][,path] and a line for each point",
    ): ("{file} ist leer: die Datei braucht den Kopf x,y,z[,radius][,path] und eine Zeile für jeden Punkt"),
    (
        "*",
        "{file} is not a toolpath that we read: export it as {choices}",
    ): ("{file} ist kein Werkzeugweg, den wir lesen: als {choices} exportieren"),
    ("*", "{file} is too large: {error}"): "{file} ist zu groß: {error}",
    ("*", "{file}, line {line}, column '{name}': {fault}"): "{file}, Zeile {line}, Spalte '{name}': {fault}",
    (
        "*",
        "{file}, line {line}: path '{label}' ended in line {last} already: put the points of a path together",
    ): ("{file}, Zeile {line}: Pfad '{label}' endete schon in Zeile {last}: die Punkte eines Pfads zusammen aufführen"),
    (
        "*",
        "{file}, line {line}: {count} fields where the header has {expected} ({header})",
    ): ("{file}, Zeile {line}: {count} Felder, wo der Kopf {expected} hat ({header})"),
    (
        "*",
        "{file}: a volume needs the narrow band: carve with half_width=3",
    ): ("{file}: ein Volumen braucht das schmale Band: mit half_width=3 fräsen"),
    (
        "*",
        "{name} has no room left ({error}): use larger voxels, or cpu",
    ): ("{name} hat keinen Platz mehr ({error}): größere Voxel oder cpu nehmen"),
    (
        "*",
        "{name} has {free:.0f} MiB of memory free, and the job needs about {needed:.0f} MiB: use larger "
        "voxels, or choose cpu",
    ): (
        "{name} hat {free:.0f} MiB Speicher frei, und der Auftrag braucht etwa {needed:.0f} MiB: größere "
        "Voxel nehmen, oder cpu wählen"
    ),
    (
        "*",
        "{name} was deleted meanwhile: nothing was changed",
    ): ("{name} wurde inzwischen gelöscht: nichts wurde geändert"),
    ("*", "{name} {length:g}: it must be a positive length"): "{name} {length:g}: es muss eine positive Länge sein",
    ("*", "{name} {value}: it must be a number of bytes"): "{name} {value}: es muss eine Anzahl von Bytes sein",
    (
        "*",
        "{owner} has faces of shape {shape}: give (M, 3), three indices for each triangle",
    ): ("{owner} hat Flächen der Form {shape}: (M, 3) angeben, drei Indizes für jedes Dreieck"),
    (
        "*",
        "{owner} has faces of unequal size: give (M, 3), three indices for each triangle",
    ): ("{owner} hat Flächen ungleicher Größe: (M, 3) angeben, drei Indizes für jedes Dreieck"),
    (
        "*",
        "{owner} has faces that refer to missing vertices: the data is damaged",
    ): ("{owner} hat Flächen, die sich auf fehlende Punkte beziehen: die Daten sind beschädigt"),
    (
        "*",
        "{owner} has faces whose indices are not whole numbers: give integers",
    ): ("{owner} hat Flächen, deren Indizes keine ganzen Zahlen sind: ganze Zahlen angeben"),
    (
        "*",
        "{owner} has points of shape {shape}: give (N, 3), a row (x, y, z) for each point",
    ): ("{owner} hat Punkte der Form {shape}: (N, 3) angeben, eine Zeile (x, y, z) für jeden Punkt"),
    (
        "*",
        "{owner} is not an array of numbers with rows of one length: {error}",
    ): ("{owner} ist kein Feld von Zahlen mit Zeilen gleicher Länge: {error}"),
    ("*", "{text} is larger than {largest:g}"): "{text} ist größer als {largest:g}",
    ("*", "{text} is not a finite number"): "{text} ist keine endliche Zahl",
    ("*", "{text} is not a positive radius"): "{text} ist kein positiver Radius",
    ("*", "{what} {shown}: it must be a positive length"): "{what} {shown}: es muss eine positive Länge sein",
    (
        "*",
        "a volume is a file beside the .blend: save that first, or choose a Volume Folder under Options",
    ): (
        "ein Volumen ist eine Datei neben der .blend-Datei: diese zuerst speichern oder unter Optionen einen "
        "Volumenordner wählen"
    ),
    (
        "*",
        "'{name}' is itself the result of a carve: show and select its stock for a new one",
    ): ("'{name}' ist selbst das Ergebnis eines Fräsens: für ein neues sein Rohteil einblenden und auswählen"),
    (
        "*",
        "'{name}' carved: {change}, {total:.2f} s (of that read {read:.2f}, write {write:.2f}); its file is {file}",
    ): (
        "'{name}' gefräst: {change}, {total:.2f} s (davon Lesen {read:.2f}, Schreiben {write:.2f}); seine Datei "
        "ist {file}"
    ),
    ("*", "backend '{name}' cannot be loaded: {error}"): ("Backend '{name}' kann nicht geladen werden: {error}"),
    ("*", "backend '{name}' cannot be started: {error}"): ("Backend '{name}' kann nicht gestartet werden: {error}"),
    ("*", "backend '{name}' has operations on occupancies alone, and cannot carve a mesh: choose another"): (
        "Backend '{name}' hat nur Operationen auf Belegungen und kann kein Mesh fräsen: ein anderes wählen"
    ),
    (
        "*",
        "backend '{name}' lacks {lacking}, of the protocol {protocol}: update what brings it, or choose another",
    ): (
        "Backend '{name}' fehlt {lacking} aus dem Protokoll {protocol}: aktualisieren, "
        "was es mitbringt, oder ein anderes wählen"
    ),
    ("*", "backend '{name}' is no backend: its factory gave a {kind}"): (
        "Backend '{name}' ist kein Backend: seine Factory ergab ein {kind}"
    ),
    ("*", "the factory of backend '{name}' is no function"): ("die Factory von Backend '{name}' ist keine Funktion"),
    ("*", "'{name}' is no name for a backend: use small letters, and not auto or numba"): (
        "'{name}' ist kein Name für ein Backend: Kleinbuchstaben verwenden, und nicht auto oder numba"
    ),
    ("*", "there is a backend '{name}' already: choose another name"): (
        "es gibt schon ein Backend '{name}': einen anderen Namen wählen"
    ),
    ("*", "unknown backend '{name}': choose auto, cpu, cuda or cuda:N (a device's number){others}"): (
        "unbekanntes Backend '{name}': auto, cpu, cuda oder cuda:N (Nummer eines Geräts){others} wählen"
    ),
    (
        "*",
        "'{name}' has faces behind its sheets, where all is solid: carve its parts one by one, or fill its holes",
    ): (
        "'{name}' hat Flächen hinter seinen Blättern, wo alles massiv ist: "
        "die Teile einzeln fräsen, oder die Löcher schließen"
    ),
    (
        "*",
        "'{name}' is a sheet whose sides cannot be told apart, like a Möbius strip: cut it, or fill its holes",
    ): (
        "'{name}' ist ein Blatt, dessen Seiten nicht zu unterscheiden sind, wie ein Möbiusband: es aufschneiden, "
        "oder seine Löcher schließen"
    ),
    (
        "*",
        "'{name}' is a sheet: it was carved as solid behind its faces",
    ): ("'{name}' ist ein Blatt: es wurde hinter seinen Flächen als massiv gefräst"),
    (
        "*",
        "'{name}' is only {size} across: scale it up, with all that goes with it",
    ): "'{name}' misst nur {size}: vergrößern, mit allem, was dazugehört",
    (
        "*",
        "unknown open_stock '{open_stock}': choose {choices}",
    ): ("unbekanntes open_stock '{open_stock}': {choices} stehen zur Wahl"),
    (
        "*",
        "a shell of '{name}' lies inside another and looks the same way: it was filled; flip its normals if it "
        "is a hollow",
    ): (
        "eine Schale von '{name}' liegt in einer anderen und schaut in dieselbe Richtung: sie wurde gefüllt; ihre "
        "Normalen umdrehen, wenn sie ein Hohlraum ist"
    ),
    (
        "*",
        "{count} shells of '{name}' lie inside others and look the same way: they were filled; flip their "
        "normals if they are hollows",
    ): (
        "{count} Schalen von '{name}' liegen in anderen und schauen in dieselbe Richtung: sie wurden gefüllt; ihre "
        "Normalen umdrehen, wenn sie Hohlräume sind"
    ),
    (
        "*",
        "'{name}' lost {share:.0%} of its surface away from the paths, because its holes had to be filled: "
        "close them, or take it as a sheet",
    ): (
        "'{name}' hat abseits der Pfade {share:.0%} der Oberfläche verloren, weil Löcher gefüllt werden mussten: "
        "schließen, oder als Blatt fräsen"
    ),
    (
        "*",
        "'{name}' lost {share:.0%} of its surface away from the paths, because it is thinner than a voxel "
        "there: use voxels of at most {voxel_size}, or keep the stock",
    ): (
        "'{name}' hat abseits der Pfade {share:.0%} der Oberfläche verloren, weil es dort dünner als ein Voxel "
        "ist: Voxel von höchstens {voxel_size} nehmen, oder das Rohteil behalten"
    ),
    (
        "*",
        "a mesh is a TriMesh, a Surface, a pair (points, triangles) or a trimesh.Trimesh, and this is a {kind}",
    ): "ein Mesh ist ein TriMesh, eine Surface, (points, triangles) oder ein trimesh.Trimesh, und dies ist ein {kind}",
    (
        "*",
        "a radius of {radius} is less than a voxel, so the cut is smaller than the path: {remedy}",
    ): "ein Radius von {radius} ist kleiner als ein Voxel, daher ist der Schnitt kleiner als der Pfad: {remedy}",
    (
        "*",
        "a point of the paths has a radius of 0: it was left out",
    ): "ein Punkt der Pfade hat den Radius 0: er wurde ausgelassen",
    (
        "*",
        "a {kind} does not say which segment made each face: give a result of carve, or its surface",
    ): "ein {kind} sagt nicht, welches Segment jede Fläche gemacht hat: ein Ergebnis von carve nehmen",
    (
        "*",
        "a {kind} is neither a path nor a file that is open for writing bytes",
    ): "ein {kind} ist weder ein Pfad noch eine Datei, die zum Schreiben von Bytes geöffnet ist",
    ("*", "labels is a {kind}: give Labels(stock, path)"): "labels ist ein {kind}: Labels(stock, path) angeben",
    (
        "*",
        "OpenVDB writes a .vdb by its name: give a path, or write .nvdb",
    ): "OpenVDB schreibt eine .vdb unter ihrem Namen: einen Pfad angeben oder .nvdb schreiben",
    (
        "*",
        "the file has no name that ends in a format: give one, such as suffix='.stl'",
    ): "die Datei hat keinen Namen, der ein Format nennt: eines angeben, etwa suffix='.stl'",
    (
        "*",
        "trimesh is not installed: install it with pip install trimesh",
    ): "trimesh ist nicht installiert: mit pip install trimesh installieren",
    (
        "*",
        "{count} points of the paths have a radius of 0: they were left out",
    ): "{count} Punkte der Pfade haben den Radius 0: sie wurden ausgelassen",
    (
        "*",
        "no point of the paths has a radius: give some a radius of more than 0",
    ): "kein Punkt der Pfade hat einen Radius: einigen einen Radius größer als 0 geben",
    (
        "*",
        "the bevel of '{name}' ends where it starts: move its start or end",
    ): "die Fase von '{name}' endet, wo sie beginnt: ihren Anfang oder ihr Ende verschieben",
    (
        "*",
        "'{name}' has an animated bevel depth, which is 0 at this frame: go to another frame",
    ): "'{name}' hat eine animierte Fasentiefe, die in diesem Frame 0 ist: zu einem anderen Frame gehen",
    (
        "*",
        "'{name}' shows a part of its bevel: set its start to 0 and its end to 1",
    ): "'{name}' zeigt nur einen Teil der Fase: ihren Anfang auf 0 und ihr Ende auf 1 setzen",
    (
        "*",
        "'{name}' is cut without its taper object: give its points radii",
    ): "'{name}' wird ohne Verjüngungsobjekt gefräst: den Punkten Radien geben",
    (
        "*",
        "'{name}' is cut without its extrusion: set Extrude to 0",
    ): "'{name}' wird ohne Extrusion gefräst: Extrudieren auf 0 setzen",
    (
        "*",
        "'{name}' is cut without its offset: set Offset to 0",
    ): "'{name}' wird ohne Versatz gefräst: Versatz auf 0 setzen",
    (
        "*",
        "the bevel of '{name}' is not round: it is cut as round, as wide as it is",
    ): "die Fase von '{name}' ist nicht rund: sie wird rund gefräst, so weit, wie sie reicht",
    (
        "*",
        "the instances of '{name}' on '{parent}' are not cut: make them real",
    ): "die Instanzen von '{name}' auf '{parent}' werden nicht gefräst: real machen",
    (
        "*",
        "modifier {names} of '{name}' is not cut: remove the curve's bevel, extrusion and fill, and set a radius",
    ): (
        "der Modifikator {names} von '{name}' wird nicht gefräst: Fase, Extrusion und Füllung der Kurve entfernen "
        "und einen Radius einstellen"
    ),
    (
        "*",
        "modifiers {names} of '{name}' are not cut: remove the curve's bevel, extrusion and fill, and set a radius",
    ): (
        "die Modifikatoren {names} von '{name}' werden nicht gefräst: Fase, Extrusion und Füllung der Kurve "
        "entfernen und einen Radius einstellen"
    ),
    (
        "*",
        "modifier {names} of '{name}' is not cut: convert the curve to a mesh",
    ): "der Modifikator {names} von '{name}' wird nicht gefräst: die Kurve in ein Mesh umwandeln",
    (
        "*",
        "modifiers {names} of '{name}' are not cut: convert the curve to a mesh",
    ): "die Modifikatoren {names} von '{name}' werden nicht gefräst: die Kurve in ein Mesh umwandeln",
    (
        "*",
        "modifier {names} of '{name}' is not cut: convert the text to a curve",
    ): "der Modifikator {names} von '{name}' wird nicht gefräst: den Text in eine Kurve umwandeln",
    (
        "*",
        "modifiers {names} of '{name}' are not cut: convert the text to a curve",
    ): "die Modifikatoren {names} von '{name}' werden nicht gefräst: den Text in eine Kurve umwandeln",
    (
        "*",
        "all paths of '{name}' were deleted: add one, or apply",
    ): "alle Pfade von '{name}' wurden gelöscht: einen hinzufügen, oder anwenden",
    ("*", "path '{name}' was deleted: carved without it"): "Pfad '{name}' wurde gelöscht: ohne ihn gefräst",
    ("*", "a path was deleted: carved without it"): "ein Pfad wurde gelöscht: ohne ihn gefräst",
    ("*", "nothing was carved along a path: {error}"): "entlang eines Pfades wurde nichts gefräst: {error}",
    (
        "*",
        "'{text}' has another decimal mark than line {other}, or marks thousands: write all numbers with one "
        "mark and no other",
    ): (
        "'{text}' hat ein anderes Dezimalzeichen als Zeile {other}, oder trennt Tausender: alle Zahlen mit einem "
        "Zeichen und keinem anderen schreiben"
    ),
    ("*", "'{text}' is no group code of a DXF file"): "'{text}' ist kein Gruppencode einer DXF-Datei",
    ("*", "'{text}' is not a number, or is too large"): "'{text}' ist keine Zahl oder zu groß",
    ("*", "<use> shows '{name}', which it is in itself"): "<use> zeigt '{name}', worin es selbst steht",
    ("*", "a line needs points"): "eine Linie braucht Punkte",
    ("*", "a point needs three numbers"): "ein Punkt braucht drei Zahlen",
    (
        "*",
        "character {character} of its {what} is '{text}', which may not stand there",
    ): "Zeichen {character} von {what} ist '{text}', was dort nicht stehen darf",
    ("*", "elements are in each other more than {most} deep"): "Elemente sind mehr als {most} tief ineinander",
    ("*", "elements use each other more than {most} times"): "Elemente verwenden einander mehr als {most} Mal",
    ("*", "it begins with <{name}>, and not with <{root}>"): "beginnt mit <{name}> und nicht mit <{root}>",
    (
        "*",
        "it has coordinates that are not numbers or are too large",
    ): "hat Koordinaten, die keine Zahlen oder zu groß sind",
    (
        "*",
        "it has the shape {shape}: give (N, 3) or (N, 4), with x, y, z and radius in its columns",
    ): "hat die Form {shape}: (N, 3) oder (N, 4) angeben, mit x, y, z und Radius in den Spalten",
    ("*", "it is not a text file"): "ist keine Textdatei",
    ("*", "it is not well-formed XML ({error})"): "ist kein wohlgeformtes XML ({error})",
    (
        "*",
        "it refers to point {text}, and there are {count} so far",
    ): "verweist auf Punkt {text}, und bisher gibt es {count}",
    ("*", "its {what} is '{text}', which cannot be read"): "{what} ist '{text}' und nicht lesbar",
    ("*", "its {what} is cut short"): "{what} ist abgeschnitten",
    (
        "*",
        "the file has a document type (DTD) of its own, which we do not read: export it without",
    ): "die Datei hat einen eigenen Dokumenttyp (DTD), den wir nicht lesen: ohne ihn exportieren",
    (
        "*",
        "{file} does not name its columns: they were taken as {names}",
    ): "{file} nennt keine Spalten: sie wurden als {names} gelesen",
    (
        "*",
        "{file} has no path: export lines, curves or points into it",
    ): "{file} hat keinen Pfad: Linien, Kurven oder Punkte hinein exportieren",
    (
        "*",
        "{file} has {columns} in {unit}: they were multiplied by {factor:g}",
    ): "{file} hat {columns} in {unit}: mit {factor:g} multipliziert",
    (
        "*",
        "{file} is cut short: it does not end with EOF, but with '{text}'",
    ): "{file} ist abgeschnitten: endet nicht mit EOF, sondern mit '{text}'",
    ("*", "{file} is in {unit}"): "{file} ist in {unit}",
    (
        "*",
        "{file} is in {unit}: its lengths were multiplied by {factor:g}",
    ): "{file} ist in {unit}: die Längen wurden mit {factor:g} multipliziert",
    (
        "*",
        "{file} was projected about {latitude:.6f}, {longitude:.6f} (latitude, longitude): x is east, y north",
    ): "{file} wurde um {latitude:.6f}, {longitude:.6f} (Breite, Länge) projiziert: x ist Osten, y Norden",
    (
        "*",
        "{file}, array '{name}' cannot be read: {error}",
    ): "{file}, Array '{name}' kann nicht gelesen werden: {error}",
    (
        "*",
        "{file}, line {line} cannot be read as a table: {error}",
    ): "{file}, Zeile {line} kann nicht als Tabelle gelesen werden: {error}",
    ("*", "{file}, line {line}, column {column}: {fault}"): "{file}, Zeile {line}, Spalte {column}: {fault}",
    (
        "*",
        "{file}, line {line}: column {number} has the unit '{unit}': choose {choices}",
    ): "{file}, Zeile {line}: Spalte {number} hat die Einheit '{unit}': {choices} wählen",
    (
        "*",
        "{file}, line {line}: column {number} is '{name}'{hint}: the first line must name the columns, such as "
        "x,y,z,radius",
    ): (
        "{file}, Zeile {line}: Spalte {number} ist '{name}'{hint}: die erste Zeile muss die Spalten nennen, etwa "
        "x,y,z,radius"
    ),
    (
        "*",
        "{file}, line {line}: the column '{name}' is missing: the header is x,y,z[,radius][,path]",
    ): "{file}, Zeile {line}: die Spalte '{name}' fehlt: der Kopf ist x,y,z[,radius][,path]",
    (
        "*",
        "{file}, line {line}: the column '{name}' stands there twice",
    ): "{file}, Zeile {line}: die Spalte '{name}' steht zweimal da",
    ("*", "{file}, path {label}: {fault}"): "{file}, Pfad {label}: {fault}",
    (
        "*",
        "{file}, row {row}, column '{column}': {value:g} is not a number that it can be",
    ): "{file}, Reihe {row}, Spalte '{column}': {value:g} ist dort keine gültige Zahl",
    (
        "*",
        "{file}: 'points' has the shape {shape} and 'radii' {other}: give (N, 3) and (N,)",
    ): "{file}: 'points' hat die Form {shape} und 'radii' {other}: (N, 3) und (N,) angeben",
    (
        "*",
        "{file}: columns that we do not know were ignored: {names}",
    ): "{file}: unbekannte Spalten wurden nicht beachtet: {names}",
    (
        "*",
        "{file}: commas in its numbers were read as decimal marks",
    ): "{file}: Kommas in den Zahlen wurden als Dezimalzeichen gelesen",
    (
        "*",
        "{file}: ezdxf is missing, which reads .dxf: install it (pip install ezdxf), or export the drawing as .svg",
    ): "{file}: ezdxf fehlt, das .dxf liest: installieren (pip install ezdxf), oder die Zeichnung als .svg exportieren",
    (
        "*",
        "{file}: it holds no numbers: give an array of floats",
    ): "{file}: enthält keine Zahlen: ein Array von Gleitkommazahlen angeben",
    ("*", "{file}: its columns are not of the same length"): "{file}: die Spalten sind nicht gleich lang",
    ("*", "{file}: left out, as they are no paths: {what}"): "{file}: ausgelassen, weil keine Pfade: {what}",
    (
        "*",
        "{file}: {count} points have no elevation: it was taken as 0",
    ): "{file}: {count} Punkte haben keine Höhe: sie wurde als 0 genommen",
    ("*", "{what} is '{text}', which is not a number"): "{what} ist '{text}' und keine Zahl",
    ("*", "{what} is {value:g}, beyond {largest:g} degrees"): "{what} ist {value:g}, jenseits von {largest:g} Grad",
    ("*", "{file} has no radius: give one"): "{file} hat keinen Radius: einen angeben",
    ("*", "{file}: a unit of the drawing is {length:g} m"): "{file}: eine Einheit der Zeichnung ist {length:g} m",
    ("*", "the file is a {kind}: give its path"): "die Datei ist ein {kind}: ihren Pfad angeben",
    (
        "*",
        "{what} {unit}: choose {choices}, or give its meters, a positive number",
    ): "{what} {unit}: {choices} wählen oder die Meter der Einheit angeben, eine positive Zahl",
    (
        "*",
        "a grid is a Grid, and this is a {kind}: plan_grid makes one",
    ): "ein Gitter ist ein Grid, und dies ist ein {kind}: plan_grid erzeugt eines",
    (
        "*",
        "the bounds of a grid are of {kind}: give (2, 3), minimum and maximum (x, y, z), such as mesh.bounds()",
    ): "die Grenzen eines Gitters sind {kind}: (2, 3) angeben, Minimum und Maximum (x, y, z), etwa mesh.bounds()",
    (
        "*",
        "the bounds of a grid must be finite, and no minimum above its maximum",
    ): "die Grenzen eines Gitters müssen endlich sein, und kein Minimum über seinem Maximum",
    ("*", "the bounds of a grid"): "die Grenzen eines Gitters",
    (
        "*",
        "'{suffix}' is no suffix of a file: give one, such as '.stl'",
    ): "'{suffix}' ist keine Dateiendung: eine angeben, etwa '.stl'",
    ("*", "inches"): "Zoll",
    ("*", "'{name}' made of one ball"): "'{name}' aus einer Kugel gemacht",
    ("*", "'{name}' made of one path"): "'{name}' aus einem Pfad gemacht",
    ("*", "'{name}' made of one stroke"): "'{name}' aus einem Strich gemacht",
    ("*", "'{name}' made: one frame, {seconds:.2f} s"): "'{name}' gemacht: ein Einzelbild, {seconds:.2f} s",
    (
        "*",
        "operations and paths differ in number, {count} and {paths}: give one for each, or one for all",
    ): (
        "die Zahl der Operationen und die der Pfade sind verschieden, {count} und {paths}: für jeden eine angeben, "
        "oder eine für alle"
    ),
    (
        "*",
        "the points and radii of path '{name}' differ in number, {count} and {size}: give one for each",
    ): (
        "die Zahl der Punkte und die der Radien von Pfad '{name}' sind verschieden, {count} und {size}: für jeden "
        "einen angeben"
    ),
    (
        "*",
        "the segments of a sweep and its {name} differ in number, {count} and {size}: give one for each",
    ): (
        "die Zahl der Segmente eines Fräsvolumens und die von {name} sind verschieden, {count} und {size}: für "
        "jedes eines angeben"
    ),
    ("*", "a sweep has no such segments: {error}"): "ein Fräsvolumen hat keine solchen Segmente: {error}",
    (
        "*",
        "labels and faces differ in number, {size} and {count}: give one for each face",
    ): (
        "die Zahl der Bezeichnungen und die der Flächen sind verschieden, {size} und {count}: für jede Fläche eine "
        "angeben"
    ),
    (
        "*",
        "'{name}' lists a face that is there already: it counts once",
    ): "'{name}' führt eine Fläche auf, die es schon gibt: sie zählt einmal",
    (
        "*",
        "'{name}' has {bad} of {count} instances whose transform is not made of numbers",
    ): "'{name}' hat {bad} von {count} Instanzen, deren Transformation nicht aus Zahlen besteht",
    (
        "*",
        "'{name}' turns into a face: a path is a curve, or edges without faces",
    ): "'{name}' wird zu einer Fläche: ein Pfad ist eine Kurve, oder Kanten ohne Flächen",
    (
        "*",
        "{file}: a point has no elevation: it was taken as 0",
    ): "{file}: ein Punkt hat keine Höhe: sie wurde als 0 genommen",
    (
        "*",
        "{file}, line {line}: one field where the header has {expected} ({header})",
    ): "{file}, Zeile {line}: ein Feld, wo der Kopf {expected} hat ({header})",
    (
        "*",
        "what step {step} adds to '{name}' is thinner than a voxel: it changes nothing; {remedy}",
    ): "was Schritt {step} zu '{name}' hinzufügt, ist dünner als ein Voxel: er ändert nichts; {remedy}",
    (
        "*",
        "the paths of step {step} lie inside '{name}': it changes nothing",
    ): "die Pfade von Schritt {step} liegen in '{name}': er ändert nichts",
    (
        "*",
        "what step {step} takes out of '{name}' is thinner than a voxel: it changes nothing; {remedy}",
    ): "was Schritt {step} aus '{name}' entfernt, ist dünner als ein Voxel: er ändert nichts; {remedy}",
    (
        "*",
        "the paths of step {step} do not touch '{name}': it changes nothing",
    ): "die Pfade von Schritt {step} berühren '{name}' nicht: er ändert nichts",
    (
        "*",
        "{file} hides all its paths ({what}): show their layers",
    ): "{file} blendet alle seine Pfade aus ({what}): ihre Ebenen einblenden",
    (
        "*",
        "{file}: left out, as the drawing hides them: {what}",
    ): "{file}: ausgelassen, da die Zeichnung sie ausblendet: {what}",
    (
        "*",
        "{file}: the columns after the third were ignored; where one is the radius, name the columns",
    ): "{file}: die Spalten nach der dritten wurden ignoriert; ist eine der Radius, die Spalten benennen",
    (
        "*",
        "{file} is not in UTF-8: it was read as Windows-1252",
    ): "{file} ist nicht in UTF-8: es wurde als Windows-1252 gelesen",
}
