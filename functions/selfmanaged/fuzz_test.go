package selfmanaged

import "testing"

// FuzzObjects changes one object of a scene.
func FuzzObjects(f *testing.F) { composers.FuzzScenes(f, scenes(f)) }
