package composer

import "strconv"

// indexed returns the path of item i of the list at path, as Kubernetes writes it in its own errors.
func indexed(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
